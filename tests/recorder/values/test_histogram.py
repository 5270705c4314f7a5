"""Histograms count every finite value once, in the bucket whose edges enclose it."""

import math
import sys
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from toposcope.proto.summary_pb2 import Summary
from toposcope.recorder.values import histogram
from toposcope.recorder.values.histogram import Histogram, encode, histogram_of

INTEGERS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
LARGEST = sys.float_info.max
# Shifts and factors result in ranges that are narrow relative to their offset, wide, tiny, and at the limits of floats.
SHIFTS = st.sampled_from([0.0, 0.1, 1.0, -3.0, 255.0, 1e4, 2.0**24, -1e6, 1e15, 1e16, 1e300])
FACTORS = st.sampled_from([1.0, 0.1, 1 / 3, 1e-6, 1e3, 1e-40, 1e30, 1e-310, 5e-324, 1e307])


def shape() -> st.SearchStrategy[tuple[int, ...]]:
    return arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=12)


def any_array(dtypes: list[str] = INTEGERS + FLOATS) -> st.SearchStrategy[np.ndarray]:
    """Generate arrays of any shape and real dtype, with NaN and infinities."""
    return st.sampled_from(dtypes).flatmap(lambda dtype: arrays.arrays(dtype, shape()))


@st.composite
def sample(draw: st.DrawFn) -> np.ndarray:
    """Draw up to 3,000 numbers, many of them equal or at edges."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    size, levels = draw(st.integers(1, 3000)), draw(st.sampled_from([1, 2, 3, 10, 91, 181, 256, None]))
    numbers = random.standard_normal(size) if levels is None else random.integers(0, levels, size).astype(float)
    with np.errstate(all="ignore"):
        values = (numbers * draw(FACTORS) + draw(SHIFTS)).astype(draw(st.sampled_from(FLOATS)))
        return np.where(random.random(size) < draw(st.sampled_from([0, 0, 0.1])), np.nan, values)


def count_naively(values: np.ndarray, edges: np.ndarray) -> list[int]:
    """Count the values in each bucket with a loop."""
    counts = [0] * (len(edges) - 1)
    for value in values.astype(np.float64).ravel().tolist():
        if math.isfinite(value):
            edges_below = sum(edge <= value for edge in edges.tolist())
            counts[min(edges_below, len(counts)) - 1] += 1
    return counts


def check(values: np.ndarray, result: Histogram) -> None:
    """Compare a histogram with the results of NumPy."""
    numbers = values.astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    non_finite = [np.isnan(numbers).sum(), (numbers == np.inf).sum(), (numbers == -np.inf).sum()]

    assert list(result[:4]) == [values.size, *non_finite]
    assert result.counts.sum() == finite.size
    assert (result.min, result.max) == ((finite.min(), finite.max()) if finite.size else (0.0, 0.0))
    if finite.size:
        assert (np.diff(result.edges) > 0).all()
        assert result.edges[0] <= result.min <= result.max <= result.edges[-1]
        assert result.counts.tolist() == np.histogram(finite, result.edges)[0].tolist()


@given(any_array())
def test_every_finite_value_is_in_its_bucket(values: np.ndarray) -> None:
    """For any shape and dtype, the counts are equal to those of a loop over the values."""
    result = histogram_of(values)

    check(values, result)
    assert result.counts.tolist() == (count_naively(values, result.edges) if len(result.counts) else [])


@given(sample(), st.sampled_from([0, 8192]))
def test_counts_match_numpy(values: np.ndarray, few: int) -> None:
    """The counts are exact for continuous and discrete values, and for wide, narrow and tiny ranges.

    That holds whether the values are few, and sorted, or not.
    """
    with mock.patch.object(histogram, "_FEW", few):
        check(values, histogram_of(values))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64", "uint8"])
def test_result_is_independent_of_chunks(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result does not depend on how the array is split into chunks."""
    values = (np.random.default_rng(1).standard_normal((70, 30)) * 9 + 100).astype(dtype)
    monkeypatch.setattr(histogram, "_FEW", 0)
    unsplit = histogram_of(values)
    monkeypatch.setattr(histogram, "_CHUNK", 999)
    split = histogram_of(values)

    assert split.counts.tolist() == unsplit.counts.tolist()
    assert split[:6] == unsplit[:6]
    assert split.sum == pytest.approx(values.sum(dtype=np.float64), rel=1e-12)


@pytest.mark.parametrize(
    ("finite", "buckets"),
    [(0, 0), (1, 2), (5, 2), (6, 3), (10, 3), (11, 2), (20, 3), (879, 88), (880, 89), (881, 90), (5000, 90)],
)
def test_number_of_buckets_depends_on_the_number_of_finite_values(finite: int, buckets: int) -> None:
    """The rule is MindSpore's; NaN are ignored."""
    values = np.append(np.arange(finite, dtype=np.float32), [np.nan] * 7)

    assert len(histogram_of(values).counts) == buckets


