"""Windows, equal steps, downsampling and best values of one series."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.records.counters import Counters
from toposcope.server.reading.records.version_event import Version
from toposcope.server.reading.series.point_series import PointSeries
from toposcope.server.reading.series.series import NO_POINTS, Points
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.run import ALL, RunView
from toposcope.server.runs.selection.selection import Window, select
from toposcope.server.runs.selection.sources import tag_source
from toposcope.server.runs.statistics.downsample import _bucket_size, downsample, downsample_along
from toposcope.server.runs.statistics.smoothing import Average

values = st.lists(st.floats(width=32) | st.sampled_from([np.nan, np.inf, -np.inf]), max_size=300).map(np.array)

LOSS = tag_source("loss")


def run_of(step: list[int], value: list[float] | None = None, wall_time: list[float] | None = None) -> RunView:
    """Return a run with one series "loss"."""
    points = Points(
        np.array(step, np.int64),
        np.array(wall_time if wall_time is not None else [100.0 + i for i in range(len(step))]),
        np.array(value if value is not None else step, float),
    )
    spans = (float(points.wall_time.min()), float(points.wall_time.max())), (int(min(step)), int(max(step)))
    (first_wall, last_wall), (first, last) = spans
    walls = np.array([first_wall, last_wall]).view(np.uint64).tolist()
    view = FileView(
        path="file",
        rank=0,
        is_lineage=False,
        version=Version("mindspore", b"", False),
        series={Tag("scalar", "loss"): points},
        counters=Counters(len(step), len(step), first, last, *walls),
        damage=(),
        large_records=0,
        verified_large_records=0,
        verified_until=0,
        inode=1,
        modified=0.0,
        read_bytes=0,
        size=0,
        phase=0,
    )
    return RunView("run", [view], revision=1, live=False)


@given(values, st.integers(1, 50))
def test_downsampling_keeps_extremes_and_non_finite_points(value: np.ndarray, points: int) -> None:
    """First, last, smallest and largest point and one of every kind of non-finite value are kept, in order."""
    kept, settled = downsample(value, points)

    assert np.array_equal(kept, np.unique(kept))
    assert settled <= len(value)
    if len(value) <= points:
        assert len(kept) == len(value)
        return
    assert {0, len(value) - 1} <= set(kept.tolist())
    finite = value[np.isfinite(value)]
    if len(finite):
        assert value[kept][np.isfinite(value[kept])].min() == finite.min()
        assert value[kept][np.isfinite(value[kept])].max() == finite.max()
    assert (np.isfinite(value)).all() == (np.isfinite(value[kept])).all()
    buckets = max(4, points) // 2
    assert len(kept) <= max(4, points) + 2 * buckets + 2


@given(st.lists(st.floats(width=32), max_size=300).map(np.array), st.integers(4, 50))
def test_each_bucket_keeps_its_extremes(value: np.ndarray, points: int) -> None:
    """The buckets are equally large, and as few as are needed for two thirds of the points."""
    value = value[np.isfinite(value)]
    kept = downsample(value, points).kept
    if len(value) <= points:
        return
    sizes = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 41, 51, 63, 78, 97, 121, 151]
    size = next(size for size in sizes if size * (points // 2) >= len(value) - 1)
    expected = {0, len(value) - 1}
    for start in [0, *range(size + 1, len(value), size)]:
        bucket = value[start : size + 1 if start == 0 else start + size]
        expected |= {start + int(bucket.argmin()), start + int(bucket.argmax())}
    assert kept.tolist() == sorted(expected)
    assert len(kept) <= points + 2


@given(values, st.integers(1, 50))
def test_neighbours_bound_what_is_left_out(value: np.ndarray, points: int) -> None:
    """A finite point that is left out is within the two kept ones before and after it: the page draws bands by them."""
    kept = downsample(value, points).kept
    finite_kept = kept[np.isfinite(value[kept])]
    for place in np.flatnonzero(np.isfinite(value)):
        after = int(np.searchsorted(finite_kept, place))
        near = value[finite_kept[max(0, after - 2) : after + 2]]
        assert place in finite_kept or near.min() <= value[place] <= near.max()


@given(values, st.integers(1, 50), st.integers(1, 300))
def test_settled_points_stay_when_a_series_grows(value: np.ndarray, points: int, length: int) -> None:
    """As long as the buckets do not become larger, the points of complete buckets are those of the longer series."""
    before, after = value[:length], value
    kept, settled = downsample(before, points)
    grown = downsample(after, points).kept
    finite = [int(np.count_nonzero(np.isfinite(series))) for series in (before, after)]
    bucket_sizes = [[_bucket_size(n, points) if n > points else 0 for n in (len(before), len(after))], []]
    bucket_sizes[1] = [_bucket_size(n, points) if n > points else 0 for n in finite]
    if all(old == new for old, new in bucket_sizes):
        assert kept[kept < settled].tolist() == grown[grown < settled].tolist()


def test_few_points_are_unsettled() -> None:
    """Of a long series that grows by a point at a time, nearly all points that were kept stay, nearly always."""
    value = np.random.default_rng(0).normal(size=20_000)
    again = 0
    for length in range(10_000, 20_000, 7):
        kept, settled = downsample(value[:length], 1000)
        grown = downsample(value[: length + 7], 1000).kept
        is_same = np.array_equal(kept[kept < settled], grown[grown < settled])
        again += not is_same
        assert np.count_nonzero(kept >= settled) <= 3
        assert len(kept) >= 700
    assert again <= 4


@given(st.data(), values, st.integers(8, 40), st.sampled_from([1, 3, 10**6]), st.integers(-5, 5))
def test_logarithmic_buckets_are_equally_wide(
    data: st.DataObject, value: np.ndarray, points: int, stride: int, start: int
) -> None:
    """Each bucket keeps its extremes and a non-finite point, compared with a slow search."""
    x = start + np.cumsum(np.array(data.draw(st.lists(st.integers(1, stride), min_size=300, max_size=300))))
    x = x[: len(value)]

    kept = downsample_along(x, value, points, "log").kept

    assert np.array_equal(kept, np.unique(kept))
    if len(value) <= points:
        assert len(kept) == len(value)
        return
    places, seen = np.log(x[x > 0]), value[x > 0]
    edges = np.linspace(places[0], places[-1], points // 2 + 1)
    for left, right in itertools.pairwise(edges):
        # A point on an edge may be in either bucket.
        inside, around = ((places > left + by) & (places < right - by) for by in (1e-9, -1e-9))
        chosen = seen[around & np.isin(x[x > 0], x[kept])]
        finite, finite_chosen = seen[inside & np.isfinite(seen)], chosen[np.isfinite(chosen)]
        if len(finite) and np.count_nonzero(np.isfinite(seen)) > points:
            assert finite_chosen.min() <= finite.min() <= finite.max() <= finite_chosen.max()
        assert np.isfinite(seen[inside]).all() or not np.isfinite(chosen).all()
    assert len(kept) <= 2 * points + 16


def test_first_decades_of_a_logarithmic_axis_keep_their_points() -> None:
    """Of a hundred thousand steps, the first twenty and the one at zero are all kept."""
    run = run_of(list(range(100_000)))

    spread = select(run, LOSS, 0, None, Window(points=1000, scale="log"), None).points.step
    even = select(run, LOSS, 0, None, Window(points=1000), None).points.step

    assert spread[:21].tolist() == list(range(21))
    assert np.diff(np.log(spread[1:])).max() < np.log(3)
    assert (even < 1000).sum() < 20 < 200 < (spread < 1000).sum()
    assert len(spread) <= 1002


def test_window_counts_exactly_and_returns_raw_points() -> None:
    """A window with few enough points returns all of them; total is their number before downsampling."""
    run = run_of(list(range(10_000)))

    whole = select(run, LOSS, 0, None, Window(points=100), None)
    zoomed = select(run, LOSS, 0, None, Window(lo=500, hi=549, points=100), None)

    assert whole.total == 10_000
    assert whole.points.total <= 102
    assert zoomed.points.step.tolist() == list(range(500, 550))
    assert zoomed.total == 50


def test_smoothed_values_do_not_change_with_the_zoom() -> None:
    """Smoothing is computed on the whole series and selected at the points of the window."""
    value = np.random.default_rng(0).normal(size=5000)
    run = run_of(list(range(5000)), value.tolist())
    smoothing = Average(0.95)

    everything = select(run, LOSS, 0, None, Window(), smoothing)
    zoomed = select(run, LOSS, 0, None, Window(lo=3000, hi=3100, points=50), smoothing)

    assert everything.smoothed is not None
    assert zoomed.smoothed is not None
    at = dict(zip(everything.points.step.tolist(), everything.smoothed.tolist(), strict=True))
    assert zoomed.smoothed.tolist() == [at[step] for step in zoomed.points.step.tolist()]


def test_last_of_equal_steps_is_returned_and_the_others_are_counted() -> None:
    """The data contain all of them; on the step axis only the last is returned."""
    run = run_of([1, 2, 2, 2, 3], [1, 2, 3, 4, 5])

    drawn = select(run, LOSS, 0, None, Window(points=100), None)
    raw = select(run, LOSS, 0, None, Window(points=0), None)
    by_time = select(run, LOSS, 0, None, Window(axis="wall_time", points=100), None)
    everything = select(run, LOSS, 0, ALL, Window(points=100), None)

    assert (drawn.points.value.tolist(), drawn.total, drawn.duplicates) == ([1, 4, 5], 5, 2)
    assert raw.points.total == by_time.points.total == everything.points.total == 5
    assert raw.duplicates == by_time.duplicates == everything.duplicates == 0


def test_decreasing_steps_are_sorted_unless_every_attempt_is_requested() -> None:
    """Points are sorted along the axis, stably; attempt=all keeps file order."""
    run = run_of([5, 1, 3, 1], [1, 2, 3, 4])

    assert select(run, LOSS, 0, None, Window(), None).points.step.tolist() == [1, 1, 3, 5]
    assert select(run, LOSS, 0, None, Window(), None).points.value.tolist() == [2, 4, 3, 1]
    assert select(run, LOSS, 0, ALL, Window(), None).points.step.tolist() == [5, 1, 3, 1]


def test_relative_axis_counts_from_the_start_of_the_run() -> None:
    """Bounds on the relative axis are seconds since the run's first event."""
    run = run_of([1, 2, 3], wall_time=[1000.0, 1010.0, 1020.0])

    selected = select(run, LOSS, 0, None, Window(axis="relative", lo=5, hi=15), None)

    assert selected.points.step.tolist() == [2]


