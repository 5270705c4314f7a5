"""The plane of MindSpore's SummaryLandscape, for comparison with it."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import scipy.linalg
from support.checkpoint_folders import bowl_path, leave_checkpoints, opened

from toposcope.recorder.landscapes.planes.mindspore_axes import mindspore_axes
from toposcope.recorder.landscapes.planes.projection import projection_of
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet

Doubles = npt.NDArray[np.float64]


def mindspore_coordinates(trainings: list[dict[str, npt.NDArray[np.float32]]]) -> Doubles:
    """Return coordinates by MindSpore's formulas, computed in another way than in the code."""
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
    """Also where MindSpore approximates the decomposition; gamma, statistics and moments do not move."""
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
    with pytest.raises(ValueError, match="tensors named weight or bias, and there are none"):
        mindspore_axes(checkpoints)
    with pytest.raises(ValueError, match="at least three checkpoints"):
        mindspore_axes(opened(tmp_path / "two", bowl_path(2)[0]))


@pytest.mark.parametrize("checkpoint", [0, 2])
@pytest.mark.parametrize("number", [np.inf, np.nan])
def test_weights_that_are_not_finite_are_refused(tmp_path: Path, number: float, checkpoint: int) -> None:
    """Without a warning from NumPy."""
    path = bowl_path(3)[0]
    path[checkpoint, 1] = number
    with pytest.raises(ValueError, match="need checkpoints whose weights are finite"):
        mindspore_axes(opened(tmp_path, path))
