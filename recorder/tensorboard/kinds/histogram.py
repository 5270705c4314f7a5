"""Histograms as TensorBoard's HistogramProto (tensorboard/compat/proto/histogram.proto).

The fields from 100 on are of our own: the numbers of NaN, inf and -inf, which no bucket contains.
"""

import struct
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto.framing import Buffer
from toposcope.proto.wire import WireType, bytes_head, key, varint
from toposcope.recorder.values.arrays.arrays import Array

_Array = npt.NDArray[Any]
_Floats = npt.NDArray[np.float64]
_Counts = npt.NDArray[np.int64]

_HISTO = 5
_NUMBERS = (1, 2, 3, 4, 5)  # min, max, num, sum, sum_squares
_LIMITS, _BUCKETS = 6, 7
_NOT_FINITE = (100, 101, 102)  # NaN, inf, -inf
# Elements per chunk: intermediate results stay in the cache, and no call holds the GIL for long.
_CHUNK = 65_536
_ONE_THREAD = 8_192
_LARGEST = np.finfo(np.float64).max


class Statistics(NamedTuple):
    """What HistogramProto says of the values beside their buckets."""

    min: float
    max: float
    num: float
    sum: float
    sum_squares: float


class RawHistogram(NamedTuple):
    """A histogram that was computed elsewhere."""

    statistics: Statistics
    limits: _Floats
    """float64[n], the right edges of the buckets, ascending."""
    counts: _Floats
    """float64[n]"""
    not_finite: tuple[int, ...] = ()
    """Numbers of NaN, inf and -inf; empty if they are unknown."""

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        parts = [
            key(field, WireType.DOUBLE) + _double(each) for field, each in zip(_NUMBERS, self.statistics, strict=True)
        ]
        for field, numbers in ((_LIMITS, self.limits), (_BUCKETS, self.counts)):
            content = numbers.astype("<f8").tobytes()
            parts += [bytes_head(field, len(content)), content]
        for field, count in zip(_NOT_FINITE, self.not_finite, strict=False):
            parts.append(key(field, WireType.VARINT) + varint(count))
        content = b"".join(parts)
        return [bytes_head(_HISTO, len(content)) + content]


class HistogramValue(NamedTuple):
    """The distribution of the values of an array."""

    array: Array
    bins: Any
    """None: TensorBoard's; otherwise what numpy.histogram() takes."""
    max_bins: int | None

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        return histogram_of(self.array.numbers().ravel(order="K"), self.bins, self.max_bins).fields()


def histogram_of(values: _Array, bins: Any = None, max_bins: int | None = None) -> RawHistogram:
    """Return the histogram of values; statistics and buckets are those of the finite ones.

    Args:
        values: [n], of real numbers.
        bins: None for default_limits(), otherwise what numpy.histogram() takes.
        max_bins: if there are more buckets, adjacent ones are joined.
    """
    with np.errstate(all="ignore"):
        statistics, not_finite = _statistics(values)
        if not statistics.num:
            return RawHistogram(statistics, np.zeros(1), np.zeros(1), not_finite)
        if bins is None:
            edges, counts = default_limits(), _default_counts(values, any(not_finite))
            if not (counts[0] or counts[-1]):  # The usual values: they are joined as other writers do.
                edges, counts = edges[1:-1], counts[1:-1]
        else:
            numbers = values.astype(np.float64)
            counts, edges = np.histogram(numbers[np.isfinite(numbers)] if any(not_finite) else numbers, bins)
        limits, counts = _trimmed(*_joined(edges, counts, max_bins))
    return RawHistogram(statistics, limits, counts.astype(np.float64), not_finite)


@lru_cache(maxsize=1)
def default_limits() -> _Floats:
    """Return the edges of TensorBoard's buckets: 0, ± 1e-12 * 1.1 ** k below 1e20, and ± the largest double."""
    limits = []
    limit = 1e-12
    while limit < 1e20:
        limits.append(limit)
        limit *= 1.1
    positive = np.array([*limits, _LARGEST])
    return np.concatenate([-positive[::-1], [0.0], positive])


def _double(number: float) -> bytes:
    return struct.pack("<d", number)


def _statistics(values: _Array) -> tuple[Statistics, tuple[int, int, int]]:
    """Return the statistics of the finite values, and the numbers of NaN, inf and -inf."""
    low, high, count, total, squares = np.inf, -np.inf, 0, 0.0, 0.0
    nan = pos_inf = 0
    for chunk in _chunks(values):
        finite, smallest, largest = chunk, np.minimum.reduce(chunk), np.maximum.reduce(chunk)
        if not (np.isfinite(smallest) and np.isfinite(largest)):  # Both are NaN if any value is.
            nan += int(np.isnan(chunk).sum())
            pos_inf += int((chunk == np.inf).sum())
            finite = chunk[np.isfinite(chunk)]
            smallest, largest = finite.min(initial=np.inf), finite.max(initial=-np.inf)
        low, high = min(low, float(smallest)), max(high, float(largest))
        doubles = finite.astype(np.float64, copy=False)
        count += doubles.size
        total += float(doubles.sum())
        squares += sum(float(part.dot(part)) for part in _parts(doubles))
    not_finite = nan, pos_inf, values.size - count - nan - pos_inf
    if not count:
        low = high = 0.0
    return Statistics(low, high, float(count), total, squares), not_finite


