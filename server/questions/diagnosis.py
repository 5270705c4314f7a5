"""Looks for what is wrong in a run: values that are not finite, divergence, spikes, stalls and plateaus."""

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.metric_direction import metric_direction
from toposcope.server.questions.answers import Diagnosis, Finding
from toposcope.server.questions.opening.opened import Opened, find_run
from toposcope.server.reading.series.series import Float64s, Int64s, Points
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.run import RunView
from toposcope.server.runs.statistics.running_median import running_median
from toposcope.server.text.text_table import count_text

_MAX_TAGS = 200
"""Tags of a run that are examined: a second of work."""
_LEAST_POINTS = 20
"""The points of a series in which a course can be seen."""
_BLOCKS = 20
"""Parts of a series whose medians are compared."""
_SIGMA = 1.4826
"""Standard deviation of a normal distribution by its median absolute deviation."""
_SPEED = re.compile(r"time|latency|seconds|duration|runtime|throughput|per_?sec|fps|speed|mfu|cost|machine/", re.I)
"""Names of metrics that say how fast a training is, not how well it learns."""
_WINDOW = 31
"""Points of the running median with which a spike is compared."""
_SUDDEN = 3
"""Points within which a spike has risen by half."""
_SPIKE_SIGMAS, _SPIKE_SHARE = 12.0, 0.25
"""How far a spike is above it: in standard deviations of the noise, and as a share of the median itself."""
_LOST_SHARE, _RISE_SHARE = 0.5, 0.1
"""What a diverging series loses of its improvement; or if it never improved, of its first level."""
_PLATEAU_SHARE, _LEVEL_SHARE = 0.02, 0.01
"""What a series on a plateau still improves at most, of its improvement before, or of its level."""
_GAP_SECONDS, _GAP_INTERVALS, _GAP_RATIO = 60.0, 20.0, 3.0
"""How long nothing is recorded in a stall: at least, in usual intervals, and beside the third longest pause."""
_SLOWER = 3.0
"""How many times as long steps take at the end, if that counts as a stall."""
_GRAVITY = ("state", "non_finite", "divergence", "stall", "spikes", "plateau")


class _Course(NamedTuple):
    """The finite values of a series by step, of which smaller ones are better."""

    step: Int64s
    value: Float64s
    noise: float
    """Standard deviation of the noise of one value."""


@np.errstate(over="ignore", invalid="ignore")  # The difference of two huge values is infinite, and no finding.
def diagnose_run(opened: Opened, name: str) -> Diagnosis:
    """Return what looks wrong in a run, with the numbers that say so.

    Raises:
        UnknownNameError: there is no such run.
    """
    run = find_run(opened.runs, name)
    tags = run.tags_of("scalar")[:_MAX_TAGS]
    findings = [*_of_state(run), *_of_times(run, tags)]
    for tag in tags:
        findings += _of_tag(opened, run, tag)
    findings.sort(key=lambda finding: _GRAVITY.index(finding.kind))
    return Diagnosis(name, run.state.state, findings, len(findings), len(tags))


def _of_state(run: RunView) -> Iterator[Finding]:
    state = run.state
    last = run.steps[1] if run.steps else None
    if state.state in ("failed", "lost", "stalled", "interrupted"):
        error = ": ".join(filter(None, state.error[:2])) if state.error else ""
        yield Finding("state", None, last, f"The run is {state.state}{': ' if error else '.'}{error}", {})


def _of_tag(opened: Opened, run: RunView, tag: str) -> Iterator[Finding]:
    """Yield what is wrong in a scalar series."""
    points = _points(run, tag)
    finite = np.isfinite(points.value)
    if not finite.all():
        yield _non_finite(tag, points, finite)
    direction = metric_direction(tag)
    if direction is None or _SPEED.search(tag) or finite.sum() < _LEAST_POINTS:
        return
    value = points.value[finite] * (1.0 if direction == "min" else -1.0)
    course = _Course(points.step[finite], value, _noise(value))
    diverged = _divergence(tag, course, direction)
    if diverged is not None:
        yield diverged
    if direction == "min":
        yield from _spikes(tag, course)
    plateau = None if diverged is not None else _plateau(tag, course)
    if plateau is not None:
        yield plateau


def _points(run: RunView, tag: str) -> Points:
    """Return a series by step; of several points with the same step, the last."""
    rank = run.ranks_of(Tag("scalar", tag))[0]
    points = run.ordered(tag, rank, None, "step")[0]
    return points.take(np.flatnonzero(np.append(points.step[1:] != points.step[:-1], True)))


def _noise(value: Float64s) -> float:
    """Return the standard deviation of the noise, from the differences of successive values."""
    differences = np.diff(value)
    return float(_SIGMA * np.median(np.abs(differences - np.median(differences))) / np.sqrt(2))


def _non_finite(tag: str, points: Points, finite: npt.NDArray[np.bool_]) -> Finding:
    first = int(points.step[~finite][0])
    count, total = int((~finite).sum()), len(finite)
    text = f"{tag} is not finite from step {first} on in {count} of {total} points."
    return Finding("non_finite", tag, first, text, {"points": count, "of": total})