def test_buckets_of_integers_have_equal_width() -> None:
    """MindSpore's buckets of arange(20) have widths 6, 6 and 7."""
    assert histogram_of(np.arange(20)).edges.tolist() == [0, 19 / 3, 38 / 3, 19]


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float32", "float64"])
def test_value_at_an_edge_is_in_the_bucket_to_the_right(dtype: str) -> None:
    """Integer edges are exact, and the largest value is in the last bucket."""
    values = np.repeat(np.arange(256), 4).astype(dtype)
    result = histogram_of(values)

    assert result.edges[6::6].tolist() == list(range(17, 256, 17))
    assert result.counts[:6].sum() == 17 * 4
    assert result.counts[-6:].sum() == 18 * 4


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
@pytest.mark.parametrize("size", [1, 7, 5000])
@pytest.mark.parametrize("constant", [0, 1])
def test_range_of_a_constant_is_widened_by_one_half(dtype: str, size: int, constant: int) -> None:
    """The buckets span one unit around the constant, and one of them contains all values."""
    result = histogram_of(np.full(size, constant, dtype))

    assert (result.edges[0], result.edges[-1]) == (constant - 0.5, constant + 0.5)
    assert sorted(result.counts)[-2:] == [0, size]


@pytest.mark.parametrize("constant", [1e15, -1e16, 1e300, LARGEST, -LARGEST, 5e-324])
def test_range_of_a_large_constant_is_widened_further(constant: float) -> None:
    """If one half is lost in rounding, the range is still wide enough, and the edges are finite."""
    result = histogram_of(np.full(2000, constant))

    check(np.full(2000, constant), result)
    assert np.isfinite(result.edges).all()


@pytest.mark.parametrize(
    "pair", [(1.0, math.nextafter(1, 2)), (0.0, 5e-324), (-5e-324, 7e-322), (-LARGEST, LARGEST), (-LARGEST, 0.0)]
)
@pytest.mark.parametrize("size", [4, 1000])
def test_adjacent_and_most_distant_values(pair: tuple[float, float], size: int) -> None:
    """Neither rounding nor overflow results in a bucket of width zero."""
    values = np.resize(pair, size)

    check(values, histogram_of(values))


@pytest.mark.parametrize("values", [[2**64 - 1, 0, 2**63], [2**63 - 1, 2**63 - 2, 2**63 - 4000]])
def test_largest_integers_are_counted_as_doubles(values: list[int]) -> None:
    """Integers beyond 2**53 are rounded to the nearest double."""
    array = np.array(values, np.uint64)

    check(array, histogram_of(array))


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=50))
def test_sum_is_computed_in_float64(numbers: list[float]) -> None:
    """The sum of the finite values is computed in float64."""
    values = np.array([*numbers, math.nan, math.inf, -math.inf], np.float32)

    assert histogram_of(values).sum == pytest.approx(math.fsum(numbers), rel=1e-9, abs=1e-6)


def test_overflow_of_the_sum_is_not_an_error() -> None:
    """The sum is infinite."""
    assert histogram_of(np.full(3, LARGEST)).sum == math.inf


def buckets_of(message: Any) -> list[tuple[float, float, int]]:
    return [(bucket.left, bucket.width, bucket.count) for bucket in message.buckets]


@given(any_array() | sample())
def test_message_is_parsed_by_the_generated_class(values: np.ndarray) -> None:
    """All fields are present, including those that are zero."""
    result = histogram_of(values)
    message = Summary.Histogram.FromString(encode(result))

    lefts, widths = result.edges[:-1].tolist(), np.diff(result.edges).tolist()
    assert buckets_of(message) == list(zip(lefts, widths, result.counts.tolist(), strict=True))
    numbers = (message.nan_count, message.pos_inf_count, message.neg_inf_count, message.min, message.max)
    assert (message.count, *numbers) == result[:6]
    assert message.sum == result.sum or math.isnan(result.sum)
    assert len(message.ListFields()) == (8 if values.size > result[1] + result[2] + result[3] else 7)


@pytest.mark.parametrize("count", [0, 1, 127, 128, 2**14, 2**35 + 5, 2**63 - 1])
def test_counts_are_padded_to_equal_length(count: int) -> None:
    """The varints of small counts are padded to the length of the longest."""
    result = Histogram(count, 0, 0, 0, 0.0, 1.0, 0.5, np.array([0, 0.5, 1]), np.array([1, count]))

    assert buckets_of(Summary.Histogram.FromString(encode(result))) == [(0, 0.5, 1), (0.5, 0.5, count)]
