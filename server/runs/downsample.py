"""Downsamples a series so that its extremes are kept."""

from typing import Literal

import numpy as np
import numpy.typing as npt
from tsdownsample import MinMaxDownsampler

from toposcope.server.reading.series import CompactValues, Float64s, Int64s

Indices = npt.NDArray[np.intp]
Scale = Literal["linear", "log"]
"""Of the axis along which the points are drawn."""


def downsample_along(x: Int64s | Float64s, value: CompactValues, points: int, scale: Scale) -> Indices:
    """Choose about `points` of the points of a series for an axis.

    On a logarithmic axis the buckets are equally wide on the axis, so that the first decades keep enough points. Points
    at or below zero cannot be drawn there; of these only the ends and the extremes are kept.

    Args:
        x: positions of the points; must be ascending for a logarithmic axis, else the scale is ignored.
        value: any values, one for each position.
        points: how many to choose, at least 4.
        scale: of the axis.

    Returns:
        Ascending indices into value.
    """
    if scale == "linear" or len(value) <= points or not bool((x[1:] >= x[:-1]).all()):
        return downsample(value, points)
    first = int(np.searchsorted(x, 0, "right"))
    below, above = downsample(value[:first], 4), downsample(value[first:], points, np.log(x[first:]))
    return np.concatenate([below, above + first])


def downsample(value: CompactValues, points: int, position: Float64s | None = None) -> Indices:
    """Choose about `points` of the points of a series.

    The series is split into buckets of equal numbers of points, or of equal width, and the smallest and the largest
    finite value of each are kept (tsdownsample's MinMax). In addition to `points`, the first and the last point and the
    first and the last non-finite point of each bucket are kept.

    Args:
        value: any values, NaN and infinities included; shape (n,).
        points: how many to choose, at least 4; if n <= points, all are chosen.
        position: of the points, ascending, for buckets of equal width.

    Returns:
        Ascending indices into value.
    """
    if len(value) <= points:
        return np.arange(len(value))
    if position is not None and not 0 < position[-1] - position[0] < np.inf:
        position = None
    finite = np.isfinite(value)
    if finite.all():
        kept = _extremes(position, value, points)
        return _union(kept, [0, len(value) - 1])
    finite_indices, other_indices = np.flatnonzero(finite), np.flatnonzero(~finite)
    kept = finite_indices
    if len(finite_indices) > points:
        kept = finite_indices[
            _extremes(None if position is None else position[finite_indices], value[finite_indices], points)
        ]
    return _union(kept, _edges(other_indices, position, len(value), points), [0, len(value) - 1])


def _union(*parts: npt.ArrayLike) -> Indices:
    """Return all indices, ascending, without repetitions. np.unique uses a hash table, which is 20 times slower."""
    indices: Indices = np.sort(np.concatenate([np.asarray(part, np.intp) for part in parts]))
    unique: Indices = indices[np.append(True, indices[1:] != indices[:-1])]
    return unique


def _extremes(position: Float64s | None, value: CompactValues, points: int) -> Indices:
    columns = (value,) if position is None else (position, value)
    kept: Indices = MinMaxDownsampler().downsample(*columns, n_out=max(4, points) // 2 * 2)
    return kept.astype(np.intp)


def _edges(indices: Indices, position: Float64s | None, length: int, points: int) -> Indices:
    """Return the first and the last of the indices in each bucket of range(length)."""
    buckets = max(4, points) // 2
    if position is None:
        bucket = indices * buckets // length
    else:
        bucket = ((position[indices] - position[0]) / (position[-1] - position[0]) * buckets).astype(np.intp)
    changes = np.flatnonzero(np.diff(bucket))
    return np.concatenate([indices[:1], indices[changes], indices[changes + 1], indices[-1:]])
