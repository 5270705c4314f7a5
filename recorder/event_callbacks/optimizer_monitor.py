"""OptimizerMonitor: logs the norms of gradients, parameters, moments and updates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toposcope.recorder import log
from toposcope.recorder.adapters import adapter, framework_name
from toposcope.recorder.arguments import checked_bool, checked_integer
from toposcope.recorder.collecting.steps.gradient_norms import gradient_norms
from toposcope.recorder.collecting.training_network import TrainingNetwork
from toposcope.recorder.framework import framework_of
from toposcope.recorder.training.events.event_callback import EventCallback

if TYPE_CHECKING:
    from toposcope.recorder.training.state.logger import Logger
    from toposcope.recorder.training.state.state import State


class OptimizerMonitor(EventCallback):
    """Logs L2 norms at the end of every batch whose number is a multiple of batch_log_interval.

    * "l2_norm/grad/<parameter>" of each gradient, and "l2_norm/grad/global" of all of them together.
    * "l2_norm/moment/<parameter>": of the optimizer's first moment (of Adam and its relatives) or momentum (SGD, THOR).
    * "l2_norm/param/<parameter>": of the parameter after the step.
    * "l2_norm/update/<parameter>": of the difference that the step has made to the parameter.

    The gradients are those that the step has used: unscaled, and clipped if the loop clips them. The last three need an
    optimizer of PyTorch, and copy the parameters during the steps that are measured. Parameters without a gradient are
    left out. Of a parameter that is sharded over processes, each process measures its own part, and waits for no other.

    The names are those of Composer's class, which needs optimizers that report moments and updates themselves.
    """

    def __init__(
        self, log_optimizer_metrics: bool = True, batch_log_interval: int = 10, *, only_global: bool = False
    ) -> None:
        """Choose what is measured.

        Args:
            log_optimizer_metrics: whether moments, parameters and updates are measured, not only gradients.
            batch_log_interval: batches between measurements.
            only_global: whether only the norms over all parameters are logged: "l2_norm/grad/global",
                "l2_norm/moment/global", ...

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: batch_log_interval is not positive.
        """
        self._measures_optimizer = checked_bool("log_optimizer_metrics", log_optimizer_metrics)
        self._interval = checked_integer("batch_log_interval", batch_log_interval, lowest=1)
        self._only_global = checked_bool("only_global", only_global)
        self._network: TrainingNetwork | None = None
        self._norms: Any = None
        """The OptimizerNorms of a training with optimizers of PyTorch."""
        self._has_warned = False

    def fit_start(self, state: State, logger: Logger) -> None:
        """Start observing the optimizers."""
        self._end()
        sources = {} if state.loop_sources is None else {"loop_sources": state.loop_sources}
        params = {"network": state.model, "optimizer": tuple(state.optimizers) or None, **sources}
        self._network = TrainingNetwork(params, framework_of(state.model))
        if state.optimizers and all(framework_name(each) == "torch" for each in state.optimizers):
            self._norms = adapter("torch", "optimizer_norms").OptimizerNorms(
                state.model, state.optimizers, measures_optimizer=self._measures_optimizer
            )
            self._norms.begin()
        self._arm(state)

    def batch_end(self, state: State, logger: Logger) -> None:
        """Log the norms of the batch if it is due."""
        if state.counter.step % self._interval == 0:
            try:
                norms = self._measured()
            except Exception as error:
                self._warn(f"{type(error).__name__}: {error}")
                norms = {}
            if norms:
                logger.log_metrics({f"l2_norm/{name}": norm for name, norm in norms.items()})
        self._arm(state)

    def fit_end(self, state: State, logger: Logger) -> None:
        """Stop observing the optimizers."""
        self._end()

    def close(self, state: State, logger: Logger) -> None:
        """Stop observing the optimizers of a training that failed."""
        self._end()

    def _measured(self) -> dict[str, float]:
        if self._norms is not None:
            norms = self._norms.take()
        elif self._network is None:
            return {}
        else:
            tags = gradient_norms(self._network.gradients())
            norms = {f"grad/{tag.partition('/')[2]}": norm for tag, norm in tags.items()}
            norms.pop("grad/global", None)
        if not norms:
            self._warn("no parameter has a gradient")
            return {}
        return (
            _globals(norms) if self._only_global else norms | {"grad/global": _globals(norms).get("grad/global", 0.0)}
        )

    def _arm(self, state: State) -> None:
        if self._norms is not None and (state.counter.step + 1) % self._interval == 0:
            self._norms.arm()

    def _end(self) -> None:
        if self._norms is not None:
            self._norms.end()
        self._norms = self._network = None

    def _warn(self, reason: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            log.warn("OptimizerMonitor: a batch has no norms: %s", reason)


def _globals(norms: Mapping[str, float]) -> dict[str, float]:
    """Return the norm over all parameters of each kind."""
    kinds: dict[str, list[float]] = {}
    for name, norm in norms.items():
        kinds.setdefault(name.partition("/")[0], []).append(norm)
    return {f"{kind}/global": math.hypot(*each) for kind, each in kinds.items()}
