"""Rank mean: one value for all processes that train together, so that they all decide the same."""

import sys
from typing import Any

from toposcope.recorder.training.run_context import CallbackParams


def mean_over_ranks(value: float | None, params: CallbackParams) -> float | None:
    """Return the mean of what the ranks pass, None if one passes None; each of them must call this.

    Outside of a data-parallel training (parallel_mode "stand_alone", or torch.distributed not initialized) it is the
    value itself.
    """
    distributed: Any = sys.modules.get("torch.distributed")
    if params.get("parallel_mode", "stand_alone") == "stand_alone" or distributed is None:
        return value
    if not (distributed.is_available() and distributed.is_initialized()):
        return value
    values: list[float | None] = [None] * distributed.get_world_size()
    distributed.all_gather_object(values, value)
    known = [each for each in values if each is not None]
    return sum(known) / len(known) if len(known) == len(values) else None