@given(values, st.integers(0, 300), st.integers(0, 300))
def test_best_values_are_those_of_every_point_in_the_window(value: np.ndarray, lo: int, length: int) -> None:
    """However few points are returned: the finite extremes, each at the first step with it."""
    run = run_of(list(range(len(value) + 1)), [*value.tolist(), np.nan])

    best = select(run, LOSS, 0, None, Window(lo=lo, hi=lo + length, points=4), None).best

    inside = [(x, step) for step, x in enumerate(value.tolist()) if lo <= step <= lo + length and np.isfinite(x)]
    least, most = min(inside, default=(None, None)), max(inside, key=lambda at: (at[0], -at[1]), default=(None, None))
    assert best == (*least, *most)


def test_best_values_are_those_of_points_that_no_equal_step_hides() -> None:
    """Over time, and in all attempts, every point is drawn."""
    run = run_of([1, 2, 2, 3], [5, 9, 6, 5])

    assert select(run, LOSS, 0, None, Window(points=100), None).best == (5.0, 1, 6.0, 2)
    assert select(run, LOSS, 0, None, Window(), None).best == (5.0, 1, 6.0, 2)
    assert select(run, LOSS, 0, ALL, Window(points=100), None).best == (5.0, 1, 9.0, 2)
    assert select(run, LOSS, 0, None, Window(axis="relative"), None).best == (5.0, 1, 9.0, 2)


@given(st.lists(st.integers(0, 40), max_size=20))
def test_growing_series_does_not_change_earlier_views(sizes: list[int]) -> None:
    """Whatever is appended, a series contains all points in order, and earlier views do not change."""
    series, views, total = PointSeries(NO_POINTS), [], 0
    for size in sizes:
        steps = np.arange(total, total + size, dtype=np.int64)
        series.append(Points(steps, steps.astype(float), -steps.astype(float)))
        total += size
        views.append((total, series.points()))

    for length, points in views:
        assert isinstance(points, Points)
        assert points.step.tolist() == list(range(length))
        assert points.value.tolist() == [-float(step) for step in range(length)]
