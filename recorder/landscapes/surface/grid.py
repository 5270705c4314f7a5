"""Grid: the measured nodes of a loss landscape, level by level, and the nodes that are written."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.landscapes.weights.gram import Doubles

Integers = npt.NDArray[np.int64]
FIRST_LEVEL, LAST_LEVEL = 2, 8
_MARGIN = 0.2
_MIN_RATIO = 1e-6
"""The least ratio of a path's extents along the two axes; a smaller one is rounding."""


class MeasuredAxis(NamedTuple):
    """The nodes of nested levels along an axis: level k has 2^k + 1 nodes, every second one of level k - 1."""

    spacing: float
    """Between the five nodes of the first level; 0: every level has the single node 0."""
    zero: int
    """The number of the node at 0 in the first level, 0..4."""

    def nodes(self, level: int) -> Doubles:
        """Return the coordinates, shape (2^level + 1,), ascending; nodes of coarser levels have the same bits."""
        if not self.spacing:
            return np.zeros(1)
        finer = 2 ** (level - FIRST_LEVEL)
        nodes: Doubles = (np.arange(4 * finer + 1) - self.zero * finer) * (self.spacing / finer)
        return nodes


class Grid(NamedTuple):
    """The nodes at which losses are measured, and those at which they are written."""

    x: MeasuredAxis
    y: MeasuredAxis
    written_x: Doubles
    """(n,): evenly spaced; one is 0.0."""
    written_y: Doubles
    levels: int
    """The last level."""


def grid_for(path: Doubles | None, size: int, levels: int | None = None, *, is_line: bool = False) -> Grid:
    """Return the grid around a path.

    The written nodes are MindSpore's, linspace(min - 0.2 range, max + 0.2 range, size) along each axis, shifted by at
    most half a cell so that one of them is the origin, where the model is. The measured nodes cover them. For a path on
    the x axis, the grid extends equally far along y.

    Args:
        path: (T, 2), coordinates of the checkpoints including (0, 0); None: the grid is from -1 to 1 along both axes.
        size: written nodes along each axis, 3..256.
        levels: the last level to measure, 2..8; None: the first with at least *size* nodes along an axis.
        is_line: whether the loss is measured along x only; the written losses are then the same for all y.

    Raises:
        TypeError: size or levels is not an integer.
        ValueError: size or levels is out of range, or the path has no extent or is not finite.
    """
    size = checked_integer("landscape_size", size, 3, 256)
    level = max((size - 2).bit_length(), FIRST_LEVEL)
    last = level if levels is None else checked_integer("levels", levels, FIRST_LEVEL, LAST_LEVEL)
    (low_x, high_x), (low_y, high_y) = _ranges(path)
    written_x, written_y = _written_axis(low_x, high_x, size), _written_axis(low_y, high_y, size)
    y = MeasuredAxis(0.0, 0) if is_line else _measured_axis(written_y)
    return Grid(_measured_axis(written_x), y, written_x, written_y, last)


def new_nodes(grid: Grid, level: int, path: Doubles | None) -> Integers:
    """Return the nodes of a level that are in no coarser level, shape (M, 2), in the order in which they are measured.

    A row is (i, j): the numbers of the node along y and along x. The origin, with which the others are compared, is
    first; then the nodes nearest to the path, with distances in units of the cells; of equally near nodes, those with
    the smaller numbers.

    Args:
        grid: of the landscape.
        level: 2..8; all nodes of the first level, 2, are new.
        path: (T, 2); None: the origin.
    """
    x, y = grid.x.nodes(level), grid.y.nodes(level)
    rows, columns = np.divmod(np.arange(y.size * x.size), x.size)
    if level > FIRST_LEVEL:
        is_new = (rows % 2 == 1) | (columns % 2 == 1)
        rows, columns = rows[is_new], columns[is_new]
    cells = np.array([grid.x.spacing, grid.y.spacing or 1])
    nodes = np.stack([x[columns], y[rows]], axis=1) / cells
    distances = _distances(nodes, (np.zeros((1, 2)) if path is None else path) / cells)
    # Rounded, so that rounding errors do not decide between equally near nodes.
    order = np.argsort(np.where(nodes.any(axis=1), np.round(distances, 9), -1), kind="stable")
    return np.stack([rows, columns], axis=1)[order]


def _ranges(path: Doubles | None) -> Doubles:
    """Return the least and largest coordinate along each axis, shape (2, 2)."""
    if path is None:
        # With the margin, from -1 to 1.
        reach = 1 / (1 + 2 * _MARGIN)
        return np.array([[-reach, reach], [-reach, reach]])
    if not np.isfinite(path).all():
        raise ValueError("The path of a landscape has coordinates that are not finite.")
    low: Doubles = np.minimum(path.min(axis=0), 0.0)
    high: Doubles = np.maximum(path.max(axis=0), 0.0)
    extent = high - low
    if not extent.any():
        raise ValueError("The path of a landscape needs points that differ; all are equal.")
    for axis, other in ((0, 1), (1, 0)):
        if extent[axis] <= _MIN_RATIO * extent[other]:
            low[axis], high[axis] = -extent[other] / 2, extent[other] / 2
    return np.stack([low, high], axis=1)


def _written_axis(low: float, high: float, size: int) -> Doubles:
    margin = _MARGIN * (high - low)
    spacing = (high - low + 2 * margin) / (size - 1)
    zero = round((margin - low) / spacing)
    return (np.arange(size) - zero) * np.float64(spacing)


def _measured_axis(written: Doubles) -> MeasuredAxis:
    """Return the axis of least extent that covers the written nodes."""
    below, above = -written[0], written[-1]
    sides = [(max(_per_cell(below, zero), _per_cell(above, 4 - zero)), zero) for zero in range(5)]
    spacing, zero = min(sides)
    return MeasuredAxis(float(spacing), zero)


def _per_cell(length: float, cells: int) -> float:
    """Return the size of cells that cover a length; infinity for no cells, unless there is nothing to cover."""
    if not cells:
        return 0.0 if length <= 0 else float("inf")
    spacing = length / cells
    return spacing if spacing * cells >= length else float(np.nextafter(spacing, np.inf))


def _distances(nodes: Doubles, path: Doubles) -> Doubles:
    """Return the distances of nodes (M, 2) from the line segments of a path (T, 2)."""
    nearest: Doubles = np.linalg.norm(nodes - path[0], axis=1)
    for start, end in pairwise(path):
        along = end - start
        square = along @ along
        share = np.clip((nodes - start) @ along / square, 0, 1) if square > 0 else np.zeros(len(nodes))
        distances: Doubles = np.linalg.norm(nodes - start - share[:, None] * along, axis=1)
        nearest = np.minimum(nearest, distances)
    return nearest
