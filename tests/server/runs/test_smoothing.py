"""Smoothing of one series: each method against a slow and simple implementation."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.server.runs.statistics.running_median import WIDEST, running_median
from toposcope.server.runs.statistics.smoothing import Average, Median, Smoothing, TimedAverage, parse_smoothing, smooth

INF = float("inf")
values = st.lists(st.floats(width=32) | st.sampled_from([np.nan, np.inf, -np.inf]), max_size=300).map(np.array)
gaps = st.integers(-5, 1000) | st.floats(0, 1e6) | st.sampled_from([0, 1, np.nan, np.inf, -np.inf])


def close(result: np.ndarray, expected: list[float], value: np.ndarray) -> bool:
    """Return whether numbers agree up to rounding errors relative to the size of the values."""
    scale = np.abs(value[np.isfinite(value)]).max(initial=0.0)
    return np.allclose(result, expected, rtol=1e-9, atol=1e-12 * scale, equal_nan=True)


@given(values, st.floats(0, 0.9999))
def test_average_equals_the_recurrence(value: np.ndarray, weight: float) -> None:
    """The weighted sum divided by the sum of the weights, over finite values only."""
    expected, total, weights = [], 0.0, 0.0
    for x in value.tolist():
        if np.isfinite(x):
            total, weights = weight * total + x, weight * weights + 1
            expected.append(total / weights)
        else:
            expected.append(x)

    assert close(smooth(value, np.arange(len(value)), Average(weight)), expected, value)


@given(values, st.lists(gaps, min_size=300, max_size=300), st.floats(1e-9, 1e12))
def test_timed_average_equals_the_weighted_mean(value: np.ndarray, gap: list[float], half_life: float) -> None:
    """Each point is a weighted mean of itself and all earlier points, whose weights halve with each half-life."""
    with np.errstate(invalid="ignore"):
        x = np.cumsum(np.array(gap[: len(value)], float))
    expected: list[float] = []
    seen: list[tuple[float, float, float]] = []
    for place, number in zip(x.tolist(), value.tolist(), strict=True):
        if not np.isfinite(number):
            expected.append(number)
            continue
        away = abs(place - seen[-1][0]) if seen else 0.0
        fades = 2 ** -(away / half_life) if not np.isnan(away) else 0.0
        seen = [(at, weight * fades, old) for at, weight, old in seen] + [(place, 1.0, number)]
        weights = [weight for _, weight, _ in seen]
        expected.append(sum(weight * old for _, weight, old in seen) / sum(weights))

    assert close(smooth(value, x, TimedAverage(half_life)), expected, value)


def test_weight_is_half_after_one_half_life() -> None:
    """For steps and for seconds, however large the numbers are."""
    smoothed = smooth(np.array([3.0, 0.0, 0.0]), np.array([0, 10, 30]), TimedAverage(10))

    assert np.allclose(smoothed, [3, 3 * 0.5 / 1.5, 3 * 0.125 / (0.125 + 0.25 + 1)])
    later = np.array([0, 10, 30]) + 1.7e9
    assert np.array_equal(smooth(np.array([3.0, 0.0, 0.0]), later, TimedAverage(10)), smoothed)


@given(values, st.integers(0, 20).map(lambda half: 2 * half + 1))
def test_median_equals_that_of_each_window(value: np.ndarray, window: int) -> None:
    """Centred, of fewer values at the ends, finite values only."""
    finite = np.isfinite(value)
    expected, half, kept = value.copy(), window // 2, value[finite]
    expected[finite] = [np.median(kept[max(0, at - half) : at + half + 1]) for at in range(len(kept))]

    assert np.allclose(smooth(value, np.arange(len(value)), Median(window)), expected, rtol=1e-15, equal_nan=True)


@pytest.mark.parametrize("window", [1, 3, 31, 501, WIDEST])
@pytest.mark.parametrize("length", [0, 1, 500, WIDEST, 20_000])
@pytest.mark.parametrize("spread", [3, 1e300])
def test_median_of_long_series(window: int, length: int, spread: float) -> None:
    """With many equal values, and with large ones; longer than one batch."""
    value = (spread * np.random.default_rng(length).normal(size=length)).round()
    half = window // 2
    whole = range(half, length - half)
    expected = [np.median(value[at - half : at + half + 1]) for at in whole]

    medians = running_median(value, window)

    assert medians[half : length - half].tolist() == expected
    ends = [at for at in range(length) if at not in whole]
    assert np.allclose(medians[ends], [np.median(value[max(0, at - half) : at + half + 1]) for at in ends], rtol=1e-15)


def test_huge_values_do_not_overflow() -> None:
    """An average is never larger than the largest value."""
    value = np.array([1.7e308, -1.7e308, 1.7e308, 1.7e308])
    for smoothing in (Average(0.999), TimedAverage(1e9), Median(3)):
        assert np.isfinite(smooth(value, np.arange(4), smoothing)).all()


@pytest.mark.parametrize("smoothing", [Average(0.9), Average(0.9999), TimedAverage(1e4), Median(31), Median(WIDEST)])
def test_a_million_points_take_less_than_a_second(smoothing: Smoothing) -> None:
    """The best of three in CPU time, as the machine may be shared."""
    value = np.random.default_rng(0).normal(size=1_000_000)
    seconds: list[float] = []
    while len(seconds) < 3 and min(seconds, default=INF) >= 1:
        began = time.thread_time()
        smooth(value, np.arange(len(value)), smoothing)
        seconds.append(time.thread_time() - began)

    assert min(seconds) < 1


@pytest.mark.parametrize(
    ("text", "smoothing"),
    [
        ("ema:0", Average(0)),
        ("ema:.95", Average(0.95)),
        ("time:100", TimedAverage(100)),
        ("time:0.25", TimedAverage(0.25)),
        ("time:.0001", TimedAverage(0.0001)),
        ("time:12.5", TimedAverage(12.5)),
        ("median:1", Median(1)),
        ("median:31", Median(31)),
        ("median:1001", Median(1001)),
    ],
)
def test_smoothing_is_parsed(text: str, smoothing: Smoothing) -> None:
    """A method and its number."""
    assert parse_smoothing(text) == smoothing


@pytest.mark.parametrize(
    "text",
    [
        *("", "ema", "ema:", "ema:1", "ema:1.0", "ema:-0.1", "ema:nan", "mean:3", "ema:0.9 ", "ema:0.9\n", "ema:٣"),
        *("time:", "time:0", "time:0.00", "time:-1", "time:inf", "time:1e5", "time:."),
        *("median:", "median:0", "median:4", "median:1003", "median:-3", "median:3.0", "median:03"),
    ],
)
def test_malformed_smoothing_is_rejected(text: str) -> None:
    """The error contains the value and what was expected."""
    with pytest.raises(ValueError, match=r"expected ema:WEIGHT .* time:HALF_LIFE .* median:WINDOW .* up to 1001"):
        parse_smoothing(text)
