"""Histograms and precision-recall curves against slow, obvious versions."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from toposcope.recorder.tensorboard.kinds.histogram import default_limits, histogram_of
from toposcope.recorder.tensorboard.kinds.pr_curve import pr_curve


def slow_histogram(values: npt.NDArray[np.floating]) -> tuple[list[float], list[float]]:
    """Return right edges and counts of the buckets of finite values, one value at a time."""
    limits = default_limits()
    counts = np.zeros(len(limits) - 1)
    for value in values[np.isfinite(values)].astype(np.float64):
        counts[min(np.searchsorted(limits, value, "right"), len(counts)) - 1] += 1
    filled = np.flatnonzero(counts)
    if not filled.size:
        return [0.0], [0.0]
    first, last = filled[0], filled[-1]
    return limits[first : last + 2].tolist(), [0.0, *counts[first : last + 1]]


@given(st.one_of(*(arrays.arrays(dtype, st.integers(1, 30)) for dtype in (np.float16, np.float32, np.float64))))
def test_histograms_are_those_of_a_search(values: npt.NDArray[np.floating]) -> None:
    """Any bits of floats are counted in the bucket that a search finds, NaN and infinities apart."""
    histogram = histogram_of(values)

    edges, counts = slow_histogram(values)
    assert histogram.counts.tolist() == counts
    assert histogram.limits.tolist() == edges
    assert histogram.not_finite == (np.isnan(values).sum(), (values == np.inf).sum(), (values == -np.inf).sum())


@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 1), st.floats(0, 3)), min_size=1, max_size=20), st.integers(2, 127)
)
def test_curves_are_those_of_counting(rows: list[tuple[bool, float, float]], thresholds: int) -> None:
    """At each threshold the counts are the weights of the predictions that reach it, and of those that do not."""
    labels, predictions, weights = (np.array(column) for column in zip(*rows, strict=True))

    curve = pr_curve(labels, predictions, weights, thresholds)

    for threshold in range(thresholds):
        is_above = np.floor(predictions * (thresholds - 1)) >= threshold
        counts = [weights[mask].sum() for mask in (is_above & labels, is_above & ~labels, ~is_above & ~labels)]
        np.testing.assert_allclose(curve[:3, threshold], counts, atol=1e-9)


@pytest.mark.parametrize("floats", [np.float32, np.float64])
@pytest.mark.parametrize("repeated", [1, 20])
def test_a_value_at_the_edge_of_a_bucket_is_counted_where_numpy_counts_it(floats: Any, repeated: int) -> None:
    """Each limit, its neighbours, both zeros, and the smallest and largest floats of both signs; few or many values."""
    limits = default_limits()
    with np.errstate(over="ignore"):
        edges = limits.astype(floats)
        near = [edges, np.nextafter(edges, floats(np.inf)), np.nextafter(edges, floats(-np.inf))]
    extremes = [np.finfo(floats).max, np.finfo(floats).tiny, np.finfo(floats).smallest_subnormal, floats(0)]
    values = np.tile(np.concatenate([*near, extremes, np.negative(extremes)]), repeated)
    values = values[np.isfinite(values)]
    expected, _ = np.histogram(values.astype(np.float64), limits)
    histogram = histogram_of(values)
    first = int(np.flatnonzero(expected)[0])
    assert histogram.counts[1:].tolist() == expected[first : first + len(histogram.counts) - 1].tolist()
    assert histogram.counts.sum() == len(values)
