"""Finds the points of a run at which a condition begins to hold, looking at each point once."""

import itertools
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.alerts.rules.condition import Comparison, NotFinite, Side
from toposcope.server.expressions.evaluation import evaluate
from toposcope.server.expressions.joining import StepCurve, joined_steps, last_of_each_step, values_at
from toposcope.server.expressions.syntax import Number, TagName, Tree
from toposcope.server.reading.series.series import CompactValues, Float64s, Int64s, Points
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.run import RunView

_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
Mask = npt.NDArray[np.bool_]


class Begin(NamedTuple):
    """A point at which a condition began to hold."""

    step: int
    wall_time: float
    """Seconds since 1970."""
    values: tuple[float, ...]
    """The values of the sides of the condition."""


@dataclass
class Progress:
    """How far the points of a run have been looked at for a condition."""

    places: dict[str, int] = field(default_factory=dict)
    """The index of the point to continue from, the last one that has been looked at, by tag."""
    step: int | None = None
    """The last one that has been looked at."""
    extremes: dict[str, float] = field(default_factory=dict)
    """The extremes at that step, by name."""
    held_since: tuple[int, float] | None = None
    """The step and the wall time since which a comparison holds; None: it does not."""
    is_raised: bool = False
    """Whether the condition has held since then for as long as it says."""


class Tail(NamedTuple):
    """The last points of a series."""

    step: Int64s
    is_ascending: bool
    """Whether no step is smaller than the one before."""
    curve: StepCurve
    """The last point of each step."""


class RunPoints:
    """The scalar series of a run, which are read once for all conditions.

    Args:
        run: as it is now.
    """

    def __init__(self, run: RunView) -> None:
        self._run = run
        self._points: dict[str, Points | None] = {}
        self._tails: dict[tuple[str, int], Tail] = {}

    def of(self, tag: str) -> Points | None:
        """Return the series of the lowest rank that has a tag; None if none has it."""
        if tag not in self._points:
            ranks = self._run.ranks_of(Tag("scalar", tag))
            self._points[tag] = self._run.points(tag, ranks[0]) if ranks else None
        return self._points[tag]

    def tail(self, tag: str, place: int) -> Tail:
        """Return the points of a tag that the run has, from an index on."""
        if (tag, place) not in self._tails:
            points = self.of(tag)
            assert points is not None, "the run has the tag"
            points = points.take(slice(place, None)) if place else points
            steps = points.step
            is_ascending = bool((steps[1:] >= steps[:-1]).all())
            self._tails[tag, place] = Tail(steps, is_ascending, last_of_each_step(points))
        return self._tails[tag, place]


def new_begins(condition: Comparison | NotFinite, points: RunPoints, progress: Progress) -> list[Begin]:
    """Return where a condition began to hold since the last call with this progress, which is changed.

    A condition is about the lowest rank that has its metrics, at the steps that all of them have. Points that arrive
    late, with a smaller step than others before them, are not looked at.
    """
    if not _has_new(condition, points, progress):
        return []
    tails = {tag: points.tail(tag, progress.places.get(tag, 0)) for tag in condition.tags}
    curves = {tag: tail.curve for tag, tail in tails.items()}
    for extreme in condition.extremes:
        curve = _evaluated(extreme.operand, curves)
        fold = np.fmin if extreme.function == "min" else np.fmax
        values = fold(fold.accumulate(_floats(curve.value)), progress.extremes.get(extreme.name, np.nan))
        curves[extreme.name] = curve._replace(value=values)
    trees = [side.tree for side in _sides_of(condition)]
    found = {at: _evaluated(tree, curves) for at, tree in enumerate(trees) if not isinstance(tree, Number)}
    first, *others = found.values()
    is_aligned = all(curve.step is first.step for curve in others)
    steps = first.step if is_aligned else joined_steps([first, *others], "equal")
    start = 0 if progress.step is None else int(steps.searchsorted(progress.step, "right"))
    steps = steps[start:]
    if not len(steps):
        return []
    _advance(progress, int(steps[-1]), tails, condition, curves)

    def values_of(at: int) -> Float64s:
        tree = trees[at]
        if isinstance(tree, Number):
            return np.full(len(steps), tree.value)
        return _floats(found[at].value[start:]) if is_aligned else values_at(found[at], steps, "equal")[1]

    compared = [values_of(at) for at in range(len(trees))]
    wall_times = first.wall_time[start:] if is_aligned else first.wall_time[np.searchsorted(first.step, steps)]
    if isinstance(condition, NotFinite):
        return list(_begins(~np.isfinite(compared[0]), steps, wall_times, compared, 0, 0.0, progress))
    holds = _OPERATORS[condition.operator](*compared)
    return list(_begins(holds, steps, wall_times, compared, condition.steps, condition.seconds, progress))


def _has_new(condition: Comparison | NotFinite, points: RunPoints, progress: Progress) -> bool:
    """Return whether the run has all tags of a condition, and new points of one."""
    totals = [0 if (series := points.of(tag)) is None else series.total for tag in condition.tags]
    seen = progress.step is not None
    is_new = [total > progress.places.get(tag, 0) + seen for tag, total in zip(condition.tags, totals, strict=True)]
    return all(totals) and any(is_new)


def _sides_of(condition: Comparison | NotFinite) -> tuple[Side, ...]:
    return (condition.value,) if isinstance(condition, NotFinite) else (condition.left, condition.right)


def _evaluated(tree: Tree, curves: Mapping[str, StepCurve]) -> StepCurve:
    return curves[tree.tag] if isinstance(tree, TagName) else evaluate(tree, curves, "equal", "step")


def _floats(values: CompactValues) -> Float64s:
    return values.astype(np.float64, copy=False)


def _advance(
    progress: Progress,
    step: int,
    tails: Mapping[str, Tail],
    condition: Comparison | NotFinite,
    curves: Mapping[str, StepCurve],
) -> None:
    """Continue from the last point of each series up to a step, which they have in common."""
    progress.step = step
    for tag, tail in tails.items():
        if tail.is_ascending:  # Otherwise points with greater steps may be before this one.
            progress.places[tag] = progress.places.get(tag, 0) + int(tail.step.searchsorted(step, "right")) - 1
    for extreme in condition.extremes:
        curve = curves[extreme.name]
        progress.extremes[extreme.name] = float(curve.value[curve.step.searchsorted(step, "right") - 1])


def _begins(
    holds: Mask,
    steps: Int64s,
    wall_times: Float64s,
    values: list[Float64s],
    least_steps: int,
    least_seconds: float,
    progress: Progress,
) -> Iterator[Begin]:
    """Yield the points at which a condition has held for long enough; changes the progress."""
    if not holds.any():
        progress.held_since, progress.is_raised = None, False
        return
    edges = [0, *(np.flatnonzero(holds[1:] != holds[:-1]) + 1).tolist(), len(holds)]
    for first, end in itertools.pairwise(edges):
        if not holds[first]:
            progress.held_since, progress.is_raised = None, False
            continue
        if progress.held_since is None:
            progress.held_since = int(steps[first]), float(wall_times[first])
        if progress.is_raised:
            continue
        step, wall_time = progress.held_since
        is_long = (steps[first:end] - step >= least_steps) & (wall_times[first:end] - wall_time >= least_seconds)
        if is_long.any():
            at = first + int(np.argmax(is_long))
            progress.is_raised = True
            yield Begin(int(steps[at]), float(wall_times[at]), tuple(float(each[at]) for each in values))
