"""NaNMonitor: ends a training whose loss is NaN with an exception."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError, short_repr

if TYPE_CHECKING:
    from toposcope.recorder.training.state.logger import Logger
    from toposcope.recorder.training.state.state import State


class NaNMonitor(EventCallback):
    """Raises RuntimeError when the loss, or a part of it, is NaN; infinite losses are accepted. Logs nothing.

    Each loss is read from its device before the backward pass, so that the parameters are still those from before the
    step. In a watched loop it is read when the step is reported. Corresponds to Composer's class; losses may also be
    numbers and arrays of any framework, and nested.
    """

    def __init__(self) -> None:
        self._is_checked = False
        """Whether the loss of the running batch has been checked at AFTER_LOSS."""

    def after_loss(self, state: State, logger: Logger) -> None:
        """Check the loss of a microbatch.

        Raises:
            RuntimeError: it contains NaN.
            TypeError: it is neither numeric nor a list, a tuple or a mapping of losses.
        """
        self._is_checked = True
        _check(state.loss, state)

    def batch_end(self, state: State, logger: Logger) -> None:
        """Check the loss of the batch if the loop has no AFTER_LOSS; raises as after_loss() does."""
        if not self._is_checked:
            loss = state.net_outputs if state.loss is None else state.loss
            if loss is not None:
                _check(loss, state)
        self._is_checked = False


def _check(loss: Any, state: State) -> None:
    for name, part in _parts("", loss):
        count, size = _nan_count(part)
        if count:
            named = f"The loss {name!r}" if name else "The loss"
            elements = f" ({count} of {size} elements)" if size > 1 else ""
            steps = f"{state.counter.step} finished {'step' if state.counter.step == 1 else 'steps'}"
            # The first sentence is that of Composer's class.
            raise RuntimeError(f"Train loss contains a NaN. {named} is NaN{elements} after {steps}.")


def _parts(name: str, loss: Any) -> Iterator[tuple[str, Any]]:
    """Yield the numeric parts of a loss, with their names if it is a mapping."""
    if isinstance(loss, Mapping):
        for key, part in loss.items():
            yield from _parts(f"{name}/{key}" if name else str(key), part)
    elif isinstance(loss, list | tuple):
        for part in loss:
            yield from _parts(name, part)
    else:
        yield name, loss


def _nan_count(loss: Any) -> tuple[int, int]:
    """Return how many elements are NaN, and how many there are; only these numbers are read from the device."""
    try:
        if hasattr(loss, "detach") and hasattr(loss, "isnan"):
            return int(loss.detach().isnan().sum()), int(loss.numel())
        numbers = array_from(loss).numbers()
        return int(np.isnan(numbers).sum()), numbers.size
    except (TypeError, UnreadableValueError):
        raise TypeError(
            f"The loss must be a number, an array or a tensor, or a list or a mapping of them; not {short_repr(loss)}."
        ) from None
