"""Histograms of arrays: equal-width buckets of the finite values, and counts of NaN and infinities."""

import math
import struct
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto.wire import varint

_Array = npt.NDArray[Any]
_Floats = npt.NDArray[np.float64]
_Integers = npt.NDArray[np.int64]

# Elements per chunk: intermediate results stay in the cache, and no call holds the GIL for 0.1 ms.
_CHUNK = 65_536
# Up to this many values are sorted to count them: of few values, the calls of NumPy take longer than the arithmetic.
_FEW = 8192
_NUMBERS = struct.Struct("<BdBdBd")


class Histogram(NamedTuple):
    """The distribution of the values of an array."""

    total_count: int
    """Number of values, NaN and infinities included."""
    nan_count: int
    pos_inf_count: int
    neg_inf_count: int
    min: float
    """The smallest of the finite values, like max and sum; 0.0 if there are none."""
    max: float
    sum: float
    edges: _Floats
    """float64[buckets + 1], ascending; empty if no value is finite."""
    counts: _Integers
    """int64[buckets]: number of values with edges[i] <= value < edges[i + 1]; the last bucket includes max."""


class _Extent(NamedTuple):
    """Counts and range of values, from which the buckets follow; low > high if no value is finite."""

    finite: int
    nan: int
    pos_inf: int
    low: float
    high: float
    sum: float


def histogram_of(values: _Array) -> Histogram:
    """Return the histogram of values; integers are rounded to the nearest double.

    The number of buckets depends on the number of finite values, as in MindSpore. Unlike MindSpore's, the buckets have
    the same width for every dtype, up to rounding, and a width greater than zero. The sum is infinite or NaN if float64
    overflows.

    Args:
        values: any shape; bool, (u)int8 to (u)int64 or float16 to float64.
    """
    flat = values.ravel(order="K")
    with np.errstate(all="ignore"):
        extents = [_extent(chunk) for chunk in _chunks(flat)]
        extent = extents[0] if len(extents) == 1 else _merged(extents)
        neg_inf = flat.size - extent.finite - extent.nan - extent.pos_inf
        counted = (flat.size, extent.nan, extent.pos_inf, neg_inf)
        if not extent.finite:
            return Histogram(*counted, 0.0, 0.0, 0.0, np.empty(0), np.empty(0, np.int64))
        edges = bucket_edges(extent.low, extent.high, extent.finite)
        counts = _counts(flat, extent, edges)
    return Histogram(*counted, extent.low, extent.high, extent.sum, edges, counts)


def bucket_edges(low: float, high: float, finite: int) -> _Floats:
    """Return the edges, float64[buckets + 1], for a number of finite values in the range from low to high."""
    return _edges(low, high, _bucket_number(finite))


def encode(histogram: Histogram) -> bytes:
    """Return histogram as a Summary.Histogram message; like MindSpore's, it contains all fields, even if zero."""
    _, nan, pos_inf, neg_inf, low, high, total, _, _ = histogram
    return b"".join(
        (
            _encode_buckets(histogram.edges, histogram.counts),
            b"\x10" + varint(nan) + b"\x18" + varint(pos_inf) + b"\x20" + varint(neg_inf),
            _NUMBERS.pack(0x29, high, 0x31, low, 0x39, total),
            b"\x40" + varint(histogram.total_count),
        )
    )


def _encode_buckets(edges: _Floats, counts: _Integers) -> bytes:
    """Return the Bucket messages, all of the same length: varints may be padded."""
    digits = max(1, math.ceil(int(counts.max(initial=0)).bit_length() / 7))
    head = bytes((0x0A, 19 + digits, 0x09)) + bytes(8) + b"\x11" + bytes(8) + b"\x18"
    buckets = np.empty((counts.size, len(head) + digits), np.uint8)
    buckets[:, : len(head)] = np.frombuffer(head, np.uint8)
    buckets[:, 3:11], buckets[:, 12:20] = _bytes_of(edges[:-1]), _bytes_of(edges[1:] - edges[:-1])
    for digit in range(digits):
        buckets[:, len(head) + digit] = counts >> 7 * digit & 0x7F | (0x80 if digit < digits - 1 else 0)
    return buckets.tobytes()


def _bytes_of(numbers: _Floats) -> npt.NDArray[np.uint8]:
    """Return uint8[n, 8], the little-endian bytes of each number."""
    return numbers.astype("<f8", copy=False).view(np.uint8).reshape(-1, 8)


