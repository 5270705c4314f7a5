"""Histograms of three encodings in one form."""

import math
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.summary_values import histogram_proto, strings, tensorboard_tensor

from toposcope.proto.summary_pb2 import Summary
from toposcope.recorder.values.histogram import encode, histogram_of
from toposcope.server.values.histogram import MAX_BUCKETS, Histogram, read_histogram

LARGEST = sys.float_info.max


def rows(histogram: Histogram) -> list[tuple[float, float, float]]:
    """Return (left, width, count) of each bucket."""
    return list(zip(*(column.tolist() for column in histogram.buckets), strict=True))


def of_limits(payload: bytes) -> Histogram:
    """Decode a HistogramProto of TensorBoard."""
    return read_histogram(payload, "histogram", "tensorboard")


def of_tensor(values: list[list[float]], dims: list[int] | None = None) -> Histogram:
    """Decode the newer form of TensorBoard."""
    elements = [number for row in values for number in row]
    tensor = tensorboard_tensor(2, [len(values), 3] if dims is None else dims, double_val=elements)
    return read_histogram(tensor.SerializeToString(), "tensor", "tensorboard")


def test_histograms_of_the_recorder_are_exact() -> None:
    """Buckets, extremes and counts are equal bit for bit."""
    values = np.append(np.random.default_rng(0).standard_normal(10_000), [np.nan, np.inf, np.inf, -np.inf])
    written = histogram_of(values)

    histogram = read_histogram(encode(written), "histogram", "mindspore")

    assert histogram[:7] == (10_004, written.min, written.max, written.sum, 1, 2, 1)
    np.testing.assert_array_equal(histogram.buckets.left, written.edges[:-1])
    np.testing.assert_array_equal(histogram.buckets.width, np.diff(written.edges))
    np.testing.assert_array_equal(histogram.buckets.counts, written.counts)


def test_histogram_without_finite_values_has_no_extremes() -> None:
    """The file has zeros instead."""
    histogram = read_histogram(encode(histogram_of(np.array([np.nan, np.inf]))), "histogram", "mindspore")

    assert histogram[:4] == (2, None, None, 0.0)
    assert rows(histogram) == []


def test_counts_beyond_a_double_are_exact() -> None:
    """Counts are integers."""
    message = Summary.Histogram(count=2**53 + 1)
    message.buckets.add(left=0, width=1, count=2**53 + 1)

    histogram = read_histogram(message.SerializeToString(), "histogram", "mindspore")

    assert (histogram.total_count, rows(histogram)) == (2**53 + 1, [(0, 1, 2**53 + 1)])


def test_largest_doubles_are_not_edges() -> None:
    """The outermost limits of TensorFlow are the largest doubles: the buckets end at the extremes of the values."""
    payload = histogram_proto([-LARGEST, -1, 0, 1, LARGEST], [0, 2, 3, 4, 5], min=-1.5, max=7, num=14, sum=3)

    histogram = of_limits(payload)

    assert histogram[:4] == (14, -1.5, 7, 3)
    assert rows(histogram) == [(-1.5, 0.5, 2), (-1, 1, 3), (0, 1, 4), (1, 6, 5)]


def test_nan_count_of_tensorboard_is_unknown() -> None:
    """Its encodings do not record the number, which is thus not zero."""
    payload = histogram_proto([1, 2], [1, 1], max=2, num=2)

    for histogram in (of_limits(payload), of_tensor([[0, 1, 1]])):
        assert (histogram.nan_count, histogram.pos_inf_count, histogram.neg_inf_count) == (None, None, None)


def test_a_histogram_without_a_count_has_that_of_its_buckets() -> None:
    """Some writers leave the number of values out."""
    assert of_limits(histogram_proto([1, 2], [3, 4], max=2)).total_count == 7


def test_values_that_are_not_finite_are_counted_in_fields_of_our_own() -> None:
    """The fields 100 to 102 have the numbers of NaN, inf and -inf; the others describe the finite values."""
    payload = histogram_proto([1, 2], [0, 4], min=1, max=2, num=4, sum=6) + bytes.fromhex("a00601a80602b00603")

    histogram = of_limits(payload)

    assert (histogram.nan_count, histogram.pos_inf_count, histogram.neg_inf_count) == (1, 2, 3)
    assert (histogram.total_count, histogram.sum) == (10, 6)


def test_empty_buckets_at_the_ends_are_dropped() -> None:
    """PyTorch and tensorboardX record an empty first bucket, which ends at the first left edge."""
    histogram = of_limits(histogram_proto([0.1, 0.2, 0.3, 0.4], [0, 2, 5, 0], min=0.15, max=0.3, num=7))

    expected: list[Any] = [(0.15, pytest.approx(0.05), 2), (0.2, pytest.approx(0.1), 5)]
    assert rows(histogram) == expected


