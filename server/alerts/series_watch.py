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
from toposcope.server.expressions.syntax import Number, tags_of
from toposcope.server.reading.series.series import Float64s, Int64s, Points
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


def new_begins(condition: Comparison | NotFinite, run: RunView, progress: Progress) -> list[Begin]:
    """Return where a condition began to hold since the last call with this progress, which is changed.

    A condition is about the lowest rank that has its metrics, at the steps that all of them have. Points that arrive
    late, with a smaller step than others before them, are not looked at.
    """
    sides = [condition.value] if isinstance(condition, NotFinite) else [condition.left, condition.right]
    tails = _new_points(sides, condition, run, progress)
    if not tails:
        return []
    curves = {tag: last_of_each_step(tail) for tag, tail in tails.items()}
    for extreme in condition.extremes:
        curve = evaluate(extreme.operand, curves, "equal", "step")
        fold = np.fmin if extreme.function == "min" else np.fmax
        values = fold.accumulate(np.append(progress.extremes.get(extreme.name, np.nan), curve.value))[1:]
        curves[extreme.name] = curve._replace(value=values)
    evaluated = [_evaluated(side, curves) for side in sides]
    found = [curve for curve in evaluated if isinstance(curve, StepCurve)]
    steps = joined_steps(found, "equal")
    if progress.step is not None:
        steps = steps[np.searchsorted(steps, progress.step, "right") :]
    if not len(steps):
        return []
    _advance(progress, int(steps[-1]), tails, condition, curves)
    values_of = [
        values_at(each, steps, "equal")[1] if isinstance(each, StepCurve) else np.full(len(steps), each)
        for each in evaluated
    ]
    wall_times = found[0].wall_time[np.searchsorted(found[0].step, steps)]
    if isinstance(condition, NotFinite):
        return list(_begins(~np.isfinite(values_of[0]), steps, wall_times, values_of, 0, 0.0, progress))
    holds = _OPERATORS[condition.operator](*values_of)
    return list(_begins(holds, steps, wall_times, values_of, condition.steps, condition.seconds, progress))


def _new_points(
    sides: list[Side], condition: Comparison | NotFinite, run: RunView, progress: Progress
) -> dict[str, Points]:
    """Return the points of the tags of a condition from the last step on; nothing if there are no new ones."""
    trees = [*(side.tree for side in sides), *(extreme.operand for extreme in condition.extremes)]
    tags = dict.fromkeys(tag for tree in trees for tag in tags_of(tree) if not tag.startswith("\0"))
    tails = {}
    has_new = False
    for tag in tags:
        ranks = run.ranks_of(Tag("scalar", tag))
        if not ranks:
            return {}
        points = run.points(tag, ranks[0])
        place = progress.places.get(tag, 0)
        has_new |= points.total > place + (progress.step is not None)
        tails[tag] = points.take(slice(place, None)) if place else points
    return tails if has_new else {}


def _evaluated(side: Side, curves: Mapping[str, StepCurve]) -> StepCurve | float:
    return side.tree.value if isinstance(side.tree, Number) else evaluate(side.tree, curves, "equal", "step")


def _advance(
    progress: Progress,
    step: int,
    tails: Mapping[str, Points],
    condition: Comparison | NotFinite,
    curves: Mapping[str, StepCurve],
) -> None:
    """Continue from the last point of each series up to a step, which they have in common."""
    progress.step = step
    for tag, tail in tails.items():
        steps = tail.step
        if np.all(steps[1:] >= steps[:-1]):  # Otherwise points with greater steps may be before this one.
            progress.places[tag] = progress.places.get(tag, 0) + int(np.searchsorted(steps, step, "right")) - 1
    for extreme in condition.extremes:
        curve = curves[extreme.name]
        progress.extremes[extreme.name] = float(curve.value[np.searchsorted(curve.step, step, "right") - 1])


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
