"""Histograms in one form, from the three encodings that event files hold."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from google.protobuf.message import DecodeError

from toposcope.proto.summary_pb2 import Summary
from toposcope.server.values.fields import MOST_FIELDS, double, doubles, fields
from toposcope.server.values.tensor import read_tensor

MOST_BUCKETS = 2000
"""Neighbours of a histogram with more are merged, so that no file makes a reply unbounded; TensorFlow writes 1549."""
_MOST_BYTES = 4 << 20

_Floats = npt.NDArray[np.float64]
_Counts = npt.NDArray[np.int64] | _Floats
_Extremes = tuple[float | None, float | None]


class Buckets(NamedTuple):
    """Where the values lie; three arrays of equal length."""

    left: _Floats
    """float64[buckets]: where each bucket begins."""
    width: _Floats
    """float64[buckets]."""
    counts: _Counts
    """int64[buckets], or float64[buckets] when the writer's counts are not whole."""


class Histogram(NamedTuple):
    """How the values of a tensor are distributed. None stands for what an encoding does not say."""

    total_count: int | float
    """All values, as the writer counted them."""
    min: float | None
    """Over the finite values, like max and sum; None, too, when there are none."""
    max: float | None
    sum: float | None
    """0.0 when no value is finite."""
    nan_count: int | None
    pos_inf_count: int | None
    neg_inf_count: int | None
    buckets: Buckets
    """MOST_BUCKETS at most."""


def read_histogram(payload: bytes, kind: str, dialect: str) -> Histogram:
    """Return a histogram; the counts are the writer's, whatever became of the edges.

    Args:
        payload: MindSpore's Summary.Histogram; TensorBoard's HistogramProto, of kind "histogram", or tensor of
            [left, right, count], of kind "tensor".
        kind: what field it stood in, one of scan.KINDS.
        dialect: "mindspore" or "tensorboard".

    Raises:
        ValueError: the payload is malformed or larger than 4 MiB.
    """
    if len(payload) > _MOST_BYTES:
        raise ValueError(f"a histogram has {len(payload)} bytes: expected {_MOST_BYTES} at most")
    with np.errstate(all="ignore"):  # What writers put there may be infinite or NaN.
        if kind == "tensor":
            return _of_tensor(payload)
        return _of_buckets(payload) if dialect == "mindspore" else _of_limits(payload)


def _of_buckets(payload: bytes) -> Histogram:
    """Read a Summary.Histogram, see proto/summary.proto."""
    try:
        message = Summary.Histogram.FromString(payload)
    except DecodeError as error:
        raise ValueError(f"a histogram of {len(payload)} bytes is malformed: {error}") from error
    if len(message.buckets) > MOST_FIELDS:
        raise ValueError(f"a histogram has more than {MOST_FIELDS} buckets")
    finite = message.count != message.nan_count + message.pos_inf_count + message.neg_inf_count
    extremes: _Extremes = (message.min, message.max) if finite else (None, None)
    left = np.array([bucket.left for bucket in message.buckets], np.float64)
    width = np.array([bucket.width for bucket in message.buckets], np.float64)
    counts = np.array([bucket.count for bucket in message.buckets], np.int64)
    infinite = message.pos_inf_count, message.neg_inf_count
    return Histogram(message.count, *extremes, message.sum, message.nan_count, *infinite, _merged(left, width, counts))


def _of_limits(payload: bytes) -> Histogram:
    """Read TensorBoard's HistogramProto: min, max, num, sum = 1 to 4, bucket_limit = 6, bucket = 7.

    A field that is left out is 0. bucket[i] counts the values below bucket_limit[i] and not below the limit before.
    """
    extent = {1: 0.0, 2: 0.0, 3: 0.0, 4: 0.0}
    repeated: dict[int, list[memoryview]] = {6: [], 7: []}
    for number, content in fields(memoryview(payload)):
        if number in extent:
            extent[number] = double(content)
        elif number in repeated:
            repeated[number].append(content)
    limits, counts = map(doubles, repeated.values())
    if len(limits) != len(counts):
        raise ValueError(f"a histogram has {len(limits)} limits and {len(counts)} counts")
    low, high, count, total = extent.values()
    left, right, counts = _edged(limits, counts, low, high)
    extremes: _Extremes = (low, high) if count or counts.size else (None, None)
    return Histogram(_whole(count), *extremes, total, None, None, None, _merged(left, right - left, counts))


def _edged(limits: _Floats, counts: _Floats, low: float, high: float) -> tuple[_Floats, _Floats, _Floats]:
    """Return (left edges, right edges, counts) of the buckets from the first to the last that holds something.

    The outermost limits may be the largest doubles, or left out: there the buckets end at the extremes of the values,
    unless these are not known (NaN among the values makes them NaN) or contradict the limits.
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
    """Return where an outermost bucket ends: at the extreme, if it is in the bucket, else at its limit."""
    outer = limit if abs(limit) < np.finfo(np.float64).max else inner
    is_inside = min(limit, inner) <= extreme <= max(limit, inner)
    return extreme if is_inside and np.isfinite(extreme) else outer


def _of_tensor(payload: bytes) -> Histogram:
    """Read TensorBoard's newer form, a tensor (buckets, 3) of left edge, right edge and count."""
    values = read_tensor(payload, "tensorboard").values
    if values is None or values.ndim != 2 or values.shape[1] != 3 or values.dtype.kind not in "fiu":
        raise ValueError("a histogram is a tensor of [left, right, count]")
    left, right, counts = values.astype(np.float64).T
    filled = np.flatnonzero(counts)
    extremes: _Extremes = (float(left[filled[0]]), float(right[filled[-1]])) if filled.size else (None, None)
    merged = _merged(left, right - left, counts)
    return Histogram(_whole(float(counts.sum())), *extremes, None, None, None, None, merged)


def _merged(left: _Floats, width: _Floats, counts: _Counts) -> Buckets:
    """Return at most MOST_BUCKETS buckets; whole counts as integers."""
    if counts.size > MOST_BUCKETS:
        starts = np.arange(0, counts.size, -(-counts.size // MOST_BUCKETS))
        ends = np.append(starts[1:], counts.size) - 1
        width = left[ends] + width[ends] - left[starts]
        left, counts = left[starts], np.add.reduceat(counts, starts)
    is_whole = counts.dtype.kind == "i" or bool(np.all(np.abs(counts) < 2**53) and np.all(counts == np.floor(counts)))
    return Buckets(left, width, counts.astype(np.int64) if is_whole else counts)


def _whole(count: float) -> int | float:
    return int(count) if count.is_integer() and abs(count) < 2**53 else count
