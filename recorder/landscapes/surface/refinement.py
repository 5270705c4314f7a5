"""Refinement: the losses of one landscape in stages, first a quick preview, then level by level."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.landscapes.surface.grid import FIRST_LEVEL, Grid, new_nodes
from toposcope.recorder.landscapes.sweep.journal import Journal, Place
from toposcope.recorder.landscapes.sweep.measuring import Request

Doubles = npt.NDArray[np.float64]
PREVIEW_SAMPLES = 192
# A preview is measured if full losses take at least this many times longer.
_MIN_RATIO_FOR_PREVIEW = 4


class Stage(NamedTuple):
    """The measurements before the next publication of the landscape."""

    level: int
    samples: int
    requests: tuple[Request, ...]


class LevelLosses(NamedTuple):
    """The losses at the nodes of a level, as arrays of shape (m, n), rows along y."""

    z: Doubles
    """Mean losses; NaN for a NaN loss, for a hole, and where nothing has been measured yet."""
    known: npt.NDArray[np.bool_]
    """Where a loss has been measured, or the attempt has failed."""
    standard_error: Doubles
    """The standard error of the mean; NaN if unknown."""
    difference: Doubles
    """The mean difference from the losses of the same samples at the origin; NaN if unknown."""
    difference_error: Doubles
    """Its standard error; NaN if unknown."""
    units: int
    """The number of losses that the standard errors are computed from; 0 if nothing has been measured."""


class PathLosses(NamedTuple):
    """Losses of the T checkpoints, each of shape (T,)."""

    z: Doubles
    standard_error: Doubles
    difference_error: Doubles
    """The standard error of the difference of the losses on the plane from those of the checkpoints; NaN if unknown,
    as it is for the checkpoints."""


def stages(grid: Grid, path: Doubles, has_path: bool, samples: int) -> list[Stage]:
    """Return the stages of a landscape in order.

    Args:
        grid: the nodes.
        path: coordinates of the checkpoints, shape (T, 2); their real losses are measured.
        has_path: whether the losses of the plane at these coordinates are measured as well.
        samples: for each loss.
    """
    real = tuple(range(len(path)))
    planned = []
    if samples >= _MIN_RATIO_FOR_PREVIEW * PREVIEW_SAMPLES:
        preview = [_real(number, PREVIEW_SAMPLES) for number in real]
        planned.append(
            Stage(FIRST_LEVEL, PREVIEW_SAMPLES, (*preview, *_nodes(grid, FIRST_LEVEL, path, PREVIEW_SAMPLES)))
        )
    # A projection is compared with its checkpoint, whose losses the worker has if it has just measured them.
    along = [request for t in real for request in _of_checkpoint(t, path[t], has_path, samples)]
    for level in range(FIRST_LEVEL, grid.levels + 1):
        planned.append(Stage(level, samples, (*along, *_nodes(grid, level, path, samples))))
        along = []
    return planned


def level_losses(journal: Journal, grid: Grid, stage: Stage) -> LevelLosses:
    """Return the losses in the journal at the nodes of a stage's level and of the levels before it."""
    shape, units = (grid.y.nodes(stage.level).size, grid.x.nodes(stage.level).size), 0
    z, standard_error, difference, difference_error = np.full((4, *shape), np.nan)
    losses = LevelLosses(z, np.zeros(shape, np.bool_), standard_error, difference, difference_error, 0)
    for place, measurement in journal.measured.items():
        if place.kind == "node" and place.samples == stage.samples and place.level <= stage.level:
            finer = stage.level - place.level
            node = place.i << finer, place.j << finer
            losses.known[node] = True
            if measurement.sums is not None:
                losses.z[node], losses.standard_error[node] = measurement.sums.mean, measurement.sums.standard_error
                units = measurement.sums.units
            if measurement.difference is not None:
                losses.difference[node] = measurement.difference.mean
                losses.difference_error[node] = measurement.difference.standard_error
    return losses._replace(units=units)


def path_losses(journal: Journal, kind: str, numbers: Sequence[int], samples: int) -> PathLosses:
    """Return the losses of the checkpoints with these numbers, "real" or on the "plane"; NaN if there are none."""
    losses = PathLosses(*np.full((3, len(numbers)), np.nan))
    for t, number in enumerate(numbers):
        measurement = journal.measured.get(Place(kind, 0, 0, number, samples))
        if measurement is not None and measurement.sums is not None:
            losses.z[t], losses.standard_error[t] = measurement.sums.mean, measurement.sums.standard_error
            if measurement.difference is not None:
                losses.difference_error[t] = measurement.difference.standard_error
    return losses


def _nodes(grid: Grid, level: int, path: Doubles, samples: int) -> Iterator[Request]:
    x, y = grid.x.nodes(level), grid.y.nodes(level)
    for i, j in new_nodes(grid, level, path).tolist():
        yield Request(Place("node", level, i, j, samples), (float(x[j]), float(y[i])))


def _of_checkpoint(number: int, coordinates: Doubles, has_path: bool, samples: int) -> Iterator[Request]:
    yield _real(number, samples)
    if has_path:
        yield Request(Place("plane", 0, 0, number, samples), tuple(map(float, coordinates)))


def _real(number: int, samples: int) -> Request:
    return Request(Place("real", 0, 0, number, samples), ())
