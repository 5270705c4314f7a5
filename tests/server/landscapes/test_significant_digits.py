"""Rounding to significant digits equals decimal formatting, whatever the magnitude and the processor."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.server.landscapes.files.logarithm import log10_of_losses
from toposcope.server.landscapes.significant_digits import round_to_digits

digits = st.integers(1, 17)
ties = st.builds(
    lambda half, power: (half + 0.5) * float(f"1e{power}"), st.integers(-(10**6), 10**6), st.integers(-9, 9)
)
powers = st.builds(
    lambda power, toward: math.nextafter(float(f"1e{power}"), toward),
    st.integers(-320, 307),
    st.sampled_from([0, math.inf]),
)


@given(st.lists(st.floats() | ties | powers), digits)
def test_rounding_equals_formatting(values: list[float], digits: int) -> None:
    """Each value is the double that is read from its shortest decimal of so many digits."""
    rounded = round_to_digits(np.array(values, np.float64), digits).tolist()

    for value, result in zip(values, rounded, strict=True):
        expected = float(f"{value:.{digits - 1}e}")
        assert repr(result) == repr(expected if math.isfinite(expected) else value)


@pytest.mark.parametrize(
    ("value", "digits", "rounded"),
    [
        (-2e300 / 3, 6, -6.66667e299),
        (1.7976931348623157e308, 3, 1.7976931348623157e308),
        (0.5, 1, 0.5),
        (2.5, 1, 2.0),
        (1.005, 3, 1.0),
        (9.9999999, 6, 10.0),
        (-0.0, 3, -0.0),
    ],
)
def test_rounding_of_extremes_and_ties(value: float, digits: int, rounded: float) -> None:
    """Large values are rounded exactly, ties to even; a value that would round to infinity is unchanged."""
    assert repr(round_to_digits(np.array([[value]]), digits).item()) == repr(rounded)


def test_logarithms_are_those_of_the_c_library() -> None:
    """They do not depend on NumPy's vectorized functions; losses that are not positive have none."""
    losses = np.exp(np.random.default_rng(0).normal(size=(64, 64)) * 3)

    assert log10_of_losses(losses).tolist() == [[math.log10(loss) for loss in row] for row in losses.tolist()]
    special = log10_of_losses(np.array([0.0, -1.0, math.nan, math.inf, 1000.0]))
    np.testing.assert_array_equal(special, [math.nan, math.nan, math.nan, math.inf, 3])
