"""Rank mean: the mean of a value over all processes of a training, so that all make the same decision."""

from toposcope.recorder.callbacks.rank_values import values_of_ranks


def mean_over_ranks(value: float | None, parallel_mode: str) -> float | None:
    """Return the mean of the ranks' values, None if one of them is None; every rank must call this.

    Outside of a data-parallel training (parallel_mode "stand_alone", or torch.distributed not initialized) the value is
    returned unchanged.
    """
    if parallel_mode == "stand_alone":
        return value
    values = values_of_ranks(value)
    numbers = [each for each in values if each is not None]
    return sum(numbers) / len(numbers) if len(numbers) == len(values) else None
