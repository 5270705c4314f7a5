"""Planes closest to the checkpoints of a training: anchored at the last one, or centred."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.linalg
from support.checkpoint_folders import SIZE, bowl_path, leave_checkpoints, opened

from toposcope.recorder.landscapes.planes.axes import Axes, anchored_axes, pca_axes
from toposcope.recorder.landscapes.planes.axes_of_kind import AXES, OF_THE_HESSIAN, axes_of_kind
from toposcope.recorder.landscapes.planes.mindspore_axes import mindspore_axes
from toposcope.recorder.landscapes.planes.projection import projection_of
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet

Doubles = npt.NDArray[np.float64]


def angle_between(axes: Axes, plane: Doubles) -> float:
    """Return the largest principal angle between planes, in radians."""
    return float(scipy.linalg.subspace_angles(axes.directions.T.astype(np.float64), plane)[0])


@pytest.mark.parametrize("kind", ["anchored", "pca"])
def test_plane_of_a_training_is_recovered(tmp_path: Path, kind: str) -> None:
    """In a bowl with a known plane: the angle, orthonormal directions, and the coordinates of the checkpoints."""
    path, plane = bowl_path()
    checkpoints = opened(tmp_path, path)
    axes = axes_of_kind(kind, checkpoints)

    assert angle_between(axes, plane) < 1e-4
    assert np.allclose(axes.products, np.eye(2), atol=1e-5)
    assert np.allclose(axes.lengths, 1, atol=1e-5)
    assert abs(axes.cosine) < 1e-5
    assert np.array_equal(axes.origin, checkpoints.rows[-1])
    projection = projection_of(axes, checkpoints)
    there = axes.origin + projection.coordinates @ axes.directions
    assert np.allclose(there, path, atol=1e-5)
    assert np.array_equal(projection.coordinates[-1], [0, 0])


def test_directions_are_those_of_a_singular_value_decomposition(tmp_path: Path) -> None:
    """Of displacements from the last checkpoint, or minus their mean; the first checkpoint determines the signs."""
    path = np.cumsum(np.random.default_rng(5).normal(size=(9, SIZE)), axis=0).astype(np.float32)
    checkpoints = opened(tmp_path, path)
    displacements = path.astype(np.float64) - path[-1]

    for axes, matrix in (
        (anchored_axes(checkpoints), displacements),
        (pca_axes(checkpoints), displacements - displacements.mean(axis=0)),
    ):
        expected = np.linalg.svd(matrix)[2][:2]
        assert np.allclose(np.abs((axes.directions * expected).sum(axis=1)), 1, atol=1e-5)
        assert axes.combination is not None
        assert np.allclose(axes.combination @ displacements, axes.directions, atol=1e-5)
        assert (projection_of(axes, checkpoints).coordinates[0] > 0).all()


def test_if_the_first_coordinate_is_zero_the_next_checkpoint_determines_the_sign(tmp_path: Path) -> None:
    """A training that returns to its start."""
    path = np.zeros((4, SIZE))
    path[1, 0], path[2, 1] = 3, 2
    coordinates = projection_of(anchored_axes(checkpoints := opened(tmp_path, path)), checkpoints).coordinates

    assert np.allclose(coordinates, [[0, 0], [3, 0], [0, 2], [0, 0]], atol=1e-6)


def test_buffers_move_with_the_weights(tmp_path: Path) -> None:
    """Three checkpoints are on a plane: each has its statistics there, which do not count in lengths."""
    random = np.random.default_rng(0)
    trainings = [
        {"weight": random.normal(size=(4, 5)), "bn.running_mean": 100 * random.normal(size=6)} for _ in range(3)
    ]
    trainings = [{name: array.astype(np.float32) for name, array in each.items()} for each in trainings]
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, trainings), [1, 2, 3])
    axes = anchored_axes(checkpoints)

    assert np.allclose(axes.products, np.eye(2), atol=1e-5)
    coordinates = projection_of(axes, checkpoints).coordinates
    assert np.allclose(axes.origin + coordinates @ axes.directions, checkpoints.rows[:], atol=1e-3)


@pytest.mark.parametrize("checkpoint", [0, 1, 2])
@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("name", ["bn.running_mean", "bn.running_var"])
def test_buffers_that_are_not_finite_are_refused(tmp_path: Path, name: str, number: float, checkpoint: int) -> None:
    """They would make all losses NaN. There is no warning from BLAS, whichever of its kernels run."""
    random = np.random.default_rng(0)
    trainings = [
        {"weight": random.normal(size=(4, 5)).astype(np.float32), name: np.ones(2, np.float32)} for _ in range(3)
    ]
    trainings[checkpoint][name][1] = number
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, trainings), [1, 2, 3])
    with pytest.raises(ValueError, match=f"'{name}' is not finite in all checkpoints"):
        anchored_axes(checkpoints)


@pytest.mark.parametrize("kind", ["anchored", "pca", "three-point", "interpolate"])
def test_variances_are_multiplied(tmp_path: Path, kind: str) -> None:
    """They are exact at the checkpoints on the plane and positive everywhere, even if they were far larger at first."""
    random = np.random.default_rng(0)
    variances = np.array([[1.0, 1.0, 1e-20, 3e6], [0.5, 2.0, 0.1, 4e6], [0.02, 3.0, 0.2, 5e6]], np.float32)
    trainings = [{"weight": random.normal(size=(4, 5)).astype(np.float32), "bn.running_var": own} for own in variances]
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, trainings), [1, 2, 3])
    axes = axes_of_kind(kind, checkpoints)
    place = checkpoints.layout.variances

    def variances_at(coordinates: Doubles) -> Doubles:
        factors: Doubles = np.exp(coordinates @ axes.directions[:, place].astype(np.float64))
        return axes.origin[place] * factors

    coordinates = projection_of(axes, checkpoints).coordinates
    shown = [0, 2] if kind == "interpolate" else [0, 1, 2]
    assert np.allclose(variances_at(coordinates[shown]), variances[shown], rtol=1e-5, atol=2e-12)
    assert np.array_equal(variances_at(np.zeros(2)), variances[2])
    beyond = variances_at(np.array([[-2.0, -2.0], [2.0, 2.0], [-2.0, 2.0]]))
    assert (beyond > 0).all()


def test_line_has_a_random_second_direction(tmp_path: Path) -> None:
    """For two checkpoints, or a straight path: orthogonal to it, and the same for the same seed."""
    path, _ = bowl_path()
    straight = path[0] + np.linspace(0, 1, 5)[:, None] * (path[1] - path[0])
    for number, points in enumerate((path[:2], straight)):
        checkpoints = opened(tmp_path / str(number), points)
        axes = anchored_axes(checkpoints, seed=7)
        assert np.allclose(axes.products, np.eye(2), atol=1e-5)
        projection = projection_of(axes, checkpoints)
        assert np.allclose(projection.energy, [1, 0], atol=1e-6)
        assert np.allclose(projection.coordinates[:, 1], 0, atol=1e-5)
        assert np.array_equal(axes.directions, anchored_axes(checkpoints, seed=7).directions)
        assert not np.array_equal(axes.directions[1], anchored_axes(checkpoints, seed=8).directions[1])


def test_equal_checkpoints_are_refused_only_when_all_are(tmp_path: Path) -> None:
    """The message names them; two equal ones have the same coordinates."""
    path, _ = bowl_path(4)
    path[2] = path[1]
    checkpoints = opened(tmp_path / "two", path)
    for kind in ("anchored", "pca", "mindspore"):
        coordinates = projection_of(axes_of_kind(kind, checkpoints), checkpoints).coordinates
        assert np.allclose(coordinates[1], coordinates[2])
    last = opened(tmp_path / "last", path[:3])
    assert not projection_of(anchored_axes(last), last).coordinates[1:].any()

    same = opened(tmp_path / "all", np.repeat(path[:1], 3, axis=0))
    for kind in ("anchored", "pca"):
        with pytest.raises(ValueError, match="of 1, 2, 3 all are equal"):
            axes_of_kind(kind, same)
    with pytest.raises(ValueError, match="all are equal"):
        mindspore_axes(same)
    with pytest.raises(ValueError, match="of 2 there is only one"):
        anchored_axes(CheckpointSet.open(tmp_path / "two", [2]))


def test_layer_that_never_moved_does_not_disturb_axes(tmp_path: Path) -> None:
    """It does not move, except along MindSpore's axes, which add the same number to all weights."""
    path, _ = bowl_path(6)
    frozen = np.random.default_rng(1).normal(size=(3, 3)).astype(np.float32)
    trainings = [{"frozen.weight": frozen, "weight": row[None].astype(np.float32)} for row in path]
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, trainings), range(1, 7))

    for kind in ("anchored", "pca", "mindspore"):
        directions = axes_of_kind(kind, checkpoints).directions
        assert np.isfinite(directions).all()
        assert kind == "mindspore" or not directions[:, :9].any()
        assert np.linalg.norm(directions[:, 9:]) > 0


def test_kinds_are_checked(tmp_path: Path) -> None:
    """The message lists them."""
    checkpoints = opened(tmp_path, bowl_path(5)[0])
    with pytest.raises(
        ValueError, match=r"The kind of axes of checkpoints is one of 'anchored', 'pca', .*; not 'umap'"
    ):
        axes_of_kind("umap", checkpoints)
    fraction: Any = 1.5
    with pytest.raises(TypeError, match="seed must be an integer"):
        axes_of_kind("random", checkpoints, seed=fraction)
    for kind in set(AXES) - set(OF_THE_HESSIAN):
        assert axes_of_kind(kind, checkpoints, seed=3).kind == kind
