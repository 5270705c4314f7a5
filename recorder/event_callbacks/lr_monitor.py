"""LRMonitor: logs the learning rates of a training."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from toposcope.recorder.collecting.training_network import TrainingNetwork
from toposcope.recorder.framework import framework_of
from toposcope.recorder.training.events.event_callback import EventCallback

if TYPE_CHECKING:
    from toposcope.recorder.training.state.logger import Logger
    from toposcope.recorder.training.state.state import State


class LRMonitor(EventCallback):
    """Logs the learning rate of each parameter group as "lr-<class of the optimizer>/group<i>", after each batch.

    It is the rate that the step has used: of a scheduler that steps once per batch, Composer's class logs the rate of
    the next step. A second optimizer of the same class is named "lr-<class>-1", and so on. A rate that a watched loop
    supplies for a training without optimizer is "lr/group<i>".
    """

    def __init__(self) -> None:
        self._names: list[str] = []
        self._network: TrainingNetwork | None = None
        self._rates: list[Any] = []

    def fit_start(self, state: State, logger: Logger) -> None:
        """Look up the optimizers."""
        optimizer = state.optimizers[0] if len(state.optimizers) == 1 else tuple(state.optimizers) or None
        sources = {} if state.loop_sources is None else {"loop_sources": state.loop_sources}
        params = {"network": state.model, "optimizer": optimizer, **sources}
        self._network = TrainingNetwork(params, framework_of(optimizer if state.model is None else state.model))
        self._names, self._rates = _names(state), self._read(state)

    def batch_start(self, state: State, logger: Logger) -> None:
        """Read the rates that the batch will use."""
        self._rates = self._read(state)

    def batch_end(self, state: State, logger: Logger) -> None:
        """Log the rates of the batch."""
        if self._network is not None and self._network.rates_are_of_last_step:
            self._rates = self._read(state)
        names = (
            self._names if len(self._names) == len(self._rates) else [f"lr/group{i}" for i in range(len(self._rates))]
        )
        if self._rates:
            logger.log_metrics(dict(zip(names, self._rates, strict=True)))

    def _read(self, state: State) -> list[Any]:
        return [] if self._network is None else self._network.learning_rates(state.counter.step)


def _names(state: State) -> list[str]:
    """Return the name of each parameter group."""
    seen: Counter[str] = Counter()
    names = []
    for optimizer in state.optimizers:
        kind = type(optimizer).__name__
        prefix = f"lr-{kind}-{seen[kind]}" if seen[kind] else f"lr-{kind}"
        seen[kind] += 1
        names += [f"{prefix}/group{group}" for group in range(len(framework_of(optimizer).learning_rates(optimizer)))]
    return names
