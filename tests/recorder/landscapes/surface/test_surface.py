"""The losses between measured nodes."""

from collections.abc import Callable

import numpy as np
import pytest

from toposcope.recorder.landscapes.surface.grid import Grid, grid_for
from toposcope.recorder.landscapes.surface.surface import hold_out_error, interpolation_error, surface_of
from toposcope.recorder.landscapes.weights.gram import Doubles

PATH = np.array([[3.0, 1.0], [1.0, -2.0], [0.0, 0.0]])
GRID = grid_for(PATH, 40)
Function = Callable[[Doubles, Doubles], Doubles]


def measured(grid: Grid, level: int, function: Function) -> Doubles:
    """Return a function at the nodes of a level."""
    return function(*np.meshgrid(grid.x.nodes(level), grid.y.nodes(level)))


def bowl(x: Doubles, y: Doubles) -> Doubles:
    """Return the losses of a bowl."""
    return 0.1 + 0.5 * x**2 + 0.05 * (y - x) ** 2


def test_logarithm_of_positive_losses_is_interpolated() -> None:
    """A cubic logarithm is exact; other losses are close, and closer at finer levels."""

    def cubic(x: Doubles, y: Doubles) -> Doubles:
        return np.exp(0.3 * x**3 - 0.1 * x * y**2 + y - 2)

    written = np.meshgrid(GRID.written_x, GRID.written_y)
    surface = surface_of(GRID, 2, measured(GRID, 2, cubic))
    assert surface.is_logarithmic
    assert surface.losses.shape == (40, 40)
    assert np.allclose(surface.losses, cubic(*written), rtol=1e-9)

    errors = [
        np.abs(surface_of(GRID, level, measured(GRID, level, bowl)).losses / bowl(*written) - 1).max()
        for level in (2, 4, 6)
    ]
    assert errors[0] > 10 * errors[1] > 100 * errors[2]
    assert errors[2] < 1e-4


def test_other_losses_are_interpolated_directly() -> None:
    """A likelihood may be negative, and a loss zero."""
    surface = surface_of(GRID, 3, measured(GRID, 3, lambda x, y: x**3 - y))

    assert not surface.is_logarithmic
    assert np.allclose(surface.losses, GRID.written_x**3 - GRID.written_y[:, None], atol=1e-9)


def test_measured_nodes_have_their_exact_losses() -> None:
    """The origin always is one."""
    losses = measured(GRID, 4, bowl) * np.random.default_rng(0).uniform(0.5, 2, size=(17, 17))
    surface = surface_of(GRID, 4, losses)

    origin = losses[np.ix_(GRID.y.nodes(4) == 0, GRID.x.nodes(4) == 0)]
    assert surface.losses[np.ix_(GRID.written_y == 0, GRID.written_x == 0)] == origin


@pytest.mark.parametrize("hole", [np.nan, np.inf])
def test_holes_stay_holes_and_do_not_affect_other_nodes(hole: float) -> None:
    """Written nodes have no loss if the nearest measured one has no finite loss."""
    losses = measured(GRID, 4, bowl)
    losses[-6:, -6:] = hole
    surface = surface_of(GRID, 4, losses)

    x, y = GRID.x.nodes(4), GRID.y.nodes(4)
    beyond = np.outer(GRID.written_y > (y[-6] + y[-7]) / 2, GRID.written_x > (x[-6] + x[-7]) / 2)
    assert beyond.any()
    assert np.array_equal(np.isnan(surface.losses), beyond)
    written = bowl(*np.meshgrid(GRID.written_x, GRID.written_y))
    near = np.outer(GRID.written_y < y[-9], GRID.written_x < x[-9])
    assert np.allclose(surface.losses[near], written[near], rtol=1e-2)


def test_a_surface_of_holes_has_no_losses() -> None:
    """For a model that has diverged everywhere, or was measured at one node only."""
    assert np.isnan(surface_of(GRID, 2, np.full((5, 5), np.nan)).losses).all()
    losses = np.full((5, 5), np.nan)
    losses[2, 2] = 0.5
    surface = surface_of(GRID, 2, losses).losses
    assert np.isnan(surface).any()
    assert np.allclose(surface[np.isfinite(surface)], 0.5)


def test_hold_out_error_is_that_of_the_prediction() -> None:
    """Of the new nodes, before they are measured."""
    for level in (2, 3, 4):
        coarse, fine = measured(GRID, level, bowl), measured(GRID, level + 1, bowl)
        error = hold_out_error(GRID, level, coarse, fine)
        predicted = surface_of(
            GRID._replace(written_x=GRID.x.nodes(level + 1), written_y=GRID.y.nodes(level + 1)), level, coarse
        ).losses
        relative = np.abs(predicted / fine - 1)
        new = np.ones_like(relative, bool)
        new[::2, ::2] = False
        assert error == pytest.approx(np.percentile(relative[new], 95))


def test_hold_out_error_needs_new_nodes() -> None:
    """Holes are not predicted."""
    coarse, fine = measured(GRID, 2, bowl), measured(GRID, 3, bowl)
    fine[1, :] = np.nan
    assert hold_out_error(GRID, 2, coarse, fine) is not None
    fine[:] = np.nan
    assert hold_out_error(GRID, 2, coarse, fine) is None


def test_expected_error_is_near_the_true_one() -> None:
    """Rather too large than too small for a smooth loss, since a spline improves more with each level."""
    for level in (4, 5, 6):
        losses = measured(GRID, level, bowl)
        expected = interpolation_error(GRID, level, losses)
        true = hold_out_error(GRID, level, losses, measured(GRID, level + 1, bowl))
        assert expected is not None
        assert true is not None
        assert true / 2 < expected < 5 * true
    assert interpolation_error(GRID, 2, measured(GRID, 2, bowl)) is None
    coarse, fine = measured(GRID, 2, bowl), measured(GRID, 3, bowl)
    assert interpolation_error(GRID, 3, fine) == hold_out_error(GRID, 2, coarse, fine)


def test_line_is_the_same_for_all_y() -> None:
    """A loss along x only, with a hole."""
    path = np.array([[1.0, 0.0], [0.0, 0.0]])
    grid = grid_for(path, 20, is_line=True)
    losses = bowl(grid.x.nodes(4), np.zeros(1))[None]
    surface = surface_of(grid, 4, losses).losses

    assert surface.shape == (20, 20)
    assert np.allclose(surface, bowl(grid.written_x, np.zeros(1)), rtol=1e-3)
    assert (surface[:, grid.written_x == 0] == losses[:, grid.x.nodes(4) == 0]).all()
    assert interpolation_error(grid, 4, losses) == pytest.approx(0, abs=1e-3)
    losses[0, 0] = np.nan
    holes = np.isnan(surface_of(grid, 4, losses).losses)
    assert np.array_equal(holes, np.tile(grid.written_x < grid.x.nodes(5)[1], (20, 1)))
