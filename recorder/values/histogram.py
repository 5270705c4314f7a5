"""Histograms of arrays: equal-width buckets over the finite values; NaN and infinities are counted beside them."""

import math
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto.wire import varint

_Array = npt.NDArray[Any]
_Floats = npt.NDArray[np.float64]
_Integers = npt.NDArray[np.int64]

# Elements at a time: what is computed of a chunk stays in the cache, and no call holds the GIL for 0.1 ms.
_CHUNK = 65_536


class Histogram(NamedTuple):
    """How the values of an array are distributed."""

    total_count: int
    """All values, NaN and infinities included."""
    nan_count: int
    pos_inf_count: int
    neg_inf_count: int
    min: float
    """Of the finite values, like max and sum; 0.0 when there are none."""
    max: float
    sum: float
    edges: _Floats
    """float64[buckets + 1], ascending; empty when no value is finite."""
    counts: _Integers
    """int64[buckets]: the values with edges[i] <= value < edges[i + 1]; the last bucket holds max too."""


class _Extent(NamedTuple):
    """What must be known of values before their buckets can be; low > high when none is finite."""

    finite: int
    nan: int
    pos_inf: int
    low: float
    high: float
    sum: float


def histogram_of(values: _Array) -> Histogram:
    """Return the histogram of values; integers that no double holds count as the nearest one.

    The number of buckets is MindSpore's: it follows from that of the finite values. Unlike MindSpore's, the buckets
    are equally wide for every dtype, up to rounding, and none has no width. The sum is infinite, or NaN, where
    float64 overflows.

    Args:
        values: of any shape; bool, (u)int8 to (u)int64 or float16 to float64.
    """
    flat = values.ravel(order="K")
    with np.errstate(all="ignore"):
        extent = _joined([_extent(chunk) for chunk in _chunks(flat)])
        neg_inf = flat.size - extent.finite - extent.nan - extent.pos_inf
        counted = (flat.size, extent.nan, extent.pos_inf, neg_inf)
        if not extent.finite:
            return Histogram(*counted, 0.0, 0.0, 0.0, np.empty(0), np.empty(0, np.int64))
        edges = bucket_edges(extent.low, extent.high, extent.finite)
        counts = _counts(flat, extent, edges)
    return Histogram(*counted, extent.low, extent.high, extent.sum, edges, counts)


def bucket_edges(low: float, high: float, finite: int) -> _Floats:
    """Return the edges, float64[buckets + 1], of the histogram of so many finite values from low to high."""
    return _edges(low, high, _bucket_number(finite))


def encoded(histogram: Histogram) -> bytes:
    """Return histogram as a Summary.Histogram message; like MindSpore's it has all its numbers, even where zero."""
    _, nan, pos_inf, neg_inf, low, high, total, _, _ = histogram
    numbers = np.array((0x29, high, 0x31, low, 0x39, total), "u1, <f8, u1, <f8, u1, <f8")
    return b"".join(
        (
            _encoded_buckets(histogram.edges, histogram.counts),
            b"\x10" + varint(nan) + b"\x18" + varint(pos_inf) + b"\x20" + varint(neg_inf),
            numbers.tobytes(),
            b"\x40" + varint(histogram.total_count),
        )
    )


def _encoded_buckets(edges: _Floats, counts: _Integers) -> bytes:
    """Return the Bucket messages, all equally long: short counts are padded, as varints may be."""
    shifts = 7 * np.arange(max(1, math.ceil(int(counts.max(initial=0)).bit_length() / 7)))
    digits = counts[:, None] >> shifts & 0x7F
    digits[:, :-1] |= 0x80
    start, middle, end = ("start", "V3"), ("middle", "u1"), ("end", "u1")
    numbers = ("left", "<f8"), ("width", "<f8"), ("count", "u1", shifts.shape)
    buckets = np.empty(counts.size, [start, numbers[0], middle, numbers[1], end, numbers[2]])
    buckets["start"] = np.void(bytes((0x0A, buckets.itemsize - 2, 0x09)))
    buckets["middle"], buckets["end"] = 0x11, 0x18
    buckets["left"], buckets["width"], buckets["count"] = edges[:-1], np.diff(edges), digits
    return buckets.tobytes()


