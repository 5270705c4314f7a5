"""Planes through checkpoints: anchored, centred, random, and MindSpore's."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import scipy.linalg
from checkpoint_folders import leave_checkpoints, leave_path

from toposcope.recorder.landscapes.planes.axes import Axes, anchored_axes, pca_axes
from toposcope.recorder.landscapes.planes.axes_of_kind import AXES, axes_of_kind
from toposcope.recorder.landscapes.planes.hessian_axes import hessian_axes
from toposcope.recorder.landscapes.planes.interpolation_axes import interpolation_axes
from toposcope.recorder.landscapes.planes.mindspore_axes import mindspore_axes
from toposcope.recorder.landscapes.planes.projection import projection_of
from toposcope.recorder.landscapes.planes.random_axes import random_axes
from toposcope.recorder.landscapes.planes.three_point_axes import three_point_axes
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet
from toposcope.recorder.landscapes.weights.layout import layout_of

Doubles = npt.NDArray[np.float64]
SIZE = 50


def bowl_path(points: int = 20) -> tuple[Doubles, Doubles]:
    """Return gradient descent in a bowl whose gradient lies in a plane, (T, 50), and the plane (50, 2)."""
    random = np.random.default_rng(3)
    plane = np.linalg.qr(random.normal(size=(SIZE, 2)))[0]
    hessian = plane @ np.diag([3.0, 0.4]) @ plane.T
    minimum = random.normal(size=SIZE)
    weights = minimum + plane @ [2.0, -5.0]
    path = [weights]
    for _ in range(points - 1):
        path.append(path[-1] - 0.2 * hessian @ (path[-1] - minimum))
    return np.array(path), plane


def opened(folder: Path, path: npt.NDArray[np.floating], points: list[int] | None = None) -> CheckpointSet:
    """Return checkpoints of a path."""
    return CheckpointSet.open(leave_path(folder, path), points or range(1, len(path) + 1))


def angle_between(axes: Axes, plane: Doubles) -> float:
    """Return the largest principal angle between planes, in radians."""
    return float(scipy.linalg.subspace_angles(axes.directions.T.astype(np.float64), plane)[0])


@pytest.mark.parametrize("kind", ["anchored", "pca"])
def test_plane_of_a_training_is_found(tmp_path: Path, kind: str) -> None:
    """In a bowl with a known plane: the angle, orthonormal directions, and coordinates that lead to the checkpoints."""
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
    """Of displacements from the last checkpoint, or less their mean; the signs are given by the first checkpoint."""
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


def test_first_checkpoint_at_zero_leaves_the_sign_to_the_next(tmp_path: Path) -> None:
    """A training that comes back to where it began."""
    path = np.zeros((4, SIZE))
    path[1, 0], path[2, 1] = 3, 2
    coordinates = projection_of(anchored_axes(checkpoints := opened(tmp_path, path)), checkpoints).coordinates

    assert np.allclose(coordinates, [[0, 0], [3, 0], [0, 2], [0, 0]], atol=1e-6)


def test_buffers_move_with_the_weights(tmp_path: Path) -> None:
    """Three checkpoints lie on a plane: each is met with its statistics, which count in no length."""
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


@pytest.mark.parametrize("name", ["bn.running_mean", "bn.running_var"])
def test_buffers_that_are_not_finite_are_told(tmp_path: Path, name: str) -> None:
    """They would make all losses NaN."""
    random = np.random.default_rng(0)
    trainings = [
        {"weight": random.normal(size=(4, 5)).astype(np.float32), name: np.ones(2, np.float32)} for _ in range(3)
    ]
    trainings[0][name][1] = np.inf
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, trainings), [1, 2, 3])
    with pytest.raises(ValueError, match=f"'{name}' is not finite in all checkpoints"):
        anchored_axes(checkpoints)


@pytest.mark.parametrize("kind", ["anchored", "pca", "three-point", "interpolate"])
def test_variances_move_by_factors(tmp_path: Path, kind: str) -> None:
    """They are those of the checkpoints on the plane, and positive everywhere, also where they began far larger."""
    random = np.random.default_rng(0)
    variances = np.array([[1.0, 1.0, 1e-20, 3e6], [0.5, 2.0, 0.1, 4e6], [0.02, 3.0, 0.2, 5e6]], np.float32)
    trainings = [{"weight": random.normal(size=(4, 5)).astype(np.float32), "bn.running_var": own} for own in variances]
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, trainings), [1, 2, 3])
    axes = axes_of_kind(kind, checkpoints)
    place = checkpoints.layout.variances

    def variances_at(coordinates: Doubles) -> Doubles:
        return axes.origin[place] * np.exp(coordinates @ axes.directions[:, place].astype(np.float64))

    coordinates = projection_of(axes, checkpoints).coordinates
    shown = [0, 2] if kind == "interpolate" else [0, 1, 2]
    assert np.allclose(variances_at(coordinates[shown]), variances[shown], rtol=1e-5, atol=2e-12)
    assert np.array_equal(variances_at(np.zeros(2)), variances[2])
    beyond = variances_at(np.array([[-2.0, -2.0], [2.0, 2.0], [-2.0, 2.0]]))
    assert (beyond > 0).all()


def test_line_gets_a_random_second_direction(tmp_path: Path) -> None:
    """Two checkpoints only, or a straight path: at a right angle to it, the same for the same seed."""
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
    """The message names them; two equal ones have the same place."""
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
        with pytest.raises(ValueError, match="of 1, 2, 3 they are all equal"):
            axes_of_kind(kind, same)
    with pytest.raises(ValueError, match="they are all equal"):
        mindspore_axes(same)
    with pytest.raises(ValueError, match="of 2 there is only one"):
        anchored_axes(CheckpointSet.open(tmp_path / "two", [2]))


def test_random_directions_are_as_long_as_the_filters() -> None:
    """Each of them, and each row of an embedding; biases, normalisations and buffers do not move."""
    layout = layout_of(
        [
            ("conv.weight", (8, 3, 2, 2), "weight"),
            ("embedding", (5, 4), "embedding"),
            ("bn.weight", (8,), "norm"),
            ("bias", (8,), "bias"),
            ("bn.running_mean", (8,), "buffer"),
        ]
    )
    origin = np.random.default_rng(0).normal(size=layout.size).astype(np.float32)
    origin[:12] = 0  # A filter that is zero.
    axes = random_axes(origin, layout, seed=1)

    for direction in axes.directions:
        for part, filters in ((slice(0, 96), 8), (slice(96, 116), 5)):
            lengths = [np.linalg.norm(vector[part].reshape(filters, -1), axis=1) for vector in (direction, origin)]
            assert np.allclose(*lengths, rtol=1e-5)
        assert not direction[116:].any()
    assert axes.combination is None
    assert np.array_equal(axes.directions, random_axes(origin, layout, seed=1).directions)
    assert not np.array_equal(axes.directions, random_axes(origin, layout, seed=2).directions)
    by_layer = random_axes(origin, layout, 1, "layer").directions[0][:96]
    assert np.linalg.norm(by_layer) == pytest.approx(np.linalg.norm(origin[:96]), rel=1e-5)
    assert np.std(random_axes(origin, layout, 1, "none").directions[:, :116]) == pytest.approx(1, abs=0.2)


def test_network_without_matrices_has_random_directions_too() -> None:
    """A straight line has a weight and a bias of one number each."""
    layout = layout_of([("weight", (1,), "bias"), ("bias", (3,), "bias")])
    axes = random_axes(np.array([3, 0, 4, 0], np.float32), layout, 0)

    assert np.allclose(np.abs(axes.directions[:, 0]), 3)
    assert np.allclose(np.linalg.norm(axes.directions[:, 1:], axis=1), 4)


def test_random_directions_need_weights() -> None:
    """They are scaled by them."""
    layout = layout_of([("weight", (2, 2), "weight")])
    with pytest.raises(ValueError, match="all zero"):
        random_axes(np.zeros(4, np.float32), layout, 0)
    with pytest.raises(ValueError, match="not finite"):
        random_axes(np.array([1, np.inf, 0, 0], np.float32), layout, 0)
    with pytest.raises(ValueError, match="normalisation is one of 'filter', 'layer', 'none'; not 'weight'"):
        random_axes(np.ones(4, np.float32), layout, 0, "weight")


def test_layer_that_never_moved_disturbs_no_axes(tmp_path: Path) -> None:
    """It stays where it is, but along MindSpore's axes, which add the same number to all weights."""
    path, _ = bowl_path(6)
    frozen = np.random.default_rng(1).normal(size=(3, 3)).astype(np.float32)
    trainings = [{"frozen.weight": frozen, "weight": row[None].astype(np.float32)} for row in path]
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, trainings), range(1, 7))

    for kind in ("anchored", "pca", "mindspore"):
        directions = axes_of_kind(kind, checkpoints).directions
        assert np.isfinite(directions).all()
        assert kind == "mindspore" or not directions[:, :9].any()
        assert np.linalg.norm(directions[:, 9:]) > 0


