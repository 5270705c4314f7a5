"""Summaries, their merging, and sparklines, against slow and simple implementations."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from toposcope.server.reading.series.point_series import PointSeries, compact
from toposcope.server.reading.series.series import Points
from toposcope.server.reading.series.series_summary import (
    Extreme,
    NonFinitePoint,
    SeriesSummary,
    follows,
    merge,
    summarise,
)
from toposcope.server.runs.statistics.incremental_cache import IncrementalCache
from toposcope.server.runs.statistics.sparkline import MAX_POINTS, sparkline

Row = tuple[int, float]
VALUES = st.sampled_from([0.0, -0.0, 1.5, -3.0, 1e308, 5e-324, math.nan, math.inf, -math.inf]) | st.floats(-10, 10)
ROWS = st.lists(st.tuples(st.integers(-3, 12), VALUES), min_size=1, max_size=30)


def points(rows: list[Row], first: int = 0) -> Points:
    """Return points one second apart."""
    step, value = zip(*rows, strict=True)
    return Points(np.array(step, np.int64), first + np.arange(len(rows), dtype=float), np.array(value, float))


def points_of(series: PointSeries) -> Points:
    """Return the points of a scalar series."""
    content = series.points()
    assert isinstance(content, Points)
    return content


def summarise_slowly(rows: list[Row]) -> SeriesSummary:
    """Return the summary, computed point by point: of several with the same step the last counts."""
    drawn = sorted(dict(rows).items())
    finite = [row for row in drawn if math.isfinite(row[1])]
    low = min(finite, key=lambda row: (row[1], row[0]), default=None)
    high = min(finite, key=lambda row: (-row[1], row[0]), default=None)
    times = {step: row for row, (step, _) in enumerate(rows)}
    bad = [(step, times[step], value) for step, value in drawn if not math.isfinite(value)]
    first = min(bad, key=lambda item: item[:2], default=None)
    return SeriesSummary(
        len(rows),
        drawn[0][0],
        drawn[-1][1],
        drawn[-1][0],
        low and Extreme(low[1], low[0]),
        high and Extreme(high[1], high[0]),
        first and NonFinitePoint(first[0], float(first[1]), first[2]),
    )


@given(ROWS)
def test_summary_is_that_of_every_drawn_point(rows: list[Row]) -> None:
    """For steps in any order, including equal steps."""
    assert repr(summarise(points(rows))).replace("-0.0", "0.0") == repr(summarise_slowly(rows)).replace("-0.0", "0.0")


@given(st.lists(VALUES, min_size=1, max_size=100), st.integers(-5, 5), st.sampled_from([1, 7, -2]))
def test_summary_at_regular_steps_is_that_of_every_point(values: list[float], first: int, stride: int) -> None:
    """Steps without a column make no difference."""
    rows = [(first + stride * number, value) for number, value in enumerate(values)]
    expected = repr(summarise_slowly(rows)).replace("-0.0", "0.0")
    assert repr(summarise(compact(points(rows)))).replace("-0.0", "0.0") == expected


@given(ROWS, ROWS)
def test_merged_summaries_are_the_summary_of_both_parts(earlier: list[Row], later: list[Row]) -> None:
    """So only the new points of a series that grew are processed, if their steps are after those before."""
    offset = 16
    later = [(step + offset, value) for step, value in later]
    parts = summarise(points(earlier)), summarise(points(later, len(earlier)))
    assert follows(parts[1], parts[0])

    merged, whole = merge(*parts), summarise(points(earlier + later))
    assert repr(merged).replace("-0.0", "0.0") == repr(whole).replace("-0.0", "0.0")


@given(st.lists(ROWS, min_size=1, max_size=6))
def test_result_for_a_growing_series_is_updated_with_new_points_only(parts: list[list[Row]]) -> None:
    """Whether or not its arrays had capacity for them."""
    series, seen, made = PointSeries(points(parts[0])), 0, []

    def make(new: Points) -> SeriesSummary:
        made.append(new.total)
        return summarise(new)

    cache = IncrementalCache(make, merge, follows)
    for number, part in enumerate(parts):
        if number:
            series.append(points(part, seen))
        seen += len(part)
        got = cache.result("run", "file", "tag", points_of(series))
        whole = summarise_slowly([row for part in parts[: number + 1] for row in part])
        assert repr(got).replace("-0.0", "0.0") == repr(whole).replace("-0.0", "0.0")
        assert made[-1] in (len(part), seen)
        assert cache.result("run", "file", "tag", points_of(series)) is got


def test_only_new_points_of_a_series_with_capacity_are_processed() -> None:
    """A file that is read again is another series, even if it has the same length."""
    series, made = PointSeries(points([(0, 1.0)])), []

    def make(new: Points) -> int:
        made.append(new.total)
        return new.total

    cache = IncrementalCache(make, int.__add__)
    for step in range(1, 1000):
        series.append(points([(step, 1.0)]))
        assert cache.result("run", "file", "tag", points_of(series)) == step + 1
    assert sum(made) < 15_000  # 1000 new ones, and all of them each time that the capacity grew by an eighth.

    again = PointSeries(points([(step, 2.0) for step in range(1000)]))
    assert cache.result("run", "file", "tag", points_of(again)) == 1000
    assert made[-1] == 1000
    cache.forget("run")
    assert cache.runs == set()


@given(st.lists(st.tuples(st.integers(0, 500), VALUES), min_size=1, max_size=400))
def test_sparkline_keeps_ends_and_extremes(rows: list[Row]) -> None:
    """Few points, sorted by step, all from the series; of equal steps only the last."""
    drawn = sparkline(points(rows))

    finite = {step: value for step, value in sorted(dict(rows).items()) if math.isfinite(value)}
    assert len(drawn.step) <= MAX_POINTS
    assert all(finite[step] == value for step, value in zip(drawn.step.tolist(), drawn.value.tolist(), strict=True))
    assert (np.diff(drawn.step) > 0).all()
    if len(finite) <= MAX_POINTS:
        assert dict(zip(drawn.step.tolist(), drawn.value.tolist(), strict=True)) == finite
    else:
        assert (drawn.step[0], drawn.step[-1]) == (min(finite), max(finite))
        assert (drawn.value.min(), drawn.value.max()) == (min(finite.values()), max(finite.values()))
