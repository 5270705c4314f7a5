"""Scalar series in memory: exact whatever they contain, in few bytes."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.server.reading.series.point_series import PointSeries, compact
from toposcope.server.reading.series.series import NO_POINTS, Points

INT64S = st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 5)
FLOATS = st.floats(width=32) | st.floats()
PARTS = st.lists(st.lists(st.tuples(INT64S, FLOATS, FLOATS), max_size=5), max_size=6)
REGULAR = st.tuples(st.integers(-100, 100), st.integers(-3, 3), st.lists(st.integers(0, 5), max_size=6))


def points(rows: list[tuple[int, float, float]]) -> Points:
    """Return points as a scan returns them."""
    steps, times, values = [list(column) for column in zip(*rows, strict=True)] if rows else ([], [], [])
    return Points(np.array(steps, np.int64), np.array(times, np.float64), np.array(values, np.float64))


def check(series: PointSeries, rows: list[tuple[int, float, float]]) -> None:
    """Check that a series contains some points."""
    expected = points(rows)
    assert series.points().total == len(rows)
    for column, wanted in zip(series.points(), expected, strict=True):
        assert column.dtype == wanted.dtype
        assert np.array_equal(column, wanted, equal_nan=column.dtype.kind == "f")


@given(PARTS, st.booleans())
def test_points_are_exact(parts: list[list[tuple[int, float, float]]], is_compact: bool) -> None:
    """A series contains what was appended, compact or not, and views returned before do not change."""
    form = compact if is_compact else lambda part: part
    first = form(points(parts[0])) if parts else NO_POINTS
    series, rows, views = PointSeries(first), list(parts[0]) if parts else [], []
    for part in parts[1:]:
        series.append(form(points(part)))
        rows += part
        check(series, rows)
        views.append((len(rows), series.points()))
    series.trim()
    check(series, rows)
    for length, view in views:
        assert view.step.tolist() == [step for step, _, _ in rows[:length]]


@given(REGULAR)
def test_regular_steps_stay_exact(progression: tuple[int, int, list[int]]) -> None:
    """Steps at regular distances, forwards, backwards or all equal, appended in parts of any size."""
    start, stride, sizes = progression
    series = PointSeries(NO_POINTS)
    rows: list[tuple[int, float, float]] = []
    for size in sizes:
        part = [(start + stride * (len(rows) + row), 0.0, 0.5) for row in range(size)]
        series.append(compact(points(part)))
        rows += part
        check(series, rows)
    if stride and rows:
        assert isinstance(series.points().compact_step, range)


@given(st.lists(st.tuples(st.integers(-9, 9), FLOATS, FLOATS), max_size=20), st.data())
def test_parts_of_points_are_exact(rows: list[tuple[int, float, float]], data: st.DataObject) -> None:
    """A slice, a mask and indices select from compact points what they select from columns."""
    whole, regular = points(rows), compact(points([(3 * row, *rest) for row, (_, *rest) in enumerate(rows)]))  # type: ignore[misc]
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))), bool)
    for where in (slice(1, None, 2), mask, np.flatnonzero(mask)[::-1]):
        assert np.array_equal(compact(whole).take(where).step, whole.step[where])
        assert np.array_equal(compact(whole).take(where).value, whole.value[where], equal_nan=True)
        assert np.array_equal(regular.take(where).step, 3 * np.arange(len(rows))[where])


# Prints the resident bytes a point of series that have grown together, as those of a live run.
GROWTH = """
import sys
import numpy as np
from toposcope.server.reading.series.point_series import PointSeries, compact
from toposcope.server.reading.series.series import NO_POINTS, Points

def resident():
    with open("/proc/self/statm") as file:
        return 4096 * int(file.read().split()[1])

def part(first):
    row = np.arange(first, first + 1000)
    step, value = eval(sys.argv[1]), eval(sys.argv[2])
    return compact(Points(step, row / 3, value.astype(np.float64)))

warm = PointSeries(NO_POINTS)  # What is imported and allocated once is not counted.
warm.append(part(0))
warm.trim()
series = [PointSeries(NO_POINTS) for _ in range(8)]
before = resident()
for first in range(0, 200_000, 1000):
    for each in series:
        each.append(part(first))
        each.trim()
print((resident() - before) / sum(each.total for each in series))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("step", "value", "bytes_a_point"),
    [
        ("10 * row", "row / 8", 12),
        ("10 * row", "row / 10", 16),
        ("row**2 % 1_000_003", "row / 8", 16),
        ("2**40 + row**2", "row / 10", 24),
    ],
)
def test_memory_of_a_point(step: str, value: str, bytes_a_point: int) -> None:
    """Float32 values at regular steps take 12 resident bytes, any point at most 24; capacity that is reserved none."""
    command = [sys.executable, "-c", GROWTH, step, value]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert 0.95 * bytes_a_point <= float(printed) <= 1.1 * bytes_a_point
