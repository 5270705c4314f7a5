"""Fewer points of one series, its extremes kept."""

import numpy as np
import numpy.typing as npt
from tsdownsample import MinMaxDownsampler

from toposcope.server.reading.series import Float64s

Indices = npt.NDArray[np.intp]


def downsample(value: Float64s, points: int) -> Indices:
    """Choose about `points` of the points of a series, in order.

    The series is cut into buckets of equal numbers of points, and the smallest and the largest finite value of each
    stay (tsdownsample's MinMax). So do the first and the last point, and the first and the last non-finite point of
    each bucket, which come on top of `points`.

    Args:
        value: any values, NaN and infinities included; shape (n,).
        points: how many to choose, at least 4; with n <= points all are chosen.

    Returns:
        Ascending indices into value.
    """
    if len(value) <= points:
        return np.arange(len(value))
    finite = np.isfinite(value)
    if finite.all():
        kept = _extremes(value, points)
        return _union(kept, [0, len(value) - 1])
    at_finite, at_others = np.flatnonzero(finite), np.flatnonzero(~finite)
    kept = at_finite[_extremes(value[at_finite], points)] if len(at_finite) > points else at_finite
    return _union(kept, _edges(at_others, len(value), points), [0, len(value) - 1])


def _union(*parts: npt.ArrayLike) -> Indices:
    """Return all indices, ascending, each once. np.unique makes a hash table of integers: 20 times slower."""
    indices: Indices = np.sort(np.concatenate([np.asarray(part, np.intp) for part in parts]))
    once: Indices = indices[np.append(True, indices[1:] != indices[:-1])]
    return once


def _extremes(value: Float64s, points: int) -> Indices:
    kept: Indices = MinMaxDownsampler().downsample(value, n_out=max(4, points) // 2 * 2)
    return kept.astype(np.intp)


def _edges(indices: Indices, length: int, points: int) -> Indices:
    """Return the first and the last of the indices in each bucket of range(length)."""
    bucket = indices * (max(4, points) // 2) // length
    changes = np.flatnonzero(np.diff(bucket))
    return np.concatenate([indices[:1], indices[changes], indices[changes + 1], indices[-1:]])
