"""The projection of a path onto a plane: coordinates, residuals and energy."""

from pathlib import Path

import numpy as np
import pytest
from support.checkpoint_folders import leave_path

from toposcope.recorder.landscapes.planes.axes import anchored_axes, axes_along, pca_axes
from toposcope.recorder.landscapes.planes.projection import projection_of
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet
from toposcope.recorder.landscapes.weights.gram import Doubles

SIZE = 400


@pytest.fixture
def checkpoints(tmp_path: Path) -> CheckpointSet:
    """Return those of a walk with a drift."""
    steps = np.random.default_rng(0).normal(0.2, 1, size=(12, SIZE))
    return CheckpointSet.open(leave_path(tmp_path, np.cumsum(steps, axis=0)), range(1, 13))


def displaced(checkpoints: CheckpointSet) -> Doubles:
    """Return the displacements from the last checkpoint."""
    rows = np.array(checkpoints.rows[:], np.float64)
    return rows - rows[-1]


def test_residuals_are_distances_from_the_plane(checkpoints: CheckpointSet) -> None:
    """As computed directly; the last checkpoint, which is the origin, has none."""
    displacements = displaced(checkpoints)
    for axes in (anchored_axes(checkpoints), pca_axes(checkpoints)):
        projection = projection_of(axes, checkpoints)
        off = displacements - projection.coordinates @ axes.directions.astype(np.float64)
        expected = np.linalg.norm(off, axis=1)[:-1] / np.linalg.norm(displacements, axis=1)[:-1]
        assert np.allclose(projection.residuals[:-1], expected, rtol=1e-4)
        assert np.isnan(projection.residuals[-1])


def test_energy_is_the_share_of_each_axis(checkpoints: CheckpointSet) -> None:
    """Eigenvalue over trace, of displacements from the last checkpoint or from their mean."""
    displacements = displaced(checkpoints)
    for axes, matrix in (
        (anchored_axes(checkpoints), displacements),
        (pca_axes(checkpoints), displacements - displacements.mean(axis=0)),
    ):
        values = np.linalg.svd(matrix, compute_uv=False) ** 2
        assert np.allclose(projection_of(axes, checkpoints).energy, values[:2] / values.sum(), rtol=1e-5)


def test_skew_axes_have_the_coordinates_of_least_squares(checkpoints: CheckpointSet) -> None:
    """And the energies of the plane: the second axis counts with its component orthogonal to the first."""
    random = np.random.default_rng(1)
    directions = random.normal(size=(2, SIZE)).astype(np.float32)
    directions[1] = 3 * directions[0] + 0.5 * directions[1]
    axes = axes_along("skew", checkpoints.rows[-1], directions, None, checkpoints.layout)
    assert axes.cosine == pytest.approx(0.98, abs=0.02)
    projection = projection_of(axes, checkpoints)

    displacements = displaced(checkpoints)
    expected = np.linalg.lstsq(directions.T.astype(np.float64), displacements.T, rcond=None)[0].T
    assert np.allclose(projection.coordinates, expected, rtol=1e-5, atol=1e-7)
    on_plane = ((expected @ directions) ** 2).sum()
    assert projection.energy.sum() == pytest.approx(on_plane / (displacements**2).sum(), rel=1e-5)
    first = displacements @ directions[0] / np.linalg.norm(directions[0])
    assert projection.energy[0] == pytest.approx((first**2).sum() / (displacements**2).sum(), rel=1e-5)


def test_direction_without_length_has_coordinates_of_zero(checkpoints: CheckpointSet) -> None:
    """As on a plane that is a line."""
    directions = np.zeros((2, SIZE), np.float32)
    directions[0, 0] = 2
    axes = axes_along("line", checkpoints.rows[-1], directions, None, checkpoints.layout)
    projection = projection_of(axes, checkpoints)

    assert np.isnan(axes.cosine)
    assert np.allclose(projection.coordinates[:, 0], displaced(checkpoints)[:, 0] / 2)
    assert not projection.coordinates[:, 1].any()
    assert projection.energy[1] == 0