def test_three_points_lie_on_their_plane(tmp_path: Path) -> None:
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


def test_three_points_on_a_line_get_a_random_second_direction(tmp_path: Path) -> None:
    """So do two; a training that returns to its beginning has no such plane."""
    path, _ = bowl_path(3)
    path[1] = (path[0] + path[2]) / 2
    for points in ([1, 2, 3], [1, 3]):
        axes = three_point_axes(opened(tmp_path, path, points))
        assert np.allclose(axes.products, np.eye(2), atol=1e-5)
    path[2] = path[0]
    with pytest.raises(ValueError, match="a first and a last one that differ"):
        three_point_axes(opened(tmp_path, path))
    with pytest.raises(ValueError, match="the first and the last are equal"):
        interpolation_axes(opened(tmp_path, path))


def test_interpolation_leads_from_the_last_to_the_first_model(tmp_path: Path) -> None:
    """At 0 and 1; the second direction leads nowhere."""
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
    """So long that a quadratic loss changes by itself at a distance of one; buffers stay."""
    layout = layout_of([("weight", (6, 5), "weight"), ("mean", (3,), "buffer")])
    vectors = np.linalg.qr(np.random.default_rng(0).normal(size=(30, 30)))[0]
    values = np.array([8.0, 4.0, -0.5, *np.linspace(0.1, 0.3, 27)])
    hessian = (vectors * values) @ vectors.T
    origin = np.full(33, 3, np.float32)
    axes, found = hessian_axes(
        origin, layout, lambda vector: (hessian @ vector).astype(np.float32), 0.25, is_saddle=is_saddle
    )

    second = 2 if is_saddle else 1
    assert np.allclose(found.values, values[[0, second]], rtol=1e-3)
    for direction, length, number in zip(axes.directions, axes.lengths, (0, second), strict=True):
        assert abs(direction[:30] @ vectors[:, number]) == pytest.approx(length, rel=1e-4)
        change = 0.5 * direction[:30] @ hessian @ direction[:30]
        assert abs(change) == pytest.approx(0.25, rel=1e-2)
        assert direction[np.argmax(np.abs(direction))] > 0
        assert not direction[30:].any()
    assert abs(axes.cosine) < 1e-4
    with pytest.raises(ValueError, match="one eigenvalue only"):
        hessian_axes(origin, layout, lambda vector: vector, 0.25)


