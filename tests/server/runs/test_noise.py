"""Which series are smoothed by default, and how much."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.server.runs.statistics.noise import FEWEST, HALF_LIVES, is_rough, smoothing_for
from toposcope.server.runs.statistics.smoothing import Automatic, Average, Smoothing, TimedAverage

AUTO = Automatic()
noise = np.random.default_rng(7).normal(size=200_000)
fall = np.exp(-np.linspace(0, 6, 20_000))


def automatic(value: np.ndarray, stride: float = 1) -> Smoothing | None:
    """Return the default smoothing of values at equal distances."""
    return smoothing_for(AUTO, value, np.arange(len(value)) * np.float64(stride))


def test_requested_smoothing_is_used_whatever_the_series_is() -> None:
    """A method, or none."""
    assert smoothing_for(Average(0.9), fall, fall) == Average(0.9)
    assert smoothing_for(None, noise, noise) is None


@pytest.mark.parametrize(
    "value",
    [noise, 2 * fall + 0.1 * noise[:20_000], (noise > 2).astype(float), np.where(noise > 3.5, np.nan, noise)],
    ids=["noise", "falling with noise", "rare ones", "with NaN"],
)
def test_long_noisy_series_are_smoothed(value: np.ndarray) -> None:
    """Whatever their scale is."""
    assert isinstance(automatic(value), TimedAverage)
    assert isinstance(automatic(1e-9 * value + 5), TimedAverage)


@pytest.mark.parametrize(
    "value",
    [
        noise[: FEWEST - 1],
        fall,
        np.sin(np.linspace(0, 300, 20_000)),
        np.arange(20_000) // 3000,
        np.where(np.arange(20_000) % 997 == 0, 100.0, fall),
        np.full(1000, 3.0),
        np.full(1000, np.nan),
    ],
    ids=["few points", "falling", "waves", "stairs", "spikes", "constant", "NaN"],
)
def test_other_series_are_not(value: np.ndarray) -> None:
    """Few points, and points that are near their neighbours, but for a few spikes."""
    assert automatic(value.astype(float)) is None


@given(st.integers(FEWEST, 200_000), st.floats(1e-6, 1e6))
def test_half_life_is_a_share_of_the_range(length: int, stride: float) -> None:
    """It is a power of two; the range is that of at least four fifths of the points."""
    smoothing = automatic(noise[:length], stride)
    assert isinstance(smoothing, TimedAverage)
    half_life = smoothing.half_life
    assert np.log2(half_life).is_integer()
    assert half_life <= max(2**-9, length * stride / HALF_LIVES)
    assert half_life >= 0.75 * (length - 1) * stride / HALF_LIVES / 2


def test_growing_series_is_rarely_smoothed_otherwise() -> None:
    """While it grows sixteenfold, the half-life changes as often as it doubles."""
    chosen = [automatic(noise[:length]) for length in range(1000, 16_000, 10)]
    assert sum(a != b for a, b in pairwise(chosen)) == 4


@given(st.lists(st.floats() | st.just(1e308), max_size=40).map(np.array))
def test_any_values_are_judged(value: np.ndarray) -> None:
    """Without an error or a warning."""
    assert is_rough(np.array(value, float)) in (True, False)
