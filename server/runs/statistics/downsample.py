"""Downsamples a series so that its extremes are kept."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from tsdownsample import MinMaxDownsampler

from toposcope.server.reading.series.series import CompactValues, Float64s, Int64s

Indices = npt.NDArray[np.intp]
Scale = Literal["linear", "log"]
"""The scale of the axis along which the points are drawn."""


class Downsampled(NamedTuple):
    """The points that are kept of a series."""

    kept: Indices
    """Ascending indices of the points."""
    settled: int
    """How many of the first points are in complete buckets: of these the same are kept when the series grows at its
    end, until it is so long that the buckets become larger."""


def downsample_along(x: Int64s | Float64s, value: CompactValues, points: int, scale: Scale) -> Downsampled:
    """Choose about `points` of the points of a series for an axis.

    On a logarithmic axis the buckets are equally wide on the axis, so that the first decades keep enough points. They
    become wider whenever the series grows. Points at or below zero cannot be drawn there; of these only the ends and
    the extremes are kept.

    Args:
        x: positions of the points; must be ascending for a logarithmic axis, else the scale is ignored.
        value: any values, one for each position.
        points: how many to choose, at least 4.
        scale: of the axis.
    """
    if scale == "linear" or len(value) <= points or not bool((x[1:] >= x[:-1]).all()):
        return downsample(value, points)
    first = int(np.searchsorted(x, 0, "right"))
    below, above = downsample(value[:first], 4).kept, _downsample_evenly(np.log(x[first:]), value[first:], points)
    return Downsampled(np.concatenate([below, above + first]), 0)


def downsample(value: CompactValues, points: int) -> Downsampled:
    """Choose about `points` of the points of a series: at least two thirds as many, and a few more at most.

    The series is split into buckets of equal numbers of points, and the smallest and the largest finite value of each
    are kept (tsdownsample's MinMax). The first and the last point and the first and the last non-finite point of each
    bucket are kept in addition.

    Args:
        value: any values, NaN and infinities included; shape (n,).
        points: how many to choose, at least 4; if n <= points, all are chosen.
    """
    length = len(value)
    if length <= points:
        return Downsampled(np.arange(length), length)
    finite = np.isfinite(value)
    if finite.all():
        kept, settled = _extremes(value, points)
        return Downsampled(_union(kept, [0, length - 1]), min(settled, length - 1))
    finite_indices, other_indices = np.flatnonzero(finite), np.flatnonzero(~finite)
    size = _bucket_size(length, points)
    kept, settled = finite_indices, _border(length, size)
    if len(finite_indices) > points:
        extremes, settled_finite = _extremes(value[finite_indices], points)
        kept = finite_indices[extremes]
        settled = min(settled, int(finite_indices[settled_finite - 1]) + 1)
    edges = _edges(other_indices, (other_indices - 1) // size)
    return Downsampled(_union(kept, edges, [0, length - 1]), min(settled, length - 1))


def _bucket_size(length: int, points: int) -> int:
    """Return of how many points a bucket is.

    It grows in steps of a quarter at most from four on, so that most points that are appended do not change a bucket.
    """
    buckets, size = max(4, points) // 2, 1
    while size * buckets < length - 1:
        size += max(1, size // 4)
    return size


def _border(length: int, size: int) -> int:
    """Return the number of points in complete buckets. The first bucket also has the first point of the series."""
    return (length - 1) // size * size + 1


def _extremes(value: CompactValues, points: int) -> tuple[Indices, int]:
    """Return (the indices of the extremes in each bucket, the number of values in complete buckets)."""
    size = _bucket_size(len(value), points)
    border = _border(len(value), size)
    # Of so many values, tsdownsample makes buckets of exactly this size.
    kept: Indices = MinMaxDownsampler().downsample(value[:border], n_out=border // size * 2).astype(np.intp)
    rest = value[border:]
    if len(rest):
        kept = np.append(kept, sorted((border + int(rest.argmin()), border + int(rest.argmax()))))
    return kept, border


def _downsample_evenly(position: Float64s, value: CompactValues, points: int) -> Indices:
    """Choose points as downsample() does, but with buckets of equal width on an axis.

    Args:
        position: of the points, ascending.
        value: any values, one for each position.
        points: how many to choose, at least 4.
    """
    if len(value) <= points or not 0 < position[-1] - position[0] < np.inf:
        return downsample(value, points).kept
    finite = np.isfinite(value)
    kept = np.flatnonzero(finite)
    if len(kept) > points:
        at = slice(None) if finite.all() else kept
        extremes = MinMaxDownsampler().downsample(position[at], value[at], n_out=max(4, points) // 2 * 2)
        kept = kept[extremes.astype(np.intp)]
    others = np.flatnonzero(~finite)
    buckets = max(4, points) // 2
    bucket = ((position[others] - position[0]) / (position[-1] - position[0]) * buckets).astype(np.intp)
    return _union(kept, _edges(others, bucket), [0, len(value) - 1])


def _union(*parts: npt.ArrayLike) -> Indices:
    """Return all indices, ascending, without repetitions. np.unique uses a hash table, which is 20 times slower."""
    indices: Indices = np.sort(np.concatenate([np.asarray(part, np.intp) for part in parts]))
    unique: Indices = indices[np.append(True, indices[1:] != indices[:-1])]
    return unique


def _edges(indices: Indices, bucket: Indices) -> Indices:
    """Return the first and the last of the indices in each bucket; `bucket` has that of each index."""
    changes = np.flatnonzero(np.diff(bucket))
    return np.concatenate([indices[:1], indices[changes], indices[changes + 1], indices[-1:]])
