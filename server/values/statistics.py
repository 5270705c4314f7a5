"""Summary statistics of tensors: extremes, mean, and numbers of elements that are not finite."""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

_CHUNK = 1 << 18
"""Elements per step, so that masks and conversions fit into the processor's cache."""


class Statistics(NamedTuple):
    """Statistics of the elements of a tensor: of the magnitudes of complex numbers; bools count as 0 and 1."""

    total_count: int
    """All elements, including NaN and infinities."""
    min: int | float | None
    """Over the finite elements, like max and mean; None if there are none. An int for integers, thus exact."""
    max: int | float | None
    mean: float | None
    nan_count: int
    pos_inf_count: int
    neg_inf_count: int


def statistics(values: npt.NDArray[Any]) -> Statistics:
    """Compute the statistics of an array of any shape; the mean is computed in float64, and infinite if it overflows.

    Args:
        values: C-contiguous; bool, integers, floats or complex numbers.
    """
    flat = values.reshape(-1)
    low: int | float = math.inf
    high: int | float = -math.inf
    total, finite, nan, pos_inf = 0.0, 0, 0, 0
    with np.errstate(all="ignore"):  # Converting a signalling NaN sets the invalid flag; sums may overflow.
        for start in range(0, flat.size, _CHUNK):
            chunk = _real(flat[start : start + _CHUNK])
            least, most = chunk.min().item(), chunk.max().item()
            if not (math.isfinite(least) and math.isfinite(most)):  # Both are NaN if any element is.
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
    """Return the real numbers that the statistics are computed from."""
    if chunk.dtype.kind == "b":
        return chunk.view(np.uint8)
    magnitudes: npt.NDArray[Any] = np.abs(chunk) if chunk.dtype.kind == "c" else chunk
    return magnitudes
