"""Rank mean: the mean of a value over all processes of a training, so that all make the same decision."""

import sys
from typing import Any

from toposcope.recorder.training.run_context import CallbackParams


def mean_over_ranks(value: float | None, params: CallbackParams) -> float | None:
    """Return the mean of the ranks' values, None if one of them is None; every rank must call this.

    Outside of a data-parallel training (parallel_mode "stand_alone", or torch.distributed not initialized) the value is
    returned unchanged.
    """
    distributed: Any = sys.modules.get("torch.distributed")
    if params.get("parallel_mode", "stand_alone") == "stand_alone" or distributed is None:
        return value
    if not (distributed.is_available() and distributed.is_initialized()):
        return value
    values: list[float | None] = [None] * distributed.get_world_size()
    distributed.all_gather_object(values, value)
    numbers = [each for each in values if each is not None]
    return sum(numbers) / len(numbers) if len(numbers) == len(values) else None
