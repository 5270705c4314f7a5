"""A training whose map is flat by the noise of its losses, and is not by the noise of their differences."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.landscape_events import newest
from support.outlier_training import SAMPLES, TAG, RobustLine, batches, train_with_outliers

from toposcope.recorder.checkpoints import load_checkpoint
from toposcope.recorder.landscapes.sweep.job import FOLDER
from toposcope.server.landscapes.details import Details


def details_of(directory: Path) -> Details:
    """Return the details of the landscape."""
    surface = newest(directory)[TAG]
    assert surface.details is not None
    return surface.details


def losses_at(weights: Any, size: int = 1) -> Any:
    """Return the losses of samples, or means of batches of a size, from the formula."""
    line = RobustLine()
    line.load_parameters({"weight": np.asarray(weights, np.float64).reshape(1, -1)})
    losses, _, _ = line.eval_step(*batches(SAMPLES)[0])
    return losses.reshape(-1, size).mean(axis=1)


@pytest.mark.parametrize("size", [1, 32])
def test_paired_judgement_sees_a_shape_that_the_absolute_one_does_not(tmp_path: Path, size: int) -> None:
    """The errors of differences are those of the samples' differences, or of the batches' if only those are known."""
    train_with_outliers(tmp_path, of_batches=size > 1)
    nodes, truth, diagnostics = details_of(tmp_path)

    absolute = np.ptp(nodes.z) / np.median(nodes.standard_error)
    assert absolute < 1  # Up to 4 was called flat.
    assert not diagnostics.is_flat
    assert (diagnostics.samples, diagnostics.units) == (SAMPLES, SAMPLES // size)
    assert diagnostics.differing_nodes is not None
    assert diagnostics.differing_nodes > 25

    (folder,) = (tmp_path / "ckpt_dir" / FOLDER).iterdir()
    assert json.loads((folder / "plane.json").read_text())["axes"] == "anchored"
    origin, directions = np.load(folder / "origin.npy"), np.load(folder / "directions.npy")
    at_origin = losses_at(origin, size)
    expected = [
        [standard_error(losses_at(origin + x * directions[0] + y * directions[1], size) - at_origin) for x in nodes.x]
        for y in nodes.y
    ]
    assert nodes.difference_error is not None
    assert np.allclose(nodes.difference_error, expected, rtol=1e-4, atol=1e-9)
    assert np.median(nodes.standard_error) > 50 * np.median(nodes.difference_error)

    assert truth is not None
    assert truth.gap_error is not None
    path = newest(tmp_path)[TAG].path
    assert path is not None
    checkpoints = sorted((tmp_path / "ckpt_dir").glob("*.safetensors"), key=lambda each: int(each.stem.split("_")[1]))
    on_plane = [origin + x * directions[0] + y * directions[1] for x, y in zip(path.x, path.y, strict=True)]
    gaps = [
        standard_error(losses_at(load_checkpoint(file).network["weight"], size) - losses_at(point, size))
        for file, point in zip(checkpoints, on_plane, strict=True)
    ]
    assert np.allclose(truth.gap_error, gaps, rtol=1e-2, atol=1e-7)
    assert truth.gap_error[-1] == 0


def standard_error(differences: Any) -> float:
    """Return the standard error of a mean."""
    return float(differences.std(ddof=1) / np.sqrt(differences.size))
