"""Histograms of three encodings in one form."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.summary_values import histogram_proto, strings, tensorboard_tensor

from toposcope.proto.summary_pb2 import Summary
from toposcope.recorder.values.histogram import encode, histogram_of
from toposcope.server.values.histogram import MOST_BUCKETS, Histogram, read_histogram

LARGEST = sys.float_info.max


def rows(histogram: Histogram) -> list[tuple[float, float, float]]:
    """Return (left, width, count) of each bucket."""
    return list(zip(*(column.tolist() for column in histogram.buckets), strict=True))


def of_limits(payload: bytes) -> Histogram:
    """Read TensorBoard's HistogramProto."""
    return read_histogram(payload, "histogram", "tensorboard")


def of_tensor(values: list[list[float]], dims: list[int] | None = None) -> Histogram:
    """Read TensorBoard's newer form."""
    elements = [number for row in values for number in row]
    tensor = tensorboard_tensor(2, [len(values), 3] if dims is None else dims, double_val=elements)
    return read_histogram(tensor.SerializeToString(), "tensor", "tensorboard")


def test_what_the_recorder_writes_is_read_exactly() -> None:
    """Buckets, extremes and counts of a histogram of ours come back bit for bit."""
    values = np.append(np.random.default_rng(0).standard_normal(10_000), [np.nan, np.inf, np.inf, -np.inf])
    written = histogram_of(values)

    found = read_histogram(encode(written), "histogram", "mindspore")

    assert found[:7] == (10_004, written.min, written.max, written.sum, 1, 2, 1)
    np.testing.assert_array_equal(found.buckets.left, written.edges[:-1])
    np.testing.assert_array_equal(found.buckets.width, np.diff(written.edges))
    np.testing.assert_array_equal(found.buckets.counts, written.counts)


def test_histogram_without_finite_values_has_no_extremes() -> None:
    """Zeros stand in the file; nothing was between them."""
    found = read_histogram(encode(histogram_of(np.array([np.nan, np.inf]))), "histogram", "mindspore")

    assert (found.total_count, found.min, found.max, found.sum, rows(found)) == (2, None, None, 0.0, [])


def test_counts_beyond_a_double_are_exact() -> None:
    """Counts are integers there."""
    message = Summary.Histogram(count=2**53 + 1)
    message.buckets.add(left=0, width=1, count=2**53 + 1)

    found = read_histogram(message.SerializeToString(), "histogram", "mindspore")

    assert (found.total_count, rows(found)) == (2**53 + 1, [(0, 1, 2**53 + 1)])


def test_largest_doubles_are_no_edges() -> None:
    """TensorFlow's outermost limits are the largest doubles: the buckets end at the extremes of the values."""
    payload = histogram_proto([-LARGEST, -1, 0, 1, LARGEST], [0, 2, 3, 4, 5], min=-1.5, max=7, num=14, sum=3)

    found = of_limits(payload)

    assert found[:4] == (14, -1.5, 7, 3)
    assert rows(found) == [(-1.5, 0.5, 2), (-1, 1, 3), (0, 1, 4), (1, 6, 5)]


def test_tensorboard_counts_no_nan() -> None:
    """Its formats do not say how many there were, which is not zero."""
    payload = histogram_proto([1, 2], [1, 1], max=2, num=2)

    for found in (of_limits(payload), of_tensor([[0, 1, 1]])):
        assert (found.nan_count, found.pos_inf_count, found.neg_inf_count) == (None, None, None)


def test_empty_buckets_at_the_ends_go() -> None:
    """PyTorch and tensorboardX begin with an empty bucket whose limit is where the first one begins."""
    found = of_limits(histogram_proto([0.1, 0.2, 0.3, 0.4], [0, 2, 5, 0], min=0.15, max=0.3, num=7))

    assert rows(found) == [(0.15, pytest.approx(0.05), 2), (0.2, pytest.approx(0.1), 5)]


def test_extremes_that_are_zero_are_left_out_of_the_message() -> None:
    """Values from 0 on, as behind a ReLU, begin at 0."""
    assert rows(of_limits(histogram_proto([1, 2], [3, 4], max=2, num=7))) == [(0, 1, 3), (1, 1, 4)]


