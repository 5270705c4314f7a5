"""Bands against a slow and simple implementation, and grouping of runs."""

import itertools
import math
import re
import time
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from toposcope.server.runs.grouping import Grouping, group_runs, parse_grouping
from toposcope.server.runs.parameters.hyper_parameters import Value
from toposcope.server.runs.run import RunView
from toposcope.server.runs.selection.alignment import Curve, PositionLimits, align, position_limits, read_at
from toposcope.server.runs.selection.bands import Band, Centre, Spread, compute_band
from toposcope.server.text import name_patterns
from toposcope.server.text.name_patterns import find_in_names

INF = float("inf")
numbers = st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float) | st.sampled_from([np.nan, np.inf, -np.inf])
steps = st.integers(0, 30) | st.integers(0, 30).map(lambda step: 10**18 + step)


@st.composite
def curve_strategy(draw: st.DrawFn, positions: st.SearchStrategy[float] = steps) -> Curve:
    """Generate a curve of a few points, which shares none to all of its positions with others."""
    x = np.array(sorted(draw(st.sets(positions, max_size=20))))
    if draw(st.booleans()):
        x = np.arange(len(x))
    x = x.astype(float if x.dtype == float and len(x) else np.int64)
    return Curve(x, np.array(draw(st.lists(numbers, min_size=len(x), max_size=len(x))), float))


def value_at(curve: Curve, position: float) -> float | None:
    """Return the value of a curve at a position, interpolated if necessary; None if there is none."""
    values = dict(zip(curve.x.tolist(), curve.value.tolist(), strict=True))
    if position in values:
        return values[position] if math.isfinite(values[position]) else None
    before = max((x for x in values if x < position), default=None)
    after = min((x for x in values if x > position), default=None)
    if before is None or after is None or not math.isfinite(values[before]) or not math.isfinite(values[after]):
        return None
    part = (Fraction(position) - Fraction(before)) / (Fraction(after) - Fraction(before))
    return float(Fraction(values[before]) * (1 - part) + Fraction(values[after]) * part)


def slow_band(curves: list[Curve], centre: str, spread: str, lo: float, hi: float) -> Iterator[tuple[float, ...]]:
    """Yield (x, centre, low, high, present, non_finite) for each position."""
    for position in sorted({x for curve in curves for x in curve.x.tolist() if lo <= x <= hi}):
        values = [value for curve in curves if (value := value_at(curve, position)) is not None]
        bad = sum(position in curve.x[~np.isfinite(curve.value)].tolist() for curve in curves)
        if not values:
            edge = 0.0 if spread == "none" else np.nan
            yield position, np.nan, edge, edge, 0, bad
            continue
        mean, std = float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
        middle = {"mean": mean, "median": float(np.median(values)), "sum": float(np.sum(values))}[centre]
        edges: dict[str, tuple[float, float]] = {
            "minmax": (min(values), max(values)),
            "std": (mean - std, mean + std),
            "quartiles": (float(np.quantile(values, 0.25)), float(np.quantile(values, 0.75))),
            "none": (0.0, 0.0),
        }
        yield position, middle, *edges[spread], len(values), bad


def rows(band: Band) -> list[tuple[float, ...]]:
    """Return a band in the form that slow_band yields."""
    none = np.zeros(len(band.x))
    columns = (band.x, band.centre, band.low if len(band.low) else none, band.high if len(band.high) else none)
    return list(zip(*(column.tolist() for column in (*columns, band.present, band.non_finite)), strict=True))


spreads = st.sampled_from(["minmax", "std", "quartiles", "none"])
centres = st.sampled_from(["mean", "median", "sum"])
lows, highs = st.sampled_from([-INF, 3, 7.5]), st.sampled_from([INF, 20, 12.5])


@given(st.lists(curve_strategy(), min_size=1, max_size=6), centres, spreads, lows, highs)
@example(
    [Curve(np.array([-(2**63), 0, 2**63 - 1]), np.zeros(3)), Curve(np.array([5]), np.ones(1))], "mean", "std", 0, 9
)
def test_band_of_steps_equals_the_slow_one(
    curves: list[Curve], centre: Centre, spread: Spread, lo: float, hi: float
) -> None:
    """For every statistic at every position; also for steps that doubles cannot distinguish."""
    band = compute_band(curves, centre, spread, lo, hi, 0, position_limits(6))

    expected = list(slow_band(curves, centre, spread, lo, hi))
    assert np.allclose(np.array(rows(band)).reshape(-1, 6), np.array(expected).reshape(-1, 6), 1e-9, 1e-6, True)
    assert band.x.tolist() == [row[0] for row in expected]
    assert band.total == band.aligned == len(expected)


