"""The example with the real MindSpore, as read by the real MindInsight."""

import base64
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXAMPLE, MINDINSIGHT = ROOT / "examples/mindspore_digits.py", ROOT / "build/interop/mindinsight/bin/python"
EPOCHS, BATCHES = 2, 43
RATES = (0.3, 0.1, 0.03)


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the example."""
    directory = tmp_path_factory.mktemp("digits")
    # MindSpore may create files in the working directory.
    command: list[str | Path] = [sys.executable, EXAMPLE, "--logdir", directory / "runs", "--epochs", str(EPOCHS)]
    subprocess.run(command, check=True, cwd=directory, env={**os.environ, "PYTHONPATH": str(ROOT / "build/typed")})
    return directory / "runs"


@pytest.fixture(scope="module")
def mindinsight_runs(logdir: Path) -> dict[str, Any]:
    """Return the runs as MindInsight reads them."""
    assert MINDINSIGHT.exists(), "make interop-mindinsight installs MindInsight"
    command = [MINDINSIGHT, HERE / "mindinsight_sees.py", logdir]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def test_every_run_is_loaded_completely(mindinsight_runs: dict[str, Any]) -> None:
    """There is a run for each learning rate."""
    assert sorted(mindinsight_runs) == sorted(f"lr={rate}" for rate in RATES)
    assert all(run["integrity"] for run in mindinsight_runs.values())


def test_losses_are_read(mindinsight_runs: dict[str, Any]) -> None:
    """A decreasing loss of every step, and the metrics of each epoch."""
    for rate in RATES:
        scalars = mindinsight_runs[f"lr={rate}"]["scalar"]
        steps = [step for step, _ in scalars["loss/auto/scalar"]]
        assert steps == [*range(1, EPOCHS * BATCHES + 1)]
        assert scalars["learning_rate/scalar"] == [[step, pytest.approx(rate)] for step in steps]
        assert [step for step, _ in scalars["eval/accuracy/scalar"]] == [BATCHES, 2 * BATCHES]
    losses = [loss for _, loss in mindinsight_runs["lr=0.03"]["scalar"]["loss/auto/scalar"]]
    assert np.mean(losses[-3:]) < np.mean(losses[:3]) / 2


def test_histograms_are_read(mindinsight_runs: dict[str, Any]) -> None:
    """Those of the weights, and that of the summary operator."""
    for run in mindinsight_runs.values():
        tags = {"body.0.weight/auto", "body.4.weight/auto", "head.weight/auto", "features"}
        assert set(run["histogram"]) == {f"{tag}/histogram" for tag in tags}
        assert all(len(points) == 9 for points in run["histogram"].values())


def test_images_are_read(mindinsight_runs: dict[str, Any]) -> None:
    """The digits of a batch of 32, eight in a row."""
    for run in mindinsight_runs.values():
        for _, width, height, png in run["image"]["input_data/auto/image"]:
            pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(png))))
            assert (height, width) == pixels.shape[:2] == (4 * 8, 8 * 8)
            assert pixels.max() == 255


def test_tensors_are_read(mindinsight_runs: dict[str, Any]) -> None:
    """The weights recorded by the summary operator."""
    for run in mindinsight_runs.values():
        assert all(dims == [10, 512] for _, dims, *_ in run["tensor"]["head/weight/tensor"])


def test_the_graph_is_read(mindinsight_runs: dict[str, Any]) -> None:
    """The compiled training step: the forward pass, and the gradients."""
    assert all(set(run["graph"]) >= {"Default", "Gradients"} for run in mindinsight_runs.values())


def test_the_dataset_graph_is_read(mindinsight_runs: dict[str, Any]) -> None:
    """It has batches of 32."""
    for run in mindinsight_runs.values():
        stage = run["dataset_graph"]
        assert (stage["op_type"], stage["batch_size"]) == ("Batch", 32)
        assert [child["op_type"] for child in stage["children"]] == ["GeneratorDataset"]


def test_lineage_is_read_with_the_metrics(mindinsight_runs: dict[str, Any]) -> None:
    """The accuracy for each learning rate, and the settings of the training."""
    for rate in RATES:
        run = mindinsight_runs[f"lr={rate}"]
        lineage = run["lineage"]
        assert lineage["learning_rate"] == pytest.approx(rate)
        accuracy = run["scalar"]["eval/accuracy/scalar"][-1][1]
        assert lineage["metric"]["accuracy"] == pytest.approx(accuracy)
        assert (lineage["network"], lineage["optimizer"]) == ("Digits", "Momentum")
        assert lineage["loss_function"] == "SoftmaxCrossEntropyWithLogits"
        assert (lineage["epoch"], lineage["batch_size"]) == (EPOCHS, 32)
        assert (lineage["train_dataset_count"], lineage["test_dataset_count"]) == (1347, 450)
        assert lineage["user_defined"]["sweep"] == "learning rate"
        assert lineage["user_defined"]["optimizer/momentum"] == pytest.approx(0.9)
    best = max(run["lineage"]["metric"]["accuracy"] for run in mindinsight_runs.values())
    assert best > 0.9
