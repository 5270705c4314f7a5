"""RunContext: passes the state of a training to callbacks, and their requests to stop to the training."""

from collections.abc import Callable
from typing import Any

from toposcope.recorder.values.arrays.foreign_values import short_repr


class Processed:
    """What a training has processed, as far as it is known, and how it ended; MindSpore's cb_params do not have it."""

    def __init__(self) -> None:
        self.samples: int | None = None
        """Samples of this process, those of micro-batches whose step has not ended included; None: unknown."""
        self.epoch_began: float | None = None
        """perf_counter() when the first step of the epoch started; None: when the hook of the epoch is called."""
        self.steps_before_epoch: int | None = None
        """Finished steps at the beginning of the epoch; None: unknown."""
        self.skipped_steps = 0
        """Steps that GradScaler has skipped."""
        self.results: dict[str, Any] | None = None
        """Results of the evaluation that ends, without those of earlier ones of the epoch; None: those of the items."""
        self.is_loss_unknown = False
        """Whether the newest step has no loss that the trainer of another library reports."""
        self.is_dropped = False
        """Whether the training was never closed: it ends at exit, or because nothing references it."""


class CallbackParams(dict[str, Any]):
    """The current state of a training (`cb_params`): a dict whose items are also attributes.

    A missing attribute raises AttributeError, so that hasattr() and getattr() with a default work; MindSpore's class
    raises KeyError. The attribute `processed` is not an item, so that the items are those of MindSpore.
    """

    processed: Processed

    def __init__(self, *items: Any, **more: Any) -> None:
        super().__init__(*items, **more)
        object.__setattr__(self, "processed", Processed())

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"cb_params has no {name!r}; it has {', '.join(sorted(self))}.") from None

    def __setattr__(self, name: str, value: object) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        try:
            del self[name]
        except KeyError:
            raise AttributeError(f"cb_params has no {name!r} to delete.") from None


class RunContext:
    """The cb_params, to which callbacks may add items, and the request to stop, as in MindSpore's class."""

    def __init__(self, original_args: dict[str, Any], *, on_stop: Callable[[], None] | None = None) -> None:
        """Wrap the params, a CallbackParams without copying it; on_stop is called at the first request to stop.

        Raises:
            TypeError: original_args is not a dict.
        """
        if not isinstance(original_args, dict):
            raise TypeError(f"original_args must be a dict, not {short_repr(original_args)}.")
        self._params = original_args if isinstance(original_args, CallbackParams) else CallbackParams(original_args)
        self._on_stop = on_stop
        self._is_stop_requested = False

    def original_args(self) -> CallbackParams:
        """Return the cb_params, always the same object."""
        return self._params

    def request_stop(self) -> None:
        """Request the training, or the evaluation if one is running, to end after this step."""
        if not self._is_stop_requested:
            self._is_stop_requested = True
            if self._on_stop is not None:
                self._on_stop()

    def get_stop_requested(self) -> bool:
        """Return whether a stop was requested."""
        return self._is_stop_requested


def step_in_epoch(params: CallbackParams, steps_before_epoch: int) -> int:
    """Return the number of the finished step in its epoch; steps_before_epoch: as far as the callback knows."""
    step, steps = params["cur_step_num"], params.get("batch_num")
    if params.processed.steps_before_epoch is not None and params.get("mode") != "eval":
        return int(step - params.processed.steps_before_epoch)
    if isinstance(steps, int) and steps > 0 and step > 0:
        return int((step - 1) % steps + 1)
    return int(step - steps_before_epoch)
