"""LandscapePlan: which landscapes to compute from the checkpoints of a training, and how."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toposcope.recorder import log
from toposcope.recorder.landscapes.plan.settings import LandscapeSettings, landscape_settings
from toposcope.recorder.messages.plain_data import items_of
from toposcope.recorder.values.arrays.foreign_values import short_repr

CHECKPOINTS, METADATA = "ckpt_dir", "train_metadata.json"
_LEAST_POINTS = 3


class PlannedRun(NamedTuple):
    """A run on the plane of a landscape."""

    directory: str
    """The directory to which the landscape is written."""
    tag: str
    """`landscape_[first, last]` for an interval, `landscape_[last]` for the final one, as MindSpore names them; several
    runs on one plane have the prefix "joint_"."""
    ckpt_dir: str
    points: tuple[int, ...]
    """Steps or epochs; only the last one for a final landscape."""
    unit: str
    step_per_epoch: int


class PlannedLandscape(NamedTuple):
    """One landscape."""

    runs: tuple[PlannedRun, ...]
    """The run whose last checkpoint is the origin, then other runs on the same plane."""

    @property
    def main_run(self) -> PlannedRun:
        """The run whose last checkpoint is the origin."""
        return self.runs[0]

    @property
    def is_final(self) -> bool:
        """Whether it shows the loss around the last checkpoint, without a path."""
        return len(self.main_run.points) == 1


class LandscapePlan(NamedTuple):
    """The landscapes of a call, from the metadata of the training and the settings of the user."""

    landscapes: tuple[PlannedLandscape, ...]
    landscape_size: int
    num_samples: int


def plan_of(summary_dir: str, collect_landscape: object, output: str | None = None) -> LandscapePlan:
    """Return the plan of the landscapes of a run.

    Args:
        summary_dir: directory of the run; its folder `ckpt_dir` contains `train_metadata.json`, of ours or MindSpore's.
        collect_landscape: settings as for SummaryCollector, which replace those of the training; or None. Its intervals
            select from the existing checkpoints.
        output: directory to write to; None: summary_dir.

    Raises:
        TypeError: a value is of another type.
        ValueError: a key or a value is not allowed, or there are too few checkpoints.
        FileNotFoundError: there are no metadata, or there is no checkpoint of a selected point.
    """
    settings = {} if collect_landscape is None else dict(items_of("collect_landscape", collect_landscape))
    checked = landscape_settings(settings)
    assert checked is not None
    ckpt_dir = os.path.join(summary_dir, CHECKPOINTS)
    path = os.path.join(ckpt_dir, METADATA)
    metadata = _read(path)
    recorded, saved, groups = _recorded(path, metadata)
    unit = settings.get("unit", recorded.unit)
    if unit != recorded.unit:
        raise ValueError(f"unit is {recorded.unit!r}, as in the training, not {unit!r}.")
    kinds = dict(recorded.create_landscape)
    kinds.update(
        {kind: checked.create_landscape[kind] for kind in dict(items_of("kinds", settings.get("create_landscape", {})))}
    )
    if checked.intervals is None:
        # MindSpore's metadata contain points that an interrupted training has not reached.
        intervals = [tuple(sorted(saved.intersection(group))) for group in groups]
    else:
        intervals = [tuple(sorted(set(interval))) for interval in checked.intervals]
        _check_saved(intervals, saved, unit)
    shown_points = _shown_points(intervals, kinds)
    if any(kinds.values()) and not shown_points:
        raise ValueError(
            f"A loss landscape needs at least {_LEAST_POINTS} checkpoints; "
            f"for the intervals in {path!r} there are those of the {unit}s {short_repr(sorted(saved))}."
        )
    directory, step_per_epoch = summary_dir if output is None else output, _step_per_epoch(metadata)
    runs = [PlannedRun(directory, _tag(points), ckpt_dir, points, unit, step_per_epoch) for points in shown_points]
    return LandscapePlan(
        tuple(PlannedLandscape((run,)) for run in runs),
        checked.landscape_size if "landscape_size" in settings else recorded.landscape_size,
        checked.num_samples if "num_samples" in settings else recorded.num_samples,
    )


def joint_plan(plan: LandscapePlan, others: Sequence[str]) -> LandscapePlan:
    """Return a plan of one landscape with all intervals of several runs.

    Args:
        plan: of the run.
        others: directories of the other runs, of which all intervals are used.

    Raises:
        ValueError: a directory is passed twice, or a run has no intervals.
        FileNotFoundError: a directory contains no metadata or checkpoints.
    """
    plans = [plan, *(plan_of(other, {"create_landscape": {"train": True, "result": False}}) for other in others)]
    runs = tuple(_whole_run(each) for each in plans)
    paths = [os.path.realpath(run.ckpt_dir) for run in runs]
    for number, path in enumerate(paths):
        if path in paths[:number]:
            raise ValueError(
                f"others contains other runs than this one, each once; {others[number - 1]!r} is there twice."
            )
    return plan._replace(landscapes=(PlannedLandscape(runs),))


def _whole_run(plan: LandscapePlan) -> PlannedRun:
    """Return the run of a plan, with the points of all its intervals."""
    intervals = [landscape.main_run for landscape in plan.landscapes if not landscape.is_final]
    if not intervals:
        raise ValueError("Several runs need intervals for their common plane: create_landscape must enable 'train'.")
    points = tuple(sorted({point for interval in intervals for point in interval.points}))
    return intervals[0]._replace(tag=f"joint_{_tag(points)}", points=points)


def _tag(points: tuple[int, ...]) -> str:
    return f"landscape_[{points[0]}, {points[-1]}]" if len(points) > 1 else f"landscape_[{points[0]}]"


def _shown_points(intervals: list[tuple[int, ...]], kinds: Mapping[str, bool]) -> list[tuple[int, ...]]:
    """Return the points of each landscape, a single point for a final one."""
    planned = []
    for points in intervals if kinds["train"] else ():
        if len(points) >= _LEAST_POINTS:
            planned.append(points)
        else:
            log.warn("No landscape for the checkpoints %s: an interval has at least %d.", list(points), _LEAST_POINTS)
    if kinds["result"] and (reached := [points for points in intervals if points]):
        planned.append(reached[-1][-1:])
    return planned


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            metadata = json.load(file)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{path!r} does not exist: it is written, with the checkpoints, by a SummaryCollector with "
            "collect_specified_data={'collect_landscape': {...}}."
        ) from None
    except ValueError as error:
        raise ValueError(f"{path!r} is damaged: {error}.") from None
    if not isinstance(metadata, dict):
        raise ValueError(f"{path!r} is damaged: it does not contain a JSON object.")
    return metadata


def _recorded(path: str, metadata: dict[str, Any]) -> tuple[LandscapeSettings, set[int], list[tuple[int, ...]]]:
    """Return the settings of the training, the saved points, and the intervals."""
    keys = ("landscape_size", "unit", "num_samples", "create_landscape")
    try:
        settings = landscape_settings({key: metadata[key] for key in keys})
        saved = {int(point) for point in metadata["model_params_file_map"]}
        groups = [tuple(int(point) for point in group) for group in metadata["epoch_group"].values()]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{path!r} is damaged: {error!r}.") from None
    assert settings is not None
    return settings, saved, groups


def _check_saved(intervals: list[tuple[int, ...]], saved: set[int], unit: str) -> None:
    for points in intervals:
        if missing := [point for point in points if point not in saved]:
            raise FileNotFoundError(
                f"There is no checkpoint of {unit} {missing[0]}; the checkpoints are of {short_repr(sorted(saved))}."
            )


def _step_per_epoch(metadata: dict[str, Any]) -> int:
    steps = metadata.get("step_per_epoch")
    return steps if isinstance(steps, int) and not isinstance(steps, bool) and steps > 0 else 1
