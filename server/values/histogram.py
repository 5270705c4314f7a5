"""Histograms in one form, decoded from the three encodings of event files."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

from toposcope.proto.summary_pb2 import Summary
from toposcope.server.values.fields import MAX_FIELDS, double, doubles, fields, integers
from toposcope.server.values.tensor import read_tensor

MAX_BUCKETS = 2000
"""Limit on buckets, which bounds replies; adjacent buckets are merged beyond it. TensorFlow writes 1549."""
_MAX_BYTES = 4 << 20

_Floats = npt.NDArray[np.float64]
_Counts = npt.NDArray[np.int64] | _Floats
_Extremes = tuple[float | None, float | None]


class Buckets(NamedTuple):
    """The buckets of a histogram; three arrays of equal length."""

    left: _Floats
    """float64[buckets]: left edges."""
    width: _Floats
    """float64[buckets]: widths."""
    counts: _Counts
    """int64[buckets], or float64[buckets] if the counts are not integers."""


class Histogram(NamedTuple):
    """The distribution of a tensor's values. Fields that an encoding lacks are None."""

    total_count: int | float
    """Number of values, as counted by the writer; the sum of the buckets if it did not count them."""
    min: float | None
    """Over the finite values, like max and sum; also None if there are none."""
    max: float | None
    sum: float | None
    """0.0 if no value is finite."""
    nan_count: int | None
    pos_inf_count: int | None
    neg_inf_count: int | None
    buckets: Buckets
    """At most MAX_BUCKETS."""


def read_histogram(payload: bytes, kind: str, dialect: str) -> Histogram:
    """Decode a histogram.

    Args:
        payload: Summary.Histogram of MindSpore; or, of TensorBoard, HistogramProto with kind "histogram", or a tensor
            of [left, right, count] with kind "tensor".
        kind: the field that contained the payload, one of scan.KINDS.
        dialect: "mindspore" or "tensorboard".

    Raises:
        ValueError: the payload is malformed or larger than 4 MiB.
    """
    if len(payload) > _MAX_BYTES:
        raise ValueError(f"a histogram has {len(payload)} bytes: expected at most {_MAX_BYTES}")
    with np.errstate(all="ignore"):  # Recorded values may be infinite or NaN.
        if kind == "tensor":
            return _of_tensor(payload)
        return _of_buckets(payload) if dialect == "mindspore" else _of_limits(payload)


def _of_buckets(payload: bytes) -> Histogram:
    """Decode a Summary.Histogram, see proto/summary.proto."""
    try:
        message = Summary.Histogram.FromString(payload)
    except DecodeError as error:
        raise ValueError(f"a histogram of {len(payload)} bytes is malformed: {error}") from error
    if len(message.buckets) > MAX_FIELDS:
        raise ValueError(f"a histogram has more than {MAX_FIELDS} buckets")
    finite = message.count != message.nan_count + message.pos_inf_count + message.neg_inf_count
    extremes: _Extremes = (message.min, message.max) if finite else (None, None)
    left = np.array([bucket.left for bucket in message.buckets], np.float64)
    width = np.array([bucket.width for bucket in message.buckets], np.float64)
    counts = np.array([bucket.count for bucket in message.buckets], np.int64)
    infinite = message.pos_inf_count, message.neg_inf_count
    return Histogram(message.count, *extremes, message.sum, message.nan_count, *infinite, _merged(left, width, counts))


