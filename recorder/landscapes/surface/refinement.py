"""Refinement: the losses of one landscape in stages, a first picture soon, then level by level."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.landscapes.surface.grid import FIRST_LEVEL, Grid, new_nodes
from toposcope.recorder.landscapes.sweep.journal import Journal, Place
from toposcope.recorder.landscapes.sweep.measuring import Request

Doubles = npt.NDArray[np.float64]
PREVIEW_SAMPLES = 192
# A preview is worth its time where whole losses take so much longer.
_WORTH_PREVIEW = 4


class Stage(NamedTuple):
    """What is measured before the landscape is published anew."""

    level: int
    samples: int
    requests: tuple[Request, ...]


class LevelLosses(NamedTuple):
    """What is known of the nodes of a level; arrays of shape (m, n), row along y, column along x."""

    z: Doubles
    """Mean losses; NaN where a loss is NaN, where there is a hole, and where nothing is known yet."""
    known: npt.NDArray[np.bool_]
    """Where a loss was measured, or tried in vain."""
    standard_error: Doubles
    """Of the mean; NaN where it is not known."""


class PathLosses(NamedTuple):
    """Losses of the T checkpoints, each of shape (T,)."""

    z: Doubles
    standard_error: Doubles


def stages(grid: Grid, path: Doubles, has_path: bool, samples: int) -> list[Stage]:
    """Return what is to be measured, in order.

    Args:
        grid: the nodes.
        path: coordinates of the checkpoints, shape (T, 2); their real losses are measured.
        has_path: whether the losses of the plane at these coordinates are, too.
        samples: behind each loss.
    """
    real = tuple(range(len(path)))
    planned = []
    if samples >= _WORTH_PREVIEW * PREVIEW_SAMPLES:
        preview = [_real(number, PREVIEW_SAMPLES) for number in real]
        planned.append(
            Stage(FIRST_LEVEL, PREVIEW_SAMPLES, (*preview, *_nodes(grid, FIRST_LEVEL, path, PREVIEW_SAMPLES)))
        )
    along = [_real(number, samples) for number in real]
    if has_path:
        along += [Request(Place("plane", 0, 0, t, samples), tuple(map(float, path[t]))) for t in real]
    for level in range(FIRST_LEVEL, grid.levels + 1):
        planned.append(Stage(level, samples, (*along, *_nodes(grid, level, path, samples))))
        along = []
    return planned


def level_losses(journal: Journal, grid: Grid, stage: Stage) -> LevelLosses:
    """Return what the journal knows of the nodes of a stage's level, and of those before it."""
    shape = grid.y.nodes(stage.level).size, grid.x.nodes(stage.level).size
    losses = LevelLosses(np.full(shape, np.nan), np.zeros(shape, np.bool_), np.full(shape, np.nan))
    for place, measurement in journal.measured.items():
        if place.kind == "node" and place.samples == stage.samples and place.level <= stage.level:
            finer = stage.level - place.level
            node = place.i << finer, place.j << finer
            losses.known[node] = True
            if measurement.sums is not None:
                losses.z[node], losses.standard_error[node] = measurement.sums.mean, measurement.sums.standard_error
    return losses


def path_losses(journal: Journal, kind: str, numbers: Sequence[int], samples: int) -> PathLosses:
    """Return the losses of the checkpoints with these numbers, "real" or on the "plane"; NaN where there are none."""
    losses = PathLosses(np.full(len(numbers), np.nan), np.full(len(numbers), np.nan))
    for t, number in enumerate(numbers):
        measurement = journal.measured.get(Place(kind, 0, 0, number, samples))
        if measurement is not None and measurement.sums is not None:
            losses.z[t], losses.standard_error[t] = measurement.sums.mean, measurement.sums.standard_error
    return losses


def _nodes(grid: Grid, level: int, path: Doubles, samples: int) -> Iterator[Request]:
    x, y = grid.x.nodes(level), grid.y.nodes(level)
    for i, j in new_nodes(grid, level, path).tolist():
        yield Request(Place("node", level, i, j, samples), (float(x[j]), float(y[i])))


def _real(number: int, samples: int) -> Request:
    return Request(Place("real", 0, 0, number, samples), ())