def mindspore_coordinates(trainings: list[dict[str, npt.NDArray[np.float32]]]) -> Doubles:
    """Return coordinates as the formulas of reference/landscape.md, 1.1, have them, by other means than the code."""
    chosen = [name for name in trainings[0] if ("weight" in name or "bias" in name) and "moment" not in name]
    rows = np.stack([np.concatenate([each[name].ravel() for name in chosen]) for each in trainings]).astype(np.float64)
    displacements = (rows[:-1] - rows[-1]).T
    u, s, _ = scipy.linalg.svd(displacements - displacements.mean(axis=0), full_matrices=False)
    u = u * np.sign(u[np.argmax(np.abs(u), axis=0), np.arange(u.shape[1])])
    directions = (u * s)[:, :2]
    start = 0
    for name in chosen:
        part = slice(start, start := start + trainings[-1][name].size)
        directions[part] *= np.linalg.norm(trainings[-1][name]) / np.linalg.norm(directions[part], axis=0)
    return np.array([scipy.linalg.lstsq(directions, row - rows[-1])[0] for row in rows])


@pytest.mark.parametrize(("points", "width"), [(3, 200), (6, 5), (12, 200)])
def test_mindspores_coordinates_are_reproduced(tmp_path: Path, points: int, width: int) -> None:
    """Also where it approximates the decomposition; gamma, statistics and moments do not move."""
    random = np.random.default_rng(points)
    shapes = {"conv.weight": (4, width), "bn.gamma": (4,), "fc.bias": (7,), "moments.fc.bias": (7,), "count": (1,)}
    steps = random.normal(size=points)
    trainings = [
        {
            name: (index**1.5 + random.normal(size=shape) * 0.3 + np.cumsum(steps)[point]).astype(np.float32)
            for index, (name, shape) in enumerate(shapes.items())
        }
        for point in range(points)
    ]
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, trainings), range(1, points + 1))
    axes = mindspore_axes(checkpoints)

    coordinates = projection_of(axes, checkpoints).coordinates
    expected = mindspore_coordinates(trainings)
    assert np.allclose(coordinates, expected, atol=1e-4 * np.abs(expected).max())
    moved = {tensor.name for tensor in checkpoints.layout.tensors if axes.directions[:, tensor.start].any()}
    assert moved == {"conv.weight", "fc.bias"}


def test_mindspores_axes_need_its_names(tmp_path: Path) -> None:
    """And three checkpoints."""
    trainings = [{"kernel": np.full((2, 2), value, np.float32)} for value in range(3)]
    checkpoints = CheckpointSet.open(leave_checkpoints(tmp_path, trainings), [1, 2, 3])
    with pytest.raises(ValueError, match="tensors named weight or bias, of which there are none"):
        mindspore_axes(checkpoints)
    with pytest.raises(ValueError, match="three checkpoints or more"):
        mindspore_axes(opened(tmp_path / "two", bowl_path(2)[0]))


def test_kinds_are_checked(tmp_path: Path) -> None:
    """The message lists them."""
    checkpoints = opened(tmp_path, bowl_path(5)[0])
    with pytest.raises(ValueError, match=r"Axes of checkpoints are one of 'anchored', 'pca', .*; not 'umap'"):
        axes_of_kind("umap", checkpoints)
    with pytest.raises(TypeError, match="seed is an integer"):
        axes_of_kind("random", checkpoints, seed=1.5)  # type: ignore[arg-type]
    for kind in set(AXES) - {"hessian"}:
        assert axes_of_kind(kind, checkpoints, seed=3).kind == kind
