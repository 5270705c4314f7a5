"""A plan: which landscapes are to be computed from the checkpoints of a training, and how."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toposcope.recorder import log
from toposcope.recorder.landscapes.plan.settings import LandscapeSettings, landscape_settings
from toposcope.recorder.messages.plain_data import items_of
from toposcope.recorder.values.foreign import shown

CHECKPOINTS, METADATA = "ckpt_dir", "train_metadata.json"
_LEAST_POINTS = 3


class PlannedRun(NamedTuple):
    """The training of a run, as a landscape shows it."""

    directory: str
    """Where the landscape is written."""
    tag: str
    """`landscape_[first, last]` of an interval, `landscape_[last]` of the final one, as MindSpore names them; with
    "joint_" before it where several runs are on one plane."""
    ckpt_dir: str
    points: tuple[int, ...]
    """Steps or epochs; of a final landscape the last one alone."""
    unit: str
    step_per_epoch: int


class PlannedLandscape(NamedTuple):
    """One landscape."""

    runs: tuple[PlannedRun, ...]
    """Whose last checkpoint is the origin; others with checkpoints on the same plane."""

    @property
    def own(self) -> PlannedRun:
        """Return the run whose last checkpoint is the origin."""
        return self.runs[0]

    @property
    def is_final(self) -> bool:
        """Whether it shows the surroundings of the last checkpoint, without a path."""
        return len(self.own.points) == 1


class LandscapePlan(NamedTuple):
    """What the training has left, as its metadata say and the user wants."""

    landscapes: tuple[PlannedLandscape, ...]
    landscape_size: int
    num_samples: int


def plan_of(summary_dir: str, collect_landscape: object, output: str | None = None) -> LandscapePlan:
    """Return what is to be computed from the checkpoints of a run.

    Args:
        summary_dir: its directory; `ckpt_dir` in it has `train_metadata.json`, of ours or MindSpore's.
        collect_landscape: keys of SummaryCollector's dict, in place of the values of the training; or None. Its
            intervals choose among the checkpoints there are.
        output: directory to write to; None: summary_dir.

    Raises:
        TypeError: a value is of another type.
        ValueError: a key or a value is not allowed, or there are too few checkpoints.
        FileNotFoundError: there are no metadata, or no checkpoint of a wanted point.
    """
    given = {} if collect_landscape is None else dict(items_of("collect_landscape", collect_landscape))
    wanted = landscape_settings(given)
    assert wanted is not None
    ckpt_dir = os.path.join(summary_dir, CHECKPOINTS)
    path = os.path.join(ckpt_dir, METADATA)
    metadata = _read(path)
    recorded, saved, groups = _recorded(path, metadata)
    unit = given.get("unit", recorded.unit)
    if unit != recorded.unit:
        raise ValueError(f"The checkpoints are of {recorded.unit}s: unit is {recorded.unit!r}, not {unit!r}.")
    kinds = dict(recorded.create_landscape)
    kinds.update(
        {kind: wanted.create_landscape[kind] for kind in dict(items_of("kinds", given.get("create_landscape", {})))}
    )
    if given.get("intervals") is None:
        # MindSpore's metadata name points that an interrupted training never reached.
        intervals = [tuple(sorted(saved.intersection(group))) for group in groups]
    else:
        intervals = [tuple(sorted(set(interval))) for interval in wanted.intervals or ()]
        _refuse_missing(intervals, saved, unit)
    shown_points = _shown_points(intervals, kinds)
    if any(kinds.values()) and not shown_points:
        raise ValueError(
            f"A loss landscape needs at least {_LEAST_POINTS} checkpoints; "
            f"of the intervals that {path!r} names there are those of the {unit}s {shown(sorted(saved))}."
        )
    directory, step_per_epoch = summary_dir if output is None else output, _step_per_epoch(metadata)
    runs = [PlannedRun(directory, _tag(points), ckpt_dir, points, unit, step_per_epoch) for points in shown_points]
    return LandscapePlan(
        tuple(PlannedLandscape((run,)) for run in runs),
        wanted.landscape_size if "landscape_size" in given else recorded.landscape_size,
        wanted.num_samples if "num_samples" in given else recorded.num_samples,
    )


def joint_plan(plan: LandscapePlan, others: Sequence[str]) -> LandscapePlan:
    """Return a plan of one landscape with the intervals of a run and of others.

    Args:
        plan: of the run.
        others: directories of the others; all their intervals count.

    Raises:
        ValueError: a directory is given twice, or a run has no intervals.
        FileNotFoundError: there are no metadata or checkpoints in one.
    """
    plans = [plan, *(plan_of(other, {"create_landscape": {"train": True, "result": False}}) for other in others)]
    runs = tuple(_whole_run(each) for each in plans)
    places = [os.path.realpath(run.ckpt_dir) for run in runs]
    for number, place in enumerate(places):
        if place in places[:number]:
            raise ValueError(f"others are runs other than this one, each once; {others[number - 1]!r} is there twice.")
    return plan._replace(landscapes=(PlannedLandscape(runs),))


def _whole_run(plan: LandscapePlan) -> PlannedRun:
    """Return the run of a plan with the points of all its intervals."""
    intervals = [landscape.own for landscape in plan.landscapes if not landscape.is_final]
    if not intervals:
        raise ValueError("Several runs are shown on the plane of their intervals: create_landscape wants 'train'.")
    points = tuple(sorted({point for interval in intervals for point in interval.points}))
    return intervals[0]._replace(tag=f"joint_{_tag(points)}", points=points)


def _tag(points: tuple[int, ...]) -> str:
    return f"landscape_[{points[0]}, {points[-1]}]" if len(points) > 1 else f"landscape_[{points[0]}]"


def _shown_points(intervals: list[tuple[int, ...]], kinds: Mapping[str, bool]) -> list[tuple[int, ...]]:
    """Return the points of each landscape; a final one has only one."""
    planned = []
    for points in intervals if kinds["train"] else ():
        if len(points) >= _LEAST_POINTS:
            planned.append(points)
        else:
            log.warn("An interval has the checkpoints %s, fewer than %d: no landscape.", list(points), _LEAST_POINTS)
    if kinds["result"] and (reached := [points for points in intervals if points]):
        planned.append(reached[-1][-1:])
    return planned


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            metadata = json.load(file)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{path!r} is not there: a SummaryCollector with "
            "collect_specified_data={'collect_landscape': {...}} writes it and the checkpoints."
        ) from None
    except ValueError as error:
        raise ValueError(f"{path!r} is damaged: {error}.") from None
    if not isinstance(metadata, dict):
        raise ValueError(f"{path!r} is damaged: it holds no JSON object.")
    return metadata


def _recorded(path: str, metadata: dict[str, Any]) -> tuple[LandscapeSettings, set[int], list[tuple[int, ...]]]:
    """Return the settings of the training, the points that were saved, and its intervals."""
    keys = ("landscape_size", "unit", "num_samples", "create_landscape")
    try:
        settings = landscape_settings({key: metadata[key] for key in keys})
        saved = {int(point) for point in metadata["model_params_file_map"]}
        groups = [tuple(int(point) for point in group) for group in metadata["epoch_group"].values()]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{path!r} is damaged: {error!r}.") from None
    assert settings is not None
    return settings, saved, groups


def _refuse_missing(intervals: list[tuple[int, ...]], saved: set[int], unit: str) -> None:
    for points in intervals:
        if len(points) < _LEAST_POINTS:
            raise ValueError(f"An interval has at least {_LEAST_POINTS} different {unit}s, not {list(points)}.")
        if missing := [point for point in points if point not in saved]:
            raise FileNotFoundError(
                f"There is no checkpoint of {unit} {missing[0]}; there are those of {shown(sorted(saved))}."
            )


def _step_per_epoch(metadata: dict[str, Any]) -> int:
    steps = metadata.get("step_per_epoch")
    return steps if isinstance(steps, int) and not isinstance(steps, bool) and steps > 0 else 1