def test_missing_extremes_are_zero() -> None:
    """Values from 0, such as outputs of a ReLU, begin at 0."""
    assert rows(of_limits(histogram_proto([1, 2], [3, 4], max=2, num=7))) == [(0, 1, 3), (1, 1, 4)]


def test_limits_replace_unknown_extremes() -> None:
    """PyTorch records NaN as the extremes if a value is NaN, and counts NaN only in num."""
    histogram = of_limits(histogram_proto([0.9, 1.1], [0, 1], min=np.nan, max=np.nan, num=3, sum=np.nan))

    assert histogram.total_count == 3
    numbers = histogram.min, histogram.max, histogram.sum
    assert all(number is not None and math.isnan(number) for number in numbers)
    expected: list[Any] = [(0.9, pytest.approx(0.2), 1)]
    assert rows(histogram) == expected


def test_extremes_that_contradict_the_limits_are_ignored() -> None:
    """Edges are always ascending."""
    histogram = of_limits(histogram_proto([1, 2, 3], [1, 1, 1], min=5, max=-5, num=3))

    assert rows(histogram) == [(1, 0, 1), (1, 1, 1), (2, 1, 1)]


def test_empty_histogram_has_no_extremes() -> None:
    """TensorFlow records the largest doubles."""
    assert of_limits(b"")[:4] == (0, None, None, 0)
    assert rows(of_limits(histogram_proto([], [], min=LARGEST, max=-LARGEST))) == []
    assert of_limits(histogram_proto([1], [0], min=LARGEST, max=-LARGEST)).min is None
    assert of_tensor([], [0, 3])[:4] == (0, None, None, None)


def test_newer_form_of_tensorboard() -> None:
    """A tensor of left edge, right edge and count; the extremes are those of buckets that are not empty."""
    histogram = of_tensor([[-1, 0, 0], [0, 1.5, 3], [1.5, 2, 4], [2, 3, 0]])

    assert histogram[:4] == (7, 0, 2, None)
    assert rows(histogram) == [(-1, 1, 0), (0, 1.5, 3), (1.5, 0.5, 4), (2, 1, 0)]


def test_fractional_counts_are_kept() -> None:
    """Weights may be fractional."""
    histogram = of_tensor([[0, 1, 0.5], [1, 2, 1.25]])

    assert (histogram.total_count, histogram.buckets.counts.tolist()) == (1.75, [0.5, 1.25])


@given(st.integers(MAX_BUCKETS + 1, 9 * MAX_BUCKETS))
def test_too_many_buckets_are_merged(number: int) -> None:
    """Adjacent buckets are merged, the range and the total count are kept."""
    counts = np.arange(number, dtype=np.float64) + 1
    payload = histogram_proto((np.arange(number) + 1.0).tolist(), counts.tolist(), max=number, num=counts.sum())

    left, width, merged = of_limits(payload).buckets

    assert MAX_BUCKETS // 2 < len(merged) <= MAX_BUCKETS
    assert merged.sum() == counts.sum()
    assert (left[0], left[-1] + width[-1]) == (0, number)
    np.testing.assert_array_equal(left[1:], left[:-1] + width[:-1])


@pytest.mark.parametrize(
    ("payload", "kind", "error"),
    [
        (histogram_proto([1, 2], [1]), "histogram", "2 limits and 1 counts"),
        (b"\x32\x07" + bytes(7), "histogram", "doubles have 7 bytes"),
        (
            tensorboard_tensor(2, [2, 2], double_val=[1]).SerializeToString(),
            "tensor",
            "expected a histogram as",
        ),
        (strings(b"a").SerializeToString(), "tensor", "expected a histogram as"),
        (bytes((4 << 20) + 1), "histogram", "expected at most 4194304"),
    ],
)
def test_malformed_histograms_are_errors(payload: bytes, kind: str, error: str) -> None:
    """The error states what is wrong."""
    with pytest.raises(ValueError, match=error):
        read_histogram(payload, kind, "tensorboard")


@given(
    st.binary(max_size=60),
    st.integers(0, 60),
    st.sampled_from([("histogram", "mindspore"), ("histogram", "tensorboard"), ("tensor", "tensorboard")]),
)
def test_arbitrary_bytes_are_a_histogram_or_a_value_error(noise: bytes, at: int, encoding: tuple[str, str]) -> None:
    """No other exception is raised."""
    for valid in (histogram_proto([1, 2], [1, 1], num=2), encode(histogram_of(np.arange(3)))):
        try:
            histogram = read_histogram(valid[:at] + noise + valid[at:], *encoding)
        except ValueError:
            continue
        assert len(histogram.buckets.left) == len(histogram.buckets.width) == len(histogram.buckets.counts)