def _parts(doubles: _Floats) -> Iterator[_Floats]:
    """Yield parts that are so short that OpenBLAS does not distribute them to threads, which compete with training."""
    for start in range(0, doubles.size, _ONE_THREAD):
        yield doubles[start : start + _ONE_THREAD]


def _chunks(values: _Array) -> Iterator[_Array]:
    """Yield the values as float32 if it represents all of them, otherwise as float64."""
    floats = np.float32 if np.can_cast(values.dtype, np.float32) else np.float64
    for start in range(0, values.size, _CHUNK):
        yield values[start : start + _CHUNK].astype(floats, copy=False)


class _Table(NamedTuple):
    """The cells of floats with the same first bits: sign, exponent, first bits of the fraction; no two limits in one.

    An offset is added to the bits of a float before they are shifted: those that are beyond the limit in their cell,
    away from zero, then get to the next cell, which is of the same bucket. So every cell belongs to one bucket.
    """

    bits: Any
    """The integer type of a float's bits."""
    shift: Any
    """The number of bits by which they are shifted."""
    offsets: _Array
    """The offset of each cell, of the type bits; 0 if no limit is in it."""
    buckets: npt.NDArray[np.intp]
    """The bucket of each cell."""


@lru_cache(maxsize=2)
def _table(floats: np.dtype[Any]) -> _Table:
    """Return the table for float32 or float64: by sign, exponent and the five first bits of the fraction."""
    bits: Any = np.dtype(np.uint32) if floats == np.float32 else np.dtype(np.uint64)
    shift = bits.type(np.finfo(floats).nmant - 5)
    cell = bits.type(1) << shift
    first = np.arange(1 << int(8 * bits.itemsize - shift), dtype=bits) << shift  # The value that is closest to zero.
    limits = default_limits()
    with np.errstate(all="ignore"):
        nearest, farthest = (
            (limits.searchsorted(np.nan_to_num(each.view(floats), nan=0.0), side="right") - 1).clip(0, len(limits) - 2)
            for each in (first, first + (cell - bits.type(1)))
        )
        smallest = limits.astype(floats)  # The smallest float of each bucket.
        smallest = np.where(smallest < limits, np.nextafter(smallest, floats.type(np.inf)), smallest)
    is_negative = first >> bits.type(8 * bits.itemsize - 1) != 0
    # The first float beyond the limit: the smallest one of the next bucket, or the one after the smallest of this one.
    sign_bit = bits.type(1) << bits.type(8 * bits.itemsize - 1)
    beyond = np.where(
        is_negative,
        (smallest[nearest].view(bits) | sign_bit) + bits.type(1),
        smallest[nearest + 1].view(bits),
    )
    offsets = np.where(nearest != farthest, first + cell - beyond, bits.type(0))
    return _Table(bits, shift, offsets, nearest)


def _default_counts(values: _Array, has_not_finite: bool) -> _Counts:
    """Return the number of finite values in each of TensorBoard's buckets."""
    buckets = len(default_limits()) - 1
    counts = np.zeros(buckets, np.int64)
    by_cell: Any = 0
    buffers: _Buffers | None = None
    for chunk in _chunks(values):
        buffers = buffers or _Buffers(_table(chunk.dtype), min(values.size, _CHUNK))
        cells = buffers.cells(chunk[np.isfinite(chunk)] if has_not_finite else np.ascontiguousarray(chunk))
        if cells.size >= len(buffers.table.buckets):
            by_cell += np.bincount(cells, minlength=len(buffers.table.buckets))
        else:
            counts += np.bincount(buffers.table.buckets.take(cells), minlength=buckets)
    if buffers is not None and isinstance(by_cell, np.ndarray):
        np.add.at(counts, buffers.table.buckets, by_cell)
    return counts


class _Buffers:
    """Memory for intermediate results: allocating it for each chunk would cost more than the arithmetic."""

    def __init__(self, table: _Table, size: int) -> None:
        self.table = table
        self._cells = np.empty(size, np.intp)
        self._bits, self._offsets = (np.empty(size, table.bits) for _ in range(2))

    def cells(self, finite: _Array) -> npt.NDArray[np.intp]:
        """Return the cell of each value; the result is valid until the next call."""
        own = finite.view(self.table.bits)
        cells, bits, offsets = (each[: finite.size] for each in (self._cells, self._bits, self._offsets))
        np.copyto(cells, np.right_shift(own, self.table.shift, out=bits), casting="unsafe")
        self.table.offsets.take(cells, out=offsets, mode="clip")
        np.add(own, offsets, out=bits)
        np.copyto(cells, np.right_shift(bits, self.table.shift, out=bits), casting="unsafe")
        return cells


def _joined(edges: _Array, counts: _Array, max_bins: int | None) -> tuple[_Array, _Array]:
    """Return edges and counts of at most about max_bins buckets; as many adjacent ones are joined as needed."""
    if max_bins is None or len(counts) <= max_bins:
        return edges, counts
    step = len(counts) // max_bins
    starts = np.arange(0, len(counts), step)
    return np.append(edges[:-1][starts], edges[-1]), np.add.reduceat(counts, starts)


def _trimmed(edges: _Array, counts: _Array) -> tuple[_Floats, _Array]:
    """Return right edges and counts from an empty bucket before the first one with values to the last one with some."""
    filled = np.flatnonzero(counts)
    if not filled.size:
        return edges[-1:].astype(np.float64), np.zeros(1)
    first, last = int(filled[0]), int(filled[-1])
    return edges[first : last + 2].astype(np.float64), np.concatenate([[0], counts[first : last + 1]])