@given(
    st.lists(curve_strategy(st.floats(0, 30) | st.integers(0, 30).map(float)), min_size=1, max_size=6),
    centres,
    spreads,
    lows,
    highs,
)
def test_band_of_seconds_equals_the_slow_one(
    curves: list[Curve], centre: Centre, spread: Spread, lo: float, hi: float
) -> None:
    """On time axes, positions are doubles."""
    curves = [Curve(curve.x.astype(float), curve.value) for curve in curves]
    band = compute_band(curves, centre, spread, lo, hi, 0, position_limits(6))

    expected = list(slow_band(curves, centre, spread, lo, hi))
    assert np.allclose(np.array(rows(band)).reshape(-1, 6), np.array(expected).reshape(-1, 6), 1e-9, 1e-6, True)


@given(st.lists(curve_strategy(), min_size=1, max_size=6), st.integers(4, 40))
def test_fewer_positions_have_exact_values(curves: list[Curve], most: int) -> None:
    """If there are too many positions, the values at the chosen ones are those of the whole curves."""
    whole = align(curves, -INF, INF, position_limits(6))
    some = align(curves, -INF, INF, PositionLimits(most, most // 2))

    by_position = dict(zip(whole.x.tolist(), zip(*_values(curves, whole.x), strict=True), strict=True))
    values = list(zip(*_values(curves, some.x), strict=True))
    assert some.total == whole.total
    assert len(some.x) <= (most if whole.total <= most else most // 2)
    assert np.array_equal(
        np.array(values), np.array([by_position[position] for position in some.x.tolist()]), equal_nan=True
    )


def _values(curves: list[Curve], x: np.ndarray) -> list[np.ndarray]:
    parts = list(read_at(curves, x))
    return list(np.concatenate(parts, axis=1)) if parts else [np.empty(0)] * len(curves)


@pytest.mark.parametrize("spread", ["minmax", "std", "quartiles", "none"])
def test_fewer_points_keep_the_extremes(spread: Spread) -> None:
    """The chosen positions are some of the whole band's, and include the extremes of centre and edges."""
    random = np.random.default_rng(0)
    curves = [Curve(np.arange(5000), random.normal(size=5000)) for _ in range(7)]

    whole = compute_band(curves, "mean", spread, -INF, INF, 0, position_limits(7))
    few = compute_band(curves, "mean", spread, -INF, INF, 100, position_limits(7))

    by_position = dict(zip(whole.x.tolist(), rows(whole), strict=True))
    assert [by_position[row[0]] for row in rows(few)] == rows(few)
    assert len(few.x) <= 110
    assert (few.total, few.aligned) == (5000, 5000)
    for line, chosen in zip(whole[1:4], few[1:4], strict=True):
        assert len(line) == 0 or (line.min(), line.max()) == (chosen.min(), chosen.max())
    assert len(few.low) == (0 if spread == "none" else len(few.x))


def test_too_many_positions_keep_the_extremes_of_each_series() -> None:
    """For a hundred series without common positions the band is exact at the chosen ones and has their extremes."""
    random = np.random.default_rng(0)
    curves = [Curve(np.cumsum(random.random(20_000)), random.normal(size=20_000).cumsum()) for _ in range(100)]

    band = compute_band(curves, "mean", "minmax", -INF, INF, 1000, position_limits(100))

    assert band.total == 2_000_000 > band.aligned
    assert band.low.min() == min(curve.value.min() for curve in curves)
    assert band.high.max() == max(curve.value.max() for curve in curves)
    for at in range(0, len(band.x), 100):
        values = [np.interp(band.x[at], *curve, left=np.nan, right=np.nan) for curve in curves]
        assert np.allclose([band.centre[at], band.low[at]], [np.nanmean(values), np.nanmin(values)])


def test_band_of_ten_million_points_takes_seconds_at_most() -> None:
    """Measured in CPU time, as the machine may be shared."""
    value = np.random.default_rng(0).normal(size=100_000)
    curves = [Curve(np.arange(100_000), value + run) for run in range(100)]
    start = time.thread_time()
    band = compute_band(curves, "median", "quartiles", -INF, INF, 1000, position_limits(100))

    assert time.thread_time() - start < 2
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


def test_by_label_each_label_is_a_group() -> None:
    """A run with two labels is in two groups, one without any is in none."""
    labels = {"a": ["paper", "10"], "b": ["paper"], "c": []}
    runs = runs_of(*labels)
    groups, ungrouped = group_runs(runs, parse_grouping("label"), lambda _: {}, lambda run: labels[run.name])
    assert [(name, [run.name for run in of]) for name, of in groups] == [("10", ["a"]), ("paper", ["a", "b"])]
    assert ungrouped == ["c"]


def test_by_none_all_runs_are_one_group() -> None:
    """No run is left out, and there are no empty groups."""
    assert named("none", "a", "b") == ([("", ["a", "b"])], [])
    assert named("none") == ([], [])


def test_by_pattern_groups_are_named_by_the_capture_group_or_the_match() -> None:
    """It may match anywhere in the name; a capture group that did not participate is not used."""
    names = ("lr_0.1/s1", "lr_0.1/s2", "lr_0.01/s1", "other", "lr_x")
    assert named(r"regex:lr_([0-9.]+)", *names) == (
        [("0.01", ["lr_0.01/s1"]), ("0.1", ["lr_0.1/s1", "lr_0.1/s2"])],
        ["other", "lr_x"],
    )
    assert named(r"regex:^lr_(0)?", *names) == ([("0", list(names[:3])), ("lr_", ["lr_x"])], ["other"])
    assert named("regex:s.$", *names) == ([("s1", [names[0], names[2]]), ("s2", [names[1]])], ["other", "lr_x"])
    assert named("regex:x*", "a") == ([("", ["a"])], [])
    assert named("regex:\U0001f600(.)", "\U0001f600ü", "\udcff") == ([("ü", ["\U0001f600ü"])], ["\udcff"])


def test_by_param_groups_are_named_by_the_value() -> None:
    """Numbers come first, in order; an integer equals the same double and the same text."""
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
def test_malformed_groupings_are_rejected(by: str) -> None:
    """The error states what was expected."""
    with pytest.raises(ValueError, match="expected none, label, regex:PATTERN of at most 200 characters"):
        parse_grouping(by)


@pytest.mark.parametrize("pattern", ["(", "[", "a{1001}", "(?P<>a)", "*", "(?<=a)b", r"(a)\1"])
def test_invalid_patterns_are_rejected(pattern: str) -> None:
    """The error contains the reason."""
    with pytest.raises(ValueError, match="not a valid regular expression: "):
        group_runs(runs_of("a"), Grouping("regex", pattern), lambda _: {})


PARTS = st.sampled_from(
    [".", "a", "b", "1", "/", "_", r"\d", r"\w", "[ab]", "[^a/]", "(a|b1)", "(?:a|_)", "^", "$", "é"]
)
PATTERNS = st.lists(
    st.tuples(PARTS, st.sampled_from(["", "", "?", "*", "+", "{1,3}", "*?"])), min_size=1, max_size=6
).map(lambda parts: "".join(part if part in {"^", "$"} else part + repeat for part, repeat in parts))
NAMES = st.lists(st.text("ab1/_é", max_size=12), max_size=8)


@given(PATTERNS, NAMES)
@example("(a)?b", ["b"])
def test_patterns_match_as_those_of_python(pattern: str, names: list[str]) -> None:
    """The first match from the left, by the same rules of precedence; $ is the end only."""
    search = re.compile(pattern.replace("$", r"\Z"), re.ASCII).search
    matches = {name: match for name in names if (match := search(name))}
    groups = {
        name: next((part for part in match.groups()[:1] if part is not None), match[0])
        for name, match in matches.items()
    }

    assert find_in_names(pattern, names) == groups


def test_pattern_that_would_backtrack_for_years_matches_at_once() -> None:
    """The time is proportional to the name."""
    assert find_in_names("(a+)+[!]", ["a" * 100_000, "b", "aa!"]) == {"aa!": "aa"}


def test_pattern_that_takes_long_for_many_names_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many names there are, it ends."""
    monkeypatch.setattr(name_patterns, "MAX_SECONDS", 0.0)
    names = (name for name in itertools.repeat("a" * 100))

    with pytest.raises(ValueError, match="takes longer than 0 s for these names: use a simpler one"):
        find_in_names("b", names)


def test_names_that_are_not_unicode_are_matched() -> None:
    """Names of files may contain any bytes."""
    assert find_in_names("^run", ["run\udcff", "\udcff"]) == {"run\udcff": "run"}