def test_limits_stand_in_for_extremes_that_are_not_known() -> None:
    """PyTorch writes NaN as the extremes of values with NaN among them, and counts those in num only."""
    found = of_limits(histogram_proto([0.9, 1.1], [0, 1], min=np.nan, max=np.nan, num=3, sum=np.nan))

    assert found.total_count == 3
    assert np.isnan([found.min, found.max, found.sum]).all()
    assert rows(found) == [(0.9, pytest.approx(0.2), 1)]


def test_extremes_that_contradict_the_limits_move_no_edge() -> None:
    """Edges never run backwards."""
    found = of_limits(histogram_proto([1, 2, 3], [1, 1, 1], min=5, max=-5, num=3))

    assert rows(found) == [(1, 0, 1), (1, 1, 1), (2, 1, 1)]


def test_histogram_of_nothing() -> None:
    """TensorFlow writes the largest doubles as its extremes: there are none."""
    assert of_limits(b"")[:4] == (0, None, None, 0)
    assert rows(of_limits(histogram_proto([], [], min=LARGEST, max=-LARGEST))) == []
    assert of_limits(histogram_proto([1], [0], min=LARGEST, max=-LARGEST)).min is None
    assert of_tensor([], [0, 3])[:4] == (0, None, None, None)


def test_newer_form_of_tensorboard() -> None:
    """A tensor of left edge, right edge and count; the extremes are those of the buckets that hold something."""
    found = of_tensor([[-1, 0, 0], [0, 1.5, 3], [1.5, 2, 4], [2, 3, 0]])

    assert found[:4] == (7, 0, 2, None)
    assert rows(found) == [(-1, 1, 0), (0, 1.5, 3), (1.5, 0.5, 4), (2, 1, 0)]


def test_counts_that_are_not_whole_stay_so() -> None:
    """Weights count as they are."""
    found = of_tensor([[0, 1, 0.5], [1, 2, 1.25]])

    assert (found.total_count, found.buckets.counts.tolist()) == (1.75, [0.5, 1.25])


@given(st.integers(MOST_BUCKETS + 1, 9 * MOST_BUCKETS))
def test_too_many_buckets_are_merged_and_their_counts_kept(number: int) -> None:
    """Neighbours become one, from the first edge to the last."""
    counts = np.arange(number, dtype=np.float64) + 1
    payload = histogram_proto((np.arange(number) + 1.0).tolist(), counts.tolist(), max=number, num=counts.sum())

    left, width, merged = of_limits(payload).buckets

    assert MOST_BUCKETS // 2 < len(merged) <= MOST_BUCKETS
    assert merged.sum() == counts.sum()
    assert (left[0], left[-1] + width[-1]) == (0, number)
    np.testing.assert_array_equal(left[1:], left[:-1] + width[:-1])


@pytest.mark.parametrize(
    ("payload", "kind", "says"),
    [
        (histogram_proto([1, 2], [1]), "histogram", "2 limits and 1 counts"),
        (b"\x32\x07" + bytes(7), "histogram", "doubles have 7 bytes"),
        (tensorboard_tensor(2, [2, 2], double_val=[1]).SerializeToString(), "tensor", "a histogram is a tensor of"),
        (strings(b"a").SerializeToString(), "tensor", "a histogram is a tensor of"),
        (bytes((4 << 20) + 1), "histogram", "expected 4194304 at most"),
    ],
)
def test_malformed_histograms_are_errors(payload: bytes, kind: str, says: str) -> None:
    """What is wrong is said."""
    with pytest.raises(ValueError, match=says):
        read_histogram(payload, kind, "tensorboard")


@given(
    st.binary(max_size=60),
    st.integers(0, 60),
    st.sampled_from([("histogram", "mindspore"), ("histogram", "tensorboard"), ("tensor", "tensorboard")]),
)
def test_hostile_bytes_are_an_error_at_worst(noise: bytes, at: int, encoding: tuple[str, str]) -> None:
    """Whatever stands in a payload is a histogram or raises ValueError."""
    for sound in (histogram_proto([1, 2], [1, 1], num=2), encode(histogram_of(np.arange(3)))):
        try:
            found = read_histogram(sound[:at] + noise + sound[at:], *encoding)
        except ValueError:
            continue
        assert len(found.buckets.left) == len(found.buckets.width) == len(found.buckets.counts)
