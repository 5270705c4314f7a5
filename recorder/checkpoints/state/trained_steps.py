"""TrainedSteps: the steps that an optimizer, or a network without one, has been trained for, over all its trainings."""

import weakref
from contextlib import suppress
from typing import Any

_counts: dict[int, tuple[weakref.ref[Any], "TrainedSteps"]] = {}
"""The counts, by the id of an optimizer or a network, as these may be unhashable or equal to others."""


class TrainedSteps:
    """A count that outlives a training: the next one, or a checkpoint, continues from it."""

    def __init__(self) -> None:
        self.step = 0
        self.is_restored = False
        """Whether a checkpoint was restored since the last training."""


def trained_steps_of(thing: Any) -> TrainedSteps:
    """Return the count of an optimizer or a network; a new one for None, and where no weak reference is possible."""
    reference, count = _counts.get(id(thing), (None, None))
    if count is not None and reference is not None and reference() is thing:
        return count
    count, key = TrainedSteps(), id(thing)
    if thing is not None:
        with suppress(TypeError):  # No weak reference is possible.
            _counts[key] = weakref.ref(thing, lambda _: _counts.pop(key, None)), count
    return count