def _floats_for(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the smaller of float32 and float64 that holds all values of dtype, or else float64."""
    return np.dtype(np.float32 if np.can_cast(dtype, np.float32) else np.float64)


def _chunks(flat: _Array) -> Iterator[_Array]:
    """Yield flat piece by piece as float32 or float64; a chunk is good until the next one."""
    floats = _floats_for(flat.dtype)
    # One buffer for all: the pages of a new array each time would cost more than the arithmetic.
    buffer = np.empty(0 if flat.dtype == floats else min(flat.size, _CHUNK), floats)
    for start in range(0, flat.size, _CHUNK):
        chunk = flat[start : start + _CHUNK]
        if buffer.size:
            buffer[: chunk.size] = chunk
            chunk = buffer[: chunk.size]
        yield chunk


def _extent(chunk: _Array) -> _Extent:
    low, high = float(chunk.min()), float(chunk.max())
    # Both are NaN where one element is.
    if math.isfinite(low) and math.isfinite(high):
        return _Extent(chunk.size, 0, 0, low, high, float(chunk.sum(dtype=np.float64)))
    nan, pos_inf, finite = int(np.isnan(chunk).sum()), int((chunk == np.inf).sum()), chunk[np.isfinite(chunk)]
    low, high = float(finite.min(initial=np.inf)), float(finite.max(initial=-np.inf))
    return _Extent(finite.size, nan, pos_inf, low, high, float(finite.sum(dtype=np.float64)))


def _joined(extents: list[_Extent]) -> _Extent:
    finite, nan, pos_inf, low, high, total = zip(_Extent(0, 0, 0, math.inf, -math.inf, 0.0), *extents, strict=True)
    return _Extent(sum(finite), sum(nan), sum(pos_inf), min(low), max(high), sum(total))


def _bucket_number(finite: int) -> int:
    if finite <= 5:
        return 2
    if finite <= 10:
        return 3
    return finite // 10 + 1 if finite <= 880 else 90


def _edges(low: float, high: float, buckets: int) -> _Floats:
    """Return float64[buckets + 1] from low to high, or from further out where else a bucket had no width."""
    margin = 0.5 if low == high else 0.0
    smallest, largest = buckets * math.ulp(max(-low, high)), sys.float_info.max
    while True:
        edges = _spread(max(low - margin, -largest), min(high + margin, largest), buckets)
        if (np.diff(edges) > 0).all():
            return edges
        margin = max(2 * margin, smallest)


def _spread(low: float, high: float, buckets: int) -> _Floats:
    """Return float64[buckets + 1], evenly from low to high and, unlike np.linspace's, exact where a double can be."""
    # The widest range, times the number of buckets, is to be finite.
    unit = 1.0 if high - low < 2.0**1000 else 2.0**-10
    span = high * unit - low * unit
    edges: _Floats = (low * unit + span * np.arange(buckets + 1) / buckets) / unit
    edges[0], edges[-1] = low, high
    return edges


def _counts(flat: _Array, extent: _Extent, edges: _Floats) -> _Integers:
    """Return int64[buckets]: how many of the finite values lie between the edges."""
    counts = np.zeros(edges.size - 1, np.int64)
    if extent.low == extent.high:
        counts[edges[1:-1].searchsorted(extent.low, side="right")] = extent.finite
        return counts
    scale = _Scale(edges, _floats_for(flat.dtype), min(flat.size, _CHUNK))
    for chunk in _chunks(flat):
        finite = chunk if extent.finite == flat.size else chunk[np.isfinite(chunk)]
        counts += np.bincount(scale.buckets(finite), minlength=counts.size)
    return counts


class _Scale:
    """Finds buckets by arithmetic, ten times faster than by search in the edges and as exactly."""

    def __init__(self, edges: _Floats, floats: np.dtype[Any], size: int) -> None:
        """Prepare for chunks of size elements of dtype floats."""
        low, span = float(edges[0]), float(edges[-1] - edges[0])
        # Positions are understated by more than their rounding, so that no bucket is too high ...
        understated = 2.0**-22 if floats == np.float32 else 2.0**-30
        # ... and with 90 buckets at most, one can be too low, by one, only in this last part of a bucket.
        self._doubtful = floats.type(1 - 256 * understated)
        self._low, self._factor = floats.type(low), floats.type((edges.size - 1) / span * (1 - understated))
        self._inner, self._upper = edges[1:-1], np.append(edges[1:-1], np.inf)
        self._positions, self._wholes = np.empty((2, size), floats)
        self._is_doubtful = np.empty(size, np.bool_)
        self._short, self._buckets = np.empty(size, np.int32), np.empty(size, np.intp)
        # Elsewhere the edges are rounded too much, or differ from the range of the values, or arithmetic overflows.
        self._is_exact = 2.0**-100 < span < 2.0**100 and np.abs(edges).max() < 2.0**13 * span

    def buckets(self, chunk: _Array) -> npt.NDArray[np.intp]:
        """Return the bucket of each finite value; good until the next call."""
        if not self._is_exact:
            return self._inner.searchsorted(chunk, side="right")
        positions, wholes = self._positions[: chunk.size], self._wholes[: chunk.size]
        short, buckets = self._short[: chunk.size], self._buckets[: chunk.size]
        np.subtract(chunk, self._low, out=positions)
        np.multiply(positions, self._factor, out=positions)
        np.floor(positions, out=wholes)
        # By way of int32, for which processors have an instruction.
        short[:] = wholes
        buckets[:] = short
        np.subtract(positions, wholes, out=positions)
        self._settle(chunk, buckets, np.greater(positions, self._doubtful, out=self._is_doubtful[: chunk.size]))
        return buckets

    def _settle(self, chunk: _Array, buckets: npt.NDArray[np.intp], is_doubtful: npt.NDArray[np.bool_]) -> None:
        """Move the values that have reached the next edge."""
        number = np.count_nonzero(is_doubtful)
        if not number:
            return
        # All of them are as right, and cheaper than to select many.
        where = np.flatnonzero(is_doubtful) if number < chunk.size // 4 else slice(None)
        buckets[where] += chunk[where] >= self._upper[buckets[where]]