def _divergence(tag: str, course: _Course, direction: str) -> Finding | None:
    """Return whether the series lost much of what it had gained, and has not recovered at its end."""
    value, sign = course.value, 1 if direction == "min" else -1
    levels = [float(np.median(block)) for block in np.array_split(value, min(_BLOCKS, len(value) // 5))]
    best = int(np.argmin(levels))
    end = float(np.median(value[-max(3, len(value) // 50) :]))
    gained, lost = levels[0] - levels[best], end - levels[best]
    least = _LOST_SHARE * gained if gained > 4 * course.noise else max(gained, _RISE_SHARE * abs(levels[0]))
    if lost <= max(least, 4 * course.noise):
        return None
    threshold = levels[best] + lost / 2
    below = np.flatnonzero(value <= threshold)
    begin = int(course.step[below[-1]]) if len(below) else int(course.step[0])
    text = (
        f"{tag} was {sign * levels[best]:.4g} at best and is {sign * end:.4g} at the end; it turned near step {begin}."
    )
    numbers = {"first": sign * levels[0], "best": sign * levels[best], "end": sign * end, "noise": course.noise}
    return Finding("divergence", tag, begin, text, numbers)


def _spikes(tag: str, course: _Course) -> Iterator[Finding]:
    """Yield whether single points are far above their neighbours."""
    half = _WINDOW // 2
    if len(course.value) < 2 * _WINDOW:
        return
    usual = running_median(course.value, _WINDOW)
    above = (course.value - usual)[half:-half]
    deviations = _SIGMA * float(np.median(np.abs(above)))
    least = np.maximum(_SPIKE_SIGMAS * deviations, _SPIKE_SHARE * np.abs(usual[half:-half]))
    sudden = (course.value[half:-half] - course.value[half - _SUDDEN : -half - _SUDDEN]) > above / 2
    rows = np.flatnonzero((above > np.maximum(least, np.finfo(np.float64).tiny)) & sudden) + half
    if not len(rows):
        return
    row = int(rows[np.argmax((course.value - usual)[rows])])
    step, highest, level = int(course.step[row]), float(course.value[row]), float(usual[row])
    points = count_text(len(rows), "point")
    text = f"{tag} jumps far above its neighbours at {points}; the highest, {highest:.4g}, is at step {step}."
    yield Finding("spikes", tag, step, text, {"points": len(rows), "highest": highest, "usual": level})


def _plateau(tag: str, course: _Course) -> Finding | None:
    """Return whether the series certainly improves no more in its last three quarters, or never did."""
    first, early, _, late = np.array_split(course.value, 4)
    start = float(np.median(first[: max(5, len(first) // 5)]))
    level, end = float(np.median(early)), float(np.median(late))
    # The error of the difference of two medians, three times.
    error = 3 * 1.25 * course.noise * np.sqrt(1 / len(early) + 1 / len(late))
    improved = level - end
    most = max(_PLATEAU_SHARE * abs(start - end), _LEVEL_SHARE * abs(end))
    if abs(improved) + error >= most:
        return None
    step = int(course.step[len(first)])
    share = 100 * improved / abs(start - end) if start != end else 0.0
    text = f"{tag} improves no more after step {step}: by {share:.1f} % of the whole change since the start."
    return Finding("plateau", tag, step, text, {"start": abs(start), "level": abs(level), "end": abs(end)})


def _of_times(run: RunView, tags: list[str]) -> Iterator[Finding]:
    """Yield whether a training stood still, or became much slower, in its last attempt."""
    series = [(tag, _last_attempt(run, tag)) for tag in tags]
    tag, points = max(series, key=lambda each: each[1].total, default=(None, None))
    if points is None or points.total < _LEAST_POINTS:
        return
    intervals = np.diff(points.wall_time)
    usual = float(np.median(intervals))
    longest, third = np.sort(intervals)[-1], np.sort(intervals)[-3]
    if longest > max(_GAP_SECONDS, _GAP_INTERVALS * usual, _GAP_RATIO * third):
        step = int(points.step[int(np.argmax(intervals))])
        text = (
            f"Nothing was recorded for {longest:.0f} s after step {step}; usually, {usual:.3g} s pass between points."
        )
        yield Finding("stall", tag, step, text, {"seconds": float(longest), "usual_seconds": usual})
    before, after = np.array_split(intervals, [3 * len(intervals) // 4])
    slow, usual = float(np.median(after)), float(np.median(before))
    if usual > 0 and slow > _SLOWER * usual and slow * len(after) > _GAP_SECONDS:
        step = int(points.step[len(before)])
        text = f"Since about step {step}, {slow:.3g} s pass between points; before, {usual:.3g} s."
        yield Finding("stall", tag, step, text, {"seconds": slow, "usual_seconds": usual})


def _last_attempt(run: RunView, tag: str) -> Points:
    rank = run.ranks_of(Tag("scalar", tag))[0]
    return run.ordered(tag, rank, len(run.attempts[rank]), "step")[0]
