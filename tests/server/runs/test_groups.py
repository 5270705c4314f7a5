"""Bands of groups of runs against a slow and obvious one, and which runs form a group."""

import math
import resource
import time
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toposcope.server.runs.alignment import Curve, PositionLimits, align, position_limits, read_at
from toposcope.server.runs.bands import Band, Centre, Spread, compute_band
from toposcope.server.runs.grouping import Group, Grouping, group_runs, parse_grouping
from toposcope.server.runs.hyper_parameters import Value
from toposcope.server.runs.run import RunView

INF = float("inf")
numbers = st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float) | st.sampled_from([np.nan, np.inf, -np.inf])
steps = st.integers(0, 30) | st.integers(0, 30).map(lambda step: 10**18 + step)


@st.composite
def curves(draw: st.DrawFn, places: st.SearchStrategy[float] = steps) -> Curve:
    """Draw a curve of a few points, none to all of the same places as another."""
    x = np.array(sorted(draw(st.sets(places, max_size=20))))
    if draw(st.booleans()):
        x = np.arange(len(x))
    x = x.astype(float if x.dtype == float and len(x) else np.int64)
    return Curve(x, np.array(draw(st.lists(numbers, min_size=len(x), max_size=len(x))), float))


def value_at(curve: Curve, place: float) -> float | None:
    """Return the value of a curve at a place: its own, or between its neighbours; None where there is none."""
    known = dict(zip(curve.x.tolist(), curve.value.tolist(), strict=True))
    if place in known:
        return known[place] if math.isfinite(known[place]) else None
    before = max((x for x in known if x < place), default=None)
    behind = min((x for x in known if x > place), default=None)
    if before is None or behind is None or not math.isfinite(known[before]) or not math.isfinite(known[behind]):
        return None
    part = (Fraction(place) - Fraction(before)) / (Fraction(behind) - Fraction(before))
    return float(Fraction(known[before]) * (1 - part) + Fraction(known[behind]) * part)


def slow_band(several: list[Curve], centre: str, spread: str, lo: float, hi: float) -> Iterator[tuple[float, ...]]:
    """Yield (x, centre, low, high, present, non_finite) of each place."""
    for place in sorted({x for curve in several for x in curve.x.tolist() if lo <= x <= hi}):
        found = [value for curve in several if (value := value_at(curve, place)) is not None]
        bad = sum(place in curve.x[~np.isfinite(curve.value)].tolist() for curve in several)
        if not found:
            edge = 0.0 if spread == "none" else np.nan
            yield place, np.nan, edge, edge, 0, bad
            continue
        middle = np.mean(found) if centre == "mean" else np.median(found)
        edges = {
            "minmax": (min(found), max(found)),
            "std": (np.mean(found) - np.std(found), np.mean(found) + np.std(found)),
            "quartiles": (np.quantile(found, 0.25), np.quantile(found, 0.75)),
            "none": (0.0, 0.0),
        }[spread]
        yield place, middle, *edges, len(found), bad


def rows(band: Band) -> list[tuple[float, ...]]:
    """Return a band as slow_band yields it."""
    none = np.zeros(len(band.x))
    columns = (band.x, band.centre, band.low if len(band.low) else none, band.high if len(band.high) else none)
    return list(zip(*(column.tolist() for column in (*columns, band.present, band.non_finite)), strict=True))


spreads = st.sampled_from(["minmax", "std", "quartiles", "none"])
centres = st.sampled_from(["mean", "median"])
lows, highs = st.sampled_from([-INF, 3, 7.5]), st.sampled_from([INF, 20, 12.5])


@given(st.lists(curves(), min_size=1, max_size=6), centres, spreads, lows, highs)
@example(
    [Curve(np.array([-(2**63), 0, 2**63 - 1]), np.zeros(3)), Curve(np.array([5]), np.ones(1))], "mean", "std", 0, 9
)
def test_band_of_steps_equals_the_slow_one(
    several: list[Curve], centre: Centre, spread: Spread, lo: float, hi: float
) -> None:
    """Every statistic at every place of any curve; also of steps so large that doubles cannot tell them apart."""
    band = compute_band(several, centre, spread, lo, hi, 0, position_limits(6))

    expected = list(slow_band(several, centre, spread, lo, hi))
    assert np.allclose(np.array(rows(band)).reshape(-1, 6), np.array(expected).reshape(-1, 6), 1e-9, 1e-6, True)
    assert band.x.tolist() == [row[0] for row in expected]
    assert band.total == band.aligned == len(expected)


