"""The nodes of a landscape: nested levels that are measured, and the axes that are written."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.recorder.landscapes.surface.grid import Grid, grid_for, new_nodes
from toposcope.recorder.landscapes.weights.gram import Doubles

COORDINATES = st.floats(-1e3, 1e3).map(lambda number: round(number, 3))


@st.composite
def paths(draw: st.DrawFn) -> Doubles:
    """Return paths that end at the origin and have some extent."""
    points = draw(st.lists(st.tuples(COORDINATES, COORDINATES), min_size=1, max_size=6).filter(lambda p: np.any(p)))
    return np.array([*points, (0.0, 0.0)])


def axes_of(grid: Grid) -> list[tuple[Doubles, Doubles]]:
    """Return written and first measured nodes along x and y."""
    return [(grid.written_x, grid.x.nodes(2)), (grid.written_y, grid.y.nodes(2))]


@given(paths(), st.integers(3, 256))
def test_origin_is_a_node_and_the_axes_are_those_of_the_path(path: Doubles, size: int) -> None:
    """Written nodes are MindSpore's, shifted by at most half a cell."""
    grid = grid_for(path, size)

    low, high = path.min(axis=0), path.max(axis=0)
    for axis, written in enumerate((grid.written_x, grid.written_y)):
        assert written.shape == (size,)
        assert (written == 0).sum() == 1
        spacing = written[1] - written[0]
        assert np.allclose(np.diff(written), spacing)
        if high[axis] - low[axis] > 1e-5 * max(high - low):
            margin = 0.2 * (high[axis] - low[axis])
            theirs = np.linspace(low[axis] - margin, high[axis] + margin, size)
            assert np.abs(written - theirs).max() <= spacing * 0.5 * (1 + 1e-9)


@given(paths(), st.integers(3, 256))
def test_measured_nodes_cover_the_written_ones(path: Doubles, size: int) -> None:
    """Not further than is necessary to have the origin among five nodes."""
    for written, measured in axes_of(grid_for(path, size)):
        assert measured[0] <= written[0]
        assert written[-1] <= measured[-1]
        assert measured[-1] - measured[0] <= 1.61 * (written[-1] - written[0])


@given(paths(), st.integers(3, 256), st.integers(2, 7))
def test_levels_are_nested(path: Doubles, size: int, level: int) -> None:
    """Bit for bit; each has the origin."""
    grid = grid_for(path, size)
    for axis in (grid.x, grid.y):
        coarse, fine = axis.nodes(level), axis.nodes(level + 1)
        assert np.array_equal(fine[::2], coarse)
        assert (coarse == 0).sum() == 1
        assert (np.diff(fine) > 0).all()


@given(paths(), st.integers(2, 5))
def test_each_node_is_new_once(path: Doubles, last: int) -> None:
    """All levels together contain the nodes of the last one."""
    grid = grid_for(path, 9)
    seen = [
        (grid.y.nodes(level)[row], grid.x.nodes(level)[column])
        for level in range(2, last + 1)
        for row, column in new_nodes(grid, level, path)
    ]
    assert len(seen) == len(set(seen)) == (2**last + 1) ** 2


@pytest.mark.parametrize(
    ("size", "levels"), [(3, 2), (5, 2), (6, 3), (9, 3), (10, 4), (17, 4), (33, 5), (40, 6), (65, 6), (66, 7), (256, 8)]
)
def test_last_level_is_the_first_with_as_many_nodes(size: int, levels: int) -> None:
    """Unless the user sets it."""
    assert grid_for(None, size).levels == levels
    assert grid_for(None, size, levels=4).levels == 4


def test_nodes_near_the_path_are_first() -> None:
    """Distances are from the lines between its points, in units of cells; equally near nodes are ordered by number."""
    path = np.array([[40.0, 0.0], [0.0, 0.0]])
    grid = grid_for(path, 5)
    nodes = new_nodes(grid, 2, path)
    origin = int(np.argmin(np.abs(grid.y.nodes(2))))
    assert {tuple(node) for node in nodes[:4]} <= {(origin, column) for column in range(5)}
    points = np.stack([grid.x.nodes(2)[nodes[:, 1]] / grid.x.spacing, nodes[:, 0] - origin], axis=1)
    beyond = points[:, 0] - np.clip(points[:, 0], 0, 40 / grid.x.spacing)
    assert (np.diff(np.hypot(beyond, points[:, 1])) > -1e-8).all()

    around = new_nodes(grid_for(None, 5), 2, None)
    assert around[0].tolist() == [2, 2]
    assert around[1:5].tolist() == [[1, 2], [2, 1], [2, 3], [3, 2]]
    assert len(around) == 25


def test_without_a_path_axes_reach_from_minus_one_to_one() -> None:
    """With an even number of nodes, shifted by half a cell."""
    assert np.allclose(grid_for(None, 5).written_x, [-1, -0.5, 0, 0.5, 1])
    even = grid_for(None, 4)
    assert np.allclose(np.sort(np.abs(even.written_y)), [0, 2 / 3, 2 / 3, 4 / 3])
    assert even.x == even.y


@pytest.mark.parametrize("flat", [0, 1])
def test_path_along_one_axis_extends_equally_along_the_other(flat: int) -> None:
    """With the path in the middle."""
    path = np.array([[8.0, 8.0], [2.0, 2.0], [0.0, 0.0]])
    path[:, flat] *= 1e-12
    grid = grid_for(path, 9)
    along, across = (grid.written_x, grid.written_y) if flat else (grid.written_y, grid.written_x)

    assert across[-1] - across[0] == pytest.approx(along[-1] - along[0])
    assert across[4] == 0


def test_line_has_one_row_of_nodes() -> None:
    """The written nodes are a square nevertheless."""
    path = np.array([[1.0, 0.0], [0.4, 0.0], [0.0, 0.0]])
    grid = grid_for(path, 9, is_line=True)

    assert grid.written_y.shape == (9,)
    for level, number in ((2, 5), (3, 4), (4, 8)):
        assert grid.y.nodes(level).tolist() == [0]
        nodes = new_nodes(grid, level, path)
        assert nodes.shape == (number, 2)
        assert not nodes[:, 0].any()


def test_impossible_grids_are_refused() -> None:
    """The message names the value."""
    path = np.array([[1.0, 2.0], [0.0, 0.0]])
    for size in (2, 257):
        with pytest.raises(ValueError, match=f"landscape_size must be an integer from 3 to 256, not {size}"):
            grid_for(path, size)
    fraction: Any = 4.5
    with pytest.raises(TypeError, match="landscape_size must be an integer"):
        grid_for(path, fraction)
    for levels in (1, 9):
        with pytest.raises(ValueError, match=f"levels must be an integer from 2 to 8, not {levels}"):
            grid_for(path, 10, levels)
    with pytest.raises(ValueError, match="needs points that differ; all are equal"):
        grid_for(np.zeros((3, 2)), 10)
    with pytest.raises(ValueError, match="coordinates that are not finite"):
        grid_for(np.array([[np.nan, 1], [0, 0]]), 10)