def _of_limits(payload: bytes) -> Histogram:
    """Decode a HistogramProto of TensorBoard: min, max, num, sum = 1 to 4, bucket_limit = 6, bucket = 7.

    A missing field is 0. bucket[i] counts the values in [bucket_limit[i - 1], bucket_limit[i]). Our own files contain
    the numbers of NaN, inf and -inf in the fields 100 to 102; the others then describe the finite values.
    """
    extent = {1: 0.0, 2: 0.0, 3: 0.0, 4: 0.0}
    repeated: dict[int, list[memoryview]] = {6: [], 7: []}
    not_finite: dict[int, int | None] = {100: None, 101: None, 102: None}
    for number, content in fields(memoryview(payload)):
        if number in not_finite:
            not_finite[number] = int(integers([content])[0])
        elif number in extent:
            extent[number] = double(content)
        elif number in repeated:
            repeated[number].append(content)
    limits, counts = map(doubles, repeated.values())
    if len(limits) != len(counts):
        raise ValueError(f"a histogram has {len(limits)} limits and {len(counts)} counts")
    low, high, count, total = extent.values()
    count = count or float(counts.sum())  # Some writers leave it out.
    left, right, counts = _edged(limits, counts, low, high)
    extremes: _Extremes = (low, high) if count or counts.size else (None, None)
    nan, pos_inf, neg_inf = not_finite.values()
    count += (nan or 0) + (pos_inf or 0) + (neg_inf or 0)
    buckets = _merged(left, right - left, counts)
    return Histogram(_whole(count), *extremes, total, nan, pos_inf, neg_inf, buckets)


def _edged(limits: _Floats, counts: _Floats, low: float, high: float) -> tuple[_Floats, _Floats, _Floats]:
    """Return (left edges, right edges, counts) of the buckets from the first to the last one that is not empty.

    The outermost limits may be missing or the largest doubles. The buckets then end at the extremes of the values,
    unless these are unknown (they are NaN if one of the values is) or contradict the limits.
    """
    filled = np.flatnonzero(counts)
    if not filled.size:
        return np.empty(0), np.empty(0), np.empty(0)
    first, last = int(filled[0]), int(filled[-1])
    right = limits[first : last + 1].copy()
    left = np.append(limits[first - 1] if first else -np.inf, right[:-1])
    left[0] = _outermost(low, left[0], right[0])
    right[-1] = _outermost(high, right[-1], left[-1])
    return left, right, counts[first : last + 1]


def _outermost(extreme: float, limit: float, inner: float) -> float:
    """Return the outer edge of an outermost bucket: the extreme if it is in the bucket, else its limit."""
    outer = limit if abs(limit) < np.finfo(np.float64).max else inner
    is_inside = min(limit, inner) <= extreme <= max(limit, inner)
    return extreme if is_inside and np.isfinite(extreme) else outer


def _of_tensor(payload: bytes) -> Histogram:
    """Decode the newer form of TensorBoard, a tensor (buckets, 3) of left edge, right edge and count."""
    values = read_tensor(payload, "tensorboard").values
    if values is None or values.ndim != 2 or values.shape[1] != 3 or values.dtype.kind not in "fiu":
        raise ValueError("expected a histogram as a tensor (buckets, 3) of left edge, right edge and count")
    left, right, counts = values.astype(np.float64).T
    filled = np.flatnonzero(counts)
    extremes: _Extremes = (float(left[filled[0]]), float(right[filled[-1]])) if filled.size else (None, None)
    merged = _merged(left, right - left, counts)
    return Histogram(_whole(float(counts.sum())), *extremes, None, None, None, None, merged)


def _merged(left: _Floats, width: _Floats, counts: _Counts) -> Buckets:
    """Return at most MAX_BUCKETS buckets, with integer counts if all counts are whole."""
    if counts.size > MAX_BUCKETS:
        starts = np.arange(0, counts.size, -(-counts.size // MAX_BUCKETS))
        ends = np.append(starts[1:], counts.size) - 1
        width = left[ends] + width[ends] - left[starts]
        left, counts = left[starts], np.add.reduceat(counts, starts)
    is_whole = counts.dtype.kind == "i" or bool(np.all(np.abs(counts) < 2**53) and np.all(counts == np.floor(counts)))
    return Buckets(left, width, counts.astype(np.int64) if is_whole else counts)


def _whole(count: float) -> int | float:
    return int(count) if count.is_integer() and abs(count) < 2**53 else count