@given(
    st.lists(curves(st.floats(0, 30) | st.integers(0, 30).map(float)), min_size=1, max_size=6),
    centres,
    spreads,
    lows,
    highs,
)
def test_band_of_seconds_equals_the_slow_one(
    several: list[Curve], centre: Centre, spread: Spread, lo: float, hi: float
) -> None:
    """On axes of time places are doubles."""
    several = [Curve(curve.x.astype(float), curve.value) for curve in several]
    band = compute_band(several, centre, spread, lo, hi, 0, position_limits(6))

    expected = list(slow_band(several, centre, spread, lo, hi))
    assert np.allclose(np.array(rows(band)).reshape(-1, 6), np.array(expected).reshape(-1, 6), 1e-9, 1e-6, True)


@given(st.lists(curves(), min_size=1, max_size=6), st.integers(4, 40))
def test_places_left_out_are_exact_and_keep_extremes(several: list[Curve], most: int) -> None:
    """Where there are too many places for all, what is left equals the whole at these places."""
    whole = align(several, -INF, INF, position_limits(6))
    some = align(several, -INF, INF, PositionLimits(most, most // 2))

    every = dict(zip(whole.x.tolist(), zip(*_values(several, whole.x), strict=True), strict=True))
    found = list(zip(*_values(several, some.x), strict=True))
    assert some.total == whole.total
    assert len(some.x) <= (most if whole.total <= most else most // 2)
    assert np.array_equal(np.array(found), np.array([every[place] for place in some.x.tolist()]), equal_nan=True)


def _values(several: list[Curve], x: np.ndarray) -> list[np.ndarray]:
    parts = list(read_at(several, x))
    return list(np.concatenate(parts, axis=1)) if parts else [np.empty(0)] * len(several)


@pytest.mark.parametrize("spread", ["minmax", "std", "quartiles", "none"])
def test_fewer_points_keep_the_extremes(spread: Spread) -> None:
    """Chosen places are those of the whole band, and the extremes of centre and edges are among them."""
    random = np.random.default_rng(0)
    several = [Curve(np.arange(5000), random.normal(size=5000)) for _ in range(7)]

    whole = compute_band(several, "mean", spread, -INF, INF, 0, position_limits(7))
    few = compute_band(several, "mean", spread, -INF, INF, 100, position_limits(7))

    every = dict(zip(whole.x.tolist(), rows(whole), strict=True))
    assert [every[row[0]] for row in rows(few)] == rows(few)
    assert len(few.x) <= 110
    assert (few.total, few.aligned) == (5000, 5000)
    for line, chosen in zip(whole[1:4], few[1:4], strict=True):
        assert len(line) == 0 or (line.min(), line.max()) == (chosen.min(), chosen.max())
    assert len(few.low) == (0 if spread == "none" else len(few.x))


def test_too_many_places_keep_the_extremes_of_each_series() -> None:
    """A hundred series without a place in common: the band is exact where it is told, its extremes are there."""
    random = np.random.default_rng(0)
    several = [Curve(np.cumsum(random.random(20_000)), random.normal(size=20_000).cumsum()) for _ in range(100)]

    band = compute_band(several, "mean", "minmax", -INF, INF, 1000, position_limits(100))

    assert band.total == 2_000_000 > band.aligned
    assert band.low.min() == min(curve.value.min() for curve in several)
    assert band.high.max() == max(curve.value.max() for curve in several)
    for at in range(0, len(band.x), 100):
        found = [np.interp(band.x[at], *curve, left=np.nan, right=np.nan) for curve in several]
        assert np.allclose([band.centre[at], band.low[at]], [np.nanmean(found), np.nanmin(found)])


def test_a_hundred_runs_of_a_hundred_thousand_points_are_quick() -> None:
    """The statistics of ten million points are a matter of a second; processor time, as others use the machine."""
    value = np.random.default_rng(0).normal(size=100_000)
    several = [Curve(np.arange(100_000), value + run) for run in range(100)]
    began = time.thread_time()
    band = compute_band(several, "median", "quartiles", -INF, INF, 1000, position_limits(100))

    assert time.thread_time() - began < 2
    assert band.total == band.aligned == 100_000


def runs_of(*names: str) -> list[RunView]:
    """Return runs without files."""
    return [RunView(name, [], revision=1, live=False) for name in names]


def grouped(by: str, **hyper_parameters: dict[str, Value]) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """Return names of groups and their runs, and the runs in none."""
    runs = runs_of(*hyper_parameters)
    groups, ungrouped = group_runs(runs, parse_grouping(by), lambda run: hyper_parameters[run.name])
    return [(name, [run.name for run in of]) for name, of in groups], ungrouped


def named(by: str, *names: str) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """Return names of groups and their runs, and the runs in none."""
    return grouped(by, **{name: {} for name in names})


def test_by_none_all_runs_are_one_group() -> None:
    """Nobody is left out, and there is no group of nobody."""
    assert named("none", "a", "b") == ([("", ["a", "b"])], [])
    assert named("none") == ([], [])


def test_by_pattern_the_first_capture_group_or_the_match_names_the_group() -> None:
    """It is found anywhere in the name; a capture group that took no part is no name."""
    names = ("lr_0.1/s1", "lr_0.1/s2", "lr_0.01/s1", "other", "lr_x")
    assert named(r"regex:lr_([0-9.]+)", *names) == (
        [("0.01", ["lr_0.01/s1"]), ("0.1", ["lr_0.1/s1", "lr_0.1/s2"])],
        ["other", "lr_x"],
    )
    assert named(r"regex:^lr_(0)?", *names) == ([("0", list(names[:3])), ("lr_", ["lr_x"])], ["other"])
    assert named("regex:s.$", *names) == ([("s1", [names[0], names[2]]), ("s2", [names[1]])], ["other", "lr_x"])
    assert named("regex:x*", "a") == ([("", ["a"])], [])
    assert named("regex:\U0001f600(.)", "\U0001f600ü", "\udcff") == ([("ü", ["\U0001f600ü"])], ["\udcff"])


def test_by_param_the_value_names_the_group() -> None:
    """Numbers in order, then texts; an integer is the same as the double and the text of it."""
    grouping = grouped(
        "param:p",
        a={"p": 16.0},
        b={"p": 2},
        c={"p": "adam"},
        d={"p": True},
        e={"p": "16"},
        f={"q": 1},
        g={"p": 1e-3},
        h={"p": "NaN"},
        i={"p": 1e300},
    )

    assert grouping == (
        [
            ("0.001", ["g"]),
            ("2", ["b"]),
            ("16", ["a", "e"]),
            ("1e+300", ["i"]),
            ("NaN", ["h"]),
            ("adam", ["c"]),
            ("true", ["d"]),
        ],
        ["f"],
    )


@pytest.mark.parametrize("by", ["", "None", "regex", "regex:", "param:", "runs:a", "none:", "regex:" + "a" * 201])
def test_malformed_groupings_are_refused(by: str) -> None:
    """What is no grouping gives an error that says what was expected."""
    with pytest.raises(ValueError, match="expected none, regex:PATTERN of 200 characters"):
        parse_grouping(by)


@pytest.mark.parametrize("pattern", ["(", "[", "a{99999999999999}", "(?P<1>a)", "*", "(?<=a*)b"])
def test_patterns_that_are_none_are_refused(pattern: str) -> None:
    """With the reason."""
    with pytest.raises(ValueError, match="no regular expression: "):
        group_runs(runs_of("a"), Grouping("regex", pattern), lambda _: {})


def test_pattern_that_backtracks_for_ever_is_ended() -> None:
    """It does not hold up the process meanwhile."""
    runs = runs_of("a" * 1000, "b")
    began, used = time.monotonic(), time.thread_time()

    with pytest.raises(ValueError, match="longer than 3 s on 2 names: expected a simpler one"):
        group_runs(runs, Grouping("regex", "(a+)+!"), lambda _: {})

    assert time.monotonic() - began < 30
    assert time.thread_time() - used < 1


def test_what_a_pattern_found_is_remembered() -> None:
    """A page asks again and again while runs grow: ten thousand names cost one process."""
    runs = runs_of(*(f"lr_{i % 7}/seed_{i}" for i in range(10_000)))
    grouping = parse_grouping("regex:lr_(.)")
    first = group_runs(runs, grouping, lambda _: {})
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(10):
        again = group_runs(runs, grouping, lambda _: {})

    assert resource.getrusage(resource.RUSAGE_CHILDREN) == before
    assert again == first
    assert [type(group) is Group and group.name for group in again[0]] == list("0123456")
