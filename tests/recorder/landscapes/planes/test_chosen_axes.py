"""Planes through chosen models and along chosen directions: three points, a line, Hessian eigenvectors."""

from pathlib import Path

import numpy as np
import pytest
from support.checkpoint_folders import bowl_path, leave_checkpoints, opened

from toposcope.recorder.landscapes.planes.hessian_axes import hessian_axes
from toposcope.recorder.landscapes.planes.interpolation_axes import interpolation_axes
from toposcope.recorder.landscapes.planes.projection import projection_of
from toposcope.recorder.landscapes.planes.three_point_axes import three_point_axes
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet
from toposcope.recorder.landscapes.weights.layout import layout_of


def test_three_points_are_on_their_plane(tmp_path: Path) -> None:
    """With their buffers; the first on the x axis, the middle one above it."""
    random = np.random.default_rng(0)
    walk = np.cumsum(random.normal(size=(9, 26)), axis=0).astype(np.float32)
    trainings = [{"weight": row[:20].reshape(4, 5), "bn.running_mean": 100 * row[20:]} for row in walk]
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, trainings), range(1, 10))
    residuals = {}
    for middle in range(1, 8):
        axes = three_point_axes(checkpoints, middle)
        assert np.allclose(axes.products, np.eye(2), atol=1e-5)
        projection = projection_of(axes, checkpoints)
        assert (projection.residuals[[0, middle]] < 1e-5).all()
        coordinates = projection.coordinates
        for point in (0, middle, 8):
            there = axes.origin + coordinates[point] @ axes.directions
            assert np.allclose(there, checkpoints.rows[point], atol=1e-3)
        assert coordinates[0, 0] > 0
        assert abs(coordinates[0, 1]) < 1e-5
        assert coordinates[middle, 1] > 0
        residuals[middle] = 1 - projection.energy.sum()

    chosen = projection_of(three_point_axes(checkpoints), checkpoints)
    assert 1 - chosen.energy.sum() == pytest.approx(min(residuals.values()))
    for middle in (0, 8, 9):
        with pytest.raises(ValueError, match=rf"The middle one of 9 checkpoints is one of .*, not {middle}"):
            three_point_axes(checkpoints, middle)


def test_three_points_on_a_line_have_a_random_second_direction(tmp_path: Path) -> None:
    """So do two; a training that returns to its start has no such plane."""
    path, _ = bowl_path(3)
    path[1] = (path[0] + path[2]) / 2
    for points in ([1, 2, 3], [1, 3]):
        axes = three_point_axes(opened(tmp_path, path, points))
        assert np.allclose(axes.products, np.eye(2), atol=1e-5)
    path[2] = path[0]
    with pytest.raises(ValueError, match="a first and a last one that differ"):
        three_point_axes(opened(tmp_path, path))
    with pytest.raises(ValueError, match="the first and the last one are equal"):
        interpolation_axes(opened(tmp_path, path))


def test_interpolation_is_from_the_last_to_the_first_model(tmp_path: Path) -> None:
    """At 0 and 1; the second direction is zero."""
    path, _ = bowl_path(4)
    checkpoints = opened(tmp_path, path)
    axes = interpolation_axes(checkpoints)

    assert np.allclose(axes.origin + axes.directions[0], checkpoints.rows[0], atol=1e-6)
    assert not axes.directions[1].any()
    coordinates = projection_of(axes, checkpoints).coordinates
    assert np.allclose(coordinates[[0, -1]], [[1, 0], [0, 0]], atol=1e-6)
    assert not coordinates[:, 1].any()


@pytest.mark.parametrize("is_saddle", [False, True])
def test_hessian_axes_are_its_eigenvectors(is_saddle: bool) -> None:
    """Scaled so that a quadratic loss changes by its own value at a distance of one; buffers do not move."""
    layout = layout_of([("weight", (6, 5), "weight"), ("mean", (3,), "buffer")])
    vectors = np.linalg.qr(np.random.default_rng(0).normal(size=(30, 30)))[0]
    values = np.array([8.0, 4.0, -0.5, *np.linspace(0.1, 0.3, 27)])
    hessian = (vectors * values) @ vectors.T
    origin = np.full(33, 3, np.float32)
    axes, eigenvalues = hessian_axes(
        origin, layout, lambda vector: (hessian @ vector).astype(np.float32), 0.25, is_saddle=is_saddle
    )

    second = 2 if is_saddle else 1
    assert axes.kind == ("saddle" if is_saddle else "hessian")
    assert np.allclose(eigenvalues.values, values[[0, second]], rtol=1e-3)
    for direction, length, number in zip(axes.directions, axes.lengths, (0, second), strict=True):
        assert abs(direction[:30] @ vectors[:, number]) == pytest.approx(length, rel=1e-4)
        change = 0.5 * direction[:30] @ hessian @ direction[:30]
        assert abs(change) == pytest.approx(0.25, rel=1e-2)
        assert direction[np.argmax(np.abs(direction))] > 0
        assert not direction[30:].any()
    assert abs(axes.cosine) < 1e-4
    with pytest.raises(ValueError, match="only one distinct eigenvalue"):
        hessian_axes(origin, layout, lambda vector: vector, 0.25)
