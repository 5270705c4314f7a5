"""Statistics of tensors."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from toposcope.server.values import statistics as module
from toposcope.server.values.statistics import Statistics, statistics


@given(
    st.sampled_from(["f2", "f4", "f8", "i1", "i8", "u8", "?"]).flatmap(
        lambda dtype: arrays(dtype, array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=9))
    )
)
def test_statistics_equal_those_of_numpy(values: np.ndarray[Any, Any]) -> None:
    """Extremes and counts are exact, including integers beyond 2^53; the mean is that of finite elements."""
    numbers = [float(value) for value in values.reshape(-1)]
    finite = values[np.isfinite(values)]

    summary = statistics(values)

    assert summary.total_count == values.size
    assert summary.nan_count == sum(number != number for number in numbers)
    assert (summary.pos_inf_count, summary.neg_inf_count) == (numbers.count(np.inf), numbers.count(-np.inf))
    if finite.size:
        assert (summary.min, summary.max) == (finite.min().item(), finite.max().item())
        with np.errstate(over="ignore", invalid="ignore"):
            assert summary.mean is not None
            np.testing.assert_allclose(summary.mean, finite.mean(dtype=np.float64), rtol=1e-12)
    else:
        assert (summary.min, summary.max, summary.mean) == (None, None, None)


def test_statistics_of_several_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chunk without finite elements does not affect the extremes."""
    monkeypatch.setattr(module, "_CHUNK", 2)
    values = np.array([[5, 1, np.nan, np.inf], [-np.inf, -2, 3, 9]])

    assert statistics(values) == Statistics(8, -2, 9, 16 / 5, 1, 1, 1)


def test_complex_numbers_are_compared_by_magnitude() -> None:
    """Complex numbers are not ordered."""
    summary = statistics(np.array([3 + 4j, -1j, complex("nan"), complex(0, np.inf)], np.complex64))

    assert summary == Statistics(4, 1, 5, 3, 1, 1, 0)


def test_statistics_of_integers_are_integers() -> None:
    """The largest uint64 is not a double."""
    summary = statistics(np.array([2**64 - 1, 0], np.uint64))

    assert (summary.min, summary.max) == (0, 2**64 - 1)
