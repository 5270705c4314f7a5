"""The example with the real MindSpore, as the real MindInsight sees it."""

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
    # MindSpore may leave files of its own where it runs.
    command = [sys.executable, EXAMPLE, "--logdir", directory / "runs", "--epochs", str(EPOCHS)]
    subprocess.run(command, check=True, cwd=directory, env={**os.environ, "PYTHONPATH": str(ROOT / "build/typed")})
    return directory / "runs"


@pytest.fixture(scope="module")
def seen(logdir: Path) -> dict[str, Any]:
    """Return what MindInsight sees of the runs."""
    assert MINDINSIGHT.exists(), "make interop-mindinsight installs MindInsight"
    command = [MINDINSIGHT, HERE / "mindinsight_sees.py", logdir]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def test_every_run_is_loaded_whole(seen: dict[str, Any]) -> None:
    """One run for each learning rate."""
    assert sorted(seen) == sorted(f"lr={rate}" for rate in RATES)
    assert all(run["integrity"] for run in seen.values())


def test_losses_are_seen(seen: dict[str, Any]) -> None:
    """A loss every ten steps, which falls; and the metrics of each epoch."""
    for rate in RATES:
        scalars = seen[f"lr={rate}"]["scalar"]
        steps = [step for step, _ in scalars["loss/auto/scalar"]]
        assert steps == [1, *range(10, EPOCHS * BATCHES + 1, 10)]
        assert scalars["learning_rate/scalar"] == [[step, pytest.approx(rate)] for step in steps]
        assert [step for step, _ in scalars["eval/accuracy/scalar"]] == [BATCHES, 2 * BATCHES]
    losses = [loss for _, loss in seen["lr=0.03"]["scalar"]["loss/auto/scalar"]]
    assert np.mean(losses[-3:]) < np.mean(losses[:3]) / 2


def test_histograms_are_seen(seen: dict[str, Any]) -> None:
    """Those of the weights, and that of the operator in the network."""
    for run in seen.values():
        tags = {"body.0.weight/auto", "body.4.weight/auto", "head.weight/auto", "features"}
        assert set(run["histogram"]) == {f"{tag}/histogram" for tag in tags}
        assert all(len(points) == 9 for points in run["histogram"].values())


def test_images_are_seen(seen: dict[str, Any]) -> None:
    """The digits of a batch of 32, eight in a row."""
    for run in seen.values():
        for _, width, height, picture in run["image"]["input_data/auto/image"]:
            pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(picture))))
            assert (height, width) == pixels.shape[:2] == (4 * 8, 8 * 8)
            assert pixels.max() == 255


def test_tensors_are_seen(seen: dict[str, Any]) -> None:
    """The weights that the operator in the network saw."""
    for run in seen.values():
        assert all(dims == [10, 512] for _, dims, *_ in run["tensor"]["head/weight/tensor"])


def test_the_graph_is_seen(seen: dict[str, Any]) -> None:
    """The compiled training step: the forward pass, and the gradients."""
    assert all(set(run["graph"]) >= {"Default", "Gradients"} for run in seen.values())


def test_the_dataset_graph_is_seen(seen: dict[str, Any]) -> None:
    """The batches of 32."""
    for run in seen.values():
        stage = run["dataset_graph"]
        assert (stage["op_type"], stage["batch_size"]) == ("Batch", 32)
        assert [child["op_type"] for child in stage["children"]] == ["GeneratorDataset"]


def test_lineage_is_seen_with_the_metrics(seen: dict[str, Any]) -> None:
    """What the sweep is about: the accuracy for each learning rate, and where it came from."""
    for rate in RATES:
        run = seen[f"lr={rate}"]
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
    best = max(run["lineage"]["metric"]["accuracy"] for run in seen.values())
    assert best > 0.9