def _floats_for(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return float32 if it represents all values of dtype, else float64."""
    return np.dtype(np.float32 if np.can_cast(dtype, np.float32) else np.float64)


def _chunks(flat: _Array) -> Iterator[_Array]:
    """Yield flat in chunks of float32 or float64; a chunk is valid until the next one is yielded."""
    floats = _floats_for(flat.dtype)
    # One buffer for all chunks: allocating new pages each time would cost more than the arithmetic.
    buffer = np.empty(0 if flat.dtype == floats else min(flat.size, _CHUNK), floats)
    for start in range(0, flat.size, _CHUNK):
        chunk = flat[start : start + _CHUNK]
        if buffer.size:
            buffer[: chunk.size] = chunk
            chunk = buffer[: chunk.size]
        yield chunk


def _extent(chunk: _Array) -> _Extent:
    # The methods min(), max() and sum() of an array take twice as long for few elements.
    low, high = float(np.minimum.reduce(chunk)), float(np.maximum.reduce(chunk))
    # Both are NaN if any element is.
    if math.isfinite(low) and math.isfinite(high):
        return _Extent(chunk.size, 0, 0, low, high, float(np.add.reduce(chunk, dtype=np.float64)))
    nan, pos_inf, finite = int(np.isnan(chunk).sum()), int((chunk == np.inf).sum()), chunk[np.isfinite(chunk)]
    low, high = float(finite.min(initial=np.inf)), float(finite.max(initial=-np.inf))
    return _Extent(finite.size, nan, pos_inf, low, high, float(finite.sum(dtype=np.float64)))


def _merged(extents: list[_Extent]) -> _Extent:
    finite, nan, pos_inf, low, high, total = zip(_Extent(0, 0, 0, math.inf, -math.inf, 0.0), *extents, strict=True)
    return _Extent(sum(finite), sum(nan), sum(pos_inf), min(low), max(high), sum(total))


def _bucket_number(finite: int) -> int:
    if finite <= 5:
        return 2
    if finite <= 10:
        return 3
    return finite // 10 + 1 if finite <= 880 else 90


def _edges(low: float, high: float, buckets: int) -> _Floats:
    """Return float64[buckets + 1] from low to high, or from a wider range if a bucket would have no width."""
    margin = 0.5 if low == high else 0.0
    smallest, largest = buckets * math.ulp(max(-low, high)), sys.float_info.max
    while True:
        edges = _evenly_spaced(max(low - margin, -largest), min(high + margin, largest), buckets)
        if (edges[1:] > edges[:-1]).all():
            return edges
        margin = max(2 * margin, smallest)


def _evenly_spaced(low: float, high: float, buckets: int) -> _Floats:
    """Return float64[buckets + 1] from low to high, exact where a double can be, unlike the result of np.linspace."""
    # The range times the number of buckets must not overflow.
    unit = 1.0 if high - low < 2.0**1000 else 2.0**-10
    span = high * unit - low * unit
    edges: _Floats = np.arange(buckets + 1.0)
    edges *= span
    edges /= buckets
    edges += low * unit
    edges /= unit
    edges[0], edges[-1] = low, high
    return edges


def _counts(flat: _Array, extent: _Extent, edges: _Floats) -> _Integers:
    """Return int64[buckets]: the number of finite values in each bucket."""
    if flat.size <= _FEW:
        return _counts_of_few(flat if extent.finite == flat.size else flat[np.isfinite(flat)], edges)
    counts = np.zeros(edges.size - 1, np.int64)
    if extent.low == extent.high:
        counts[edges[1:-1].searchsorted(extent.low, side="right")] = extent.finite
        return counts
    scale = _Scale(edges, _floats_for(flat.dtype), min(flat.size, _CHUNK))
    for chunk in _chunks(flat):
        finite = chunk if extent.finite == flat.size else chunk[np.isfinite(chunk)]
        counts += np.bincount(scale.buckets(finite), minlength=counts.size)
    return counts


def _counts_of_few(finite: _Array, edges: _Floats) -> _Integers:
    """Return the number of values in each bucket; all are finite."""
    below = np.empty(edges.size, np.int64)
    below[0], below[1:-1], below[-1] = 0, np.sort(finite).searchsorted(edges[1:-1]), finite.size
    return below[1:] - below[:-1]


class _Scale:
    """Computes buckets by arithmetic, ten times faster than a search in the edges, with the same result."""

    def __init__(self, edges: _Floats, floats: np.dtype[Any], size: int) -> None:
        """Allocate buffers for chunks of up to size elements of dtype floats."""
        low, span = float(edges[0]), float(edges[-1] - edges[0])
        # Positions are lowered by more than their rounding error, so that no bucket is too high ...
        margin = 2.0**-22 if floats == np.float32 else 2.0**-30
        # ... and, with at most 90 buckets, too low by at most one, only in this last part of a bucket.
        self._uncertain_from = floats.type(1 - 256 * margin)
        self._low, self._factor = floats.type(low), floats.type((edges.size - 1) / span * (1 - margin))
        self._inner, self._upper = edges[1:-1], np.append(edges[1:-1], np.inf)
        self._positions, self._floors = np.empty((2, size), floats)
        self._is_uncertain = np.empty(size, np.bool_)
        self._int32_buckets, self._buckets = np.empty(size, np.int32), np.empty(size, np.intp)
        # Otherwise the edges are rounded too much, differ from the range of the values, or overflow.
        self._is_exact = 2.0**-100 < span < 2.0**100 and np.abs(edges).max() < 2.0**13 * span

    def buckets(self, chunk: _Array) -> npt.NDArray[np.intp]:
        """Return the bucket of each finite value; the result is valid until the next call."""
        if not self._is_exact:
            return self._inner.searchsorted(chunk, side="right")
        positions, floors = self._positions[: chunk.size], self._floors[: chunk.size]
        int32_buckets, buckets = self._int32_buckets[: chunk.size], self._buckets[: chunk.size]
        np.subtract(chunk, self._low, out=positions)
        np.multiply(positions, self._factor, out=positions)
        np.floor(positions, out=floors)
        # Through int32, as processors have no instruction that converts floats to int64.
        int32_buckets[:] = floors
        buckets[:] = int32_buckets
        np.subtract(positions, floors, out=positions)
        self._correct(chunk, buckets, np.greater(positions, self._uncertain_from, out=self._is_uncertain[: chunk.size]))
        return buckets

    def _correct(self, chunk: _Array, buckets: npt.NDArray[np.intp], is_uncertain: npt.NDArray[np.bool_]) -> None:
        """Increment the buckets of values that are not below the next edge."""
        count = np.count_nonzero(is_uncertain)
        if not count:
            return
        # Comparing all values gives the same result, and is cheaper than selecting many.
        where = np.flatnonzero(is_uncertain) if count < chunk.size // 4 else slice(None)
        buckets[where] += chunk[where] >= self._upper[buckets[where]]
