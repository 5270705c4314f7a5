"""What is said of a tensor without showing it: its extent, its mean, and how much of it is not finite."""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

_CHUNK = 1 << 18
"""Elements at a time, so that masks and conversions stay in the cache."""


class Statistics(NamedTuple):
    """Of the elements of a tensor; of complex numbers the magnitudes are taken, of bools 0 and 1."""

    total_count: int
    """All elements, NaN and infinities included."""
    min: int | float | None
    """Over the finite elements, like max and mean; None when there are none. Exact: an int for integers."""
    max: int | float | None
    mean: float | None
    nan_count: int
    pos_inf_count: int
    neg_inf_count: int


def statistics(values: npt.NDArray[Any]) -> Statistics:
    """Return the statistics of numbers of any shape; the mean is taken in float64, and infinite where that overflows.

    Args:
        values: C-contiguous; bool, integers, floats or complex numbers.
    """
    flat = values.reshape(-1)
    low: int | float = math.inf
    high: int | float = -math.inf
    total, finite, nan, pos_inf = 0.0, 0, 0, 0
    with np.errstate(all="ignore"):  # Some NaN raise a flag when they are converted; sums may overflow.
        for start in range(0, flat.size, _CHUNK):
            chunk = _real(flat[start : start + _CHUNK])
            least, most = chunk.min().item(), chunk.max().item()
            if not (math.isfinite(least) and math.isfinite(most)):  # Both are NaN where one element is.
                nan += int(np.count_nonzero(np.isnan(chunk)))
                pos_inf += int(np.count_nonzero(chunk == np.inf))
                chunk = chunk[np.isfinite(chunk)]
                least, most = chunk.min(initial=np.inf).item(), chunk.max(initial=-np.inf).item()
            low, high = min(low, least), max(high, most)
            total += float(chunk.sum(dtype=np.float64))
            finite += chunk.size
    neg_inf = flat.size - finite - nan - pos_inf
    if not finite:
        return Statistics(flat.size, None, None, None, nan, pos_inf, neg_inf)
    return Statistics(flat.size, low, high, total / finite, nan, pos_inf, neg_inf)


def _real(chunk: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the numbers that are compared and added up."""
    if chunk.dtype.kind == "b":
        return chunk.view(np.uint8)
    magnitudes: npt.NDArray[Any] = np.abs(chunk) if chunk.dtype.kind == "c" else chunk
    return magnitudes
