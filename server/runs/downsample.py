"""Fewer points of one series, its extremes kept."""

from typing import Literal

import numpy as np
import numpy.typing as npt
from tsdownsample import MinMaxDownsampler

from toposcope.server.reading.series import Float64s, Int64s

Indices = npt.NDArray[np.intp]
Scale = Literal["linear", "log"]
"""Of the axis that the points are drawn along."""


def downsample_along(x: Int64s | Float64s, value: Float64s, points: int, scale: Scale) -> Indices:
    """Choose about `points` of the points of a series as they are drawn: an axis that is logarithmic has its own.

    There the buckets are equally wide on the axis, so that the first decades are not passed over. What is not above
    zero has no place on it: of these points the ends and the extremes stay.

    Args:
        x: where the points are; of a logarithmic axis only what ascends is read so.
        value: any values, as many.
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


def downsample(value: Float64s, points: int, place: Float64s | None = None) -> Indices:
    """Choose about `points` of the points of a series, in order.

    The series is cut into buckets of equal numbers of points, or of equal width, and the smallest and the largest
    finite value of each stay (tsdownsample's MinMax). So do the first and the last point, and the first and the last
    non-finite point of each bucket, which come on top of `points`.

    Args:
        value: any values, NaN and infinities included; shape (n,).
        points: how many to choose, at least 4; with n <= points all are chosen.
        place: where the points are, ascending, for buckets of equal width.

    Returns:
        Ascending indices into value.
    """
    if len(value) <= points:
        return np.arange(len(value))
    if place is not None and not 0 < place[-1] - place[0] < np.inf:
        place = None
    finite = np.isfinite(value)
    if finite.all():
        kept = _extremes(place, value, points)
        return _union(kept, [0, len(value) - 1])
    at_finite, at_others = np.flatnonzero(finite), np.flatnonzero(~finite)
    kept = at_finite
    if len(at_finite) > points:
        kept = at_finite[_extremes(None if place is None else place[at_finite], value[at_finite], points)]
    return _union(kept, _edges(at_others, place, len(value), points), [0, len(value) - 1])


def _union(*parts: npt.ArrayLike) -> Indices:
    """Return all indices, ascending, each once. np.unique makes a hash table of integers: 20 times slower."""
    indices: Indices = np.sort(np.concatenate([np.asarray(part, np.intp) for part in parts]))
    once: Indices = indices[np.append(True, indices[1:] != indices[:-1])]
    return once


def _extremes(place: Float64s | None, value: Float64s, points: int) -> Indices:
    columns = (value,) if place is None else (place, value)
    kept: Indices = MinMaxDownsampler().downsample(*columns, n_out=max(4, points) // 2 * 2)
    return kept.astype(np.intp)


def _edges(indices: Indices, place: Float64s | None, length: int, points: int) -> Indices:
    """Return the first and the last of the indices in each bucket of range(length)."""
    buckets = max(4, points) // 2
    if place is None:
        bucket = indices * buckets // length
    else:
        bucket = ((place[indices] - place[0]) / (place[-1] - place[0]) * buckets).astype(np.intp)
    changes = np.flatnonzero(np.diff(bucket))
    return np.concatenate([indices[:1], indices[changes], indices[changes + 1], indices[-1:]])
