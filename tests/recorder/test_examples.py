"""The examples run as in the documentation, and record what they are meant to show."""

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.pytorch import needs_torch
from support.written_events import ReadEvents

from toposcope import server

EXAMPLES = Path(__file__).parents[2] / "examples"


@needs_torch
def test_torch_example_records_a_run_for_every_learning_rate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_events: ReadEvents
) -> None:
    monkeypatch.setattr(sys, "argv", ["torch_digits.py", "--logdir", str(tmp_path), "--epochs", "1"])
    runpy.run_path(str(EXAMPLES / "torch_digits.py"), run_name="__main__")

    weights = {f"{layer}.weight/auto" for layer in ("body.0", "body.1", "body.4", "head")}
    with server.open(tmp_path) as logdir:
        assert set(logdir.runs) == {"lr=0.1", "lr=0.03", "lr=0.01"}
        for name, run in logdir.runs.items():
            assert run.scalars("loss/auto").step.tolist() == [*range(1, 44)]
            assert run.scalars("eval/acc").step.tolist() == [43]
            assert {"eval/loss", "gradient_norm/global", "learning_rate"} <= set(run.tags("scalar"))
            assert set(run.tags("histogram")) == {*weights, "features"}
            assert (run.tags("image"), run.tags("tensor")) == (["input_data/auto"], ["head/weight"])
            assert "dataset_graph" in run.plugins
            lineage = run.lineage()
            assert f"lr={lineage.hyper_parameters['learning_rate']}" == name
            assert (lineage.model["network"], lineage.train_dataset["train_dataset_size"]) == ("Digits", 1348)
            accuracy = lineage.metrics["acc"]
            assert isinstance(accuracy, float)
            assert accuracy > 0.5
            assert lineage.custom["sweep"] == "learning rate"
            (file,) = (tmp_path / name).glob("*_MS")
            graphs = [event.graph_def for event in read_events(file) if event.HasField("graph_def")]
            assert [graph.name for graph in graphs] == ["Digits"]


@needs_torch
def test_thor_example_records_why_it_converges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer steps than SGD on badly scaled inputs, with the curvature of every layer beside the losses."""
    monkeypatch.setattr(sys, "argv", ["digits_thor.py", "--logdir", str(tmp_path), "--steps", "60"])
    runpy.run_path(str(EXAMPLES / "digits_thor.py"), run_name="__main__")

    with server.open(tmp_path) as logdir:
        assert set(logdir.runs) == {"SGD", "THOR"}
        losses = {name: run.scalars("digits/loss").value for name, run in logdir.runs.items()}
        assert losses["THOR"][-1] < losses["SGD"][-1] / 2
        curvature = {tag for tag in logdir.runs["THOR"].tags("scalar") if tag.startswith("thor_")}
        assert len(curvature) == 1 + 3 * 8
        assert not any(tag.startswith("thor_") for tag in logdir.runs["SGD"].tags("scalar"))
        conditions = logdir.runs["THOR"].scalars("thor_condition/fc1.inputs")
        assert conditions.step.tolist() == [1, 10, 20, 30, 40, 50, 60]
        assert (conditions.value > 1).all()


def test_demo_example_records_every_kind_of_summary_in_a_sweep(tmp_path: Path) -> None:
    command: list[str | Path] = [
        EXAMPLES / "digits.py",
        "--logdir",
        tmp_path,
        "--seconds",
        "0",
        "--steps",
        "75",
        "--size",
        "9",
    ]
    subprocess.run([sys.executable, "-W", "error", *command], check=True, stdout=subprocess.DEVNULL)

    parameters = ["hidden.weight", "hidden.bias", "output.weight", "output.bias"]
    with server.open(tmp_path) as logdir:
        failed = logdir.runs["lr=10 m=0.9 h=64"]
        assert len(logdir.runs) == 13
        assert 1 <= len(failed.scalars("train/loss").step) < 75
        for run in logdir.runs.values():
            assert {"environment", "console"} <= set(run.plugins)
            assert any(tag.startswith("machine/") for tag in run.tags("scalar"))
        for run in (run for run in logdir.runs.values() if run is not failed):
            assert run.scalars("train/loss").step.tolist() == list(range(1, 76))
            assert run.scalars("validation/accuracy").step.tolist() == [25, 50, 75]
            assert run.tags("histogram") == parameters
            assert run.tags("image") == ["hidden units", "mistakes"]
            (confusion,) = run.tensors("confusion")
            assert confusion.values is not None
            assert confusion.values.sum() == 450
            (report,) = run.text("report")
            assert report.texts[0].startswith(f"**{confusion.values.trace()} of 450** images recognised after step 75,")
            assert {"graph", "dataset_graph"} <= set(run.plugins)
        rates: set[Any] = {run.lineage().hyper_parameters["learning_rate"] for run in logdir.runs.values()}
        assert (len(rates), min(rates), sorted(rates)[-2:]) == (13, 0.003, [1.0, 10.0])
        run = logdir.runs["lr=0.042 m=0.5 h=64"]
        settings = {name: value for name, value in run.lineage().custom.items() if not name.startswith("environment/")}
        assert settings == {"momentum": 0.5, "hidden": 64, "seed": 0}
        assert run.lineage().metrics["accuracy"] == run.scalars("validation/accuracy").value[-1]
        explored = logdir.runs["lr=0.12 m=0.9 h=32"]
        assert explored.tags("landscape") == ["landscape_[5, 75]", "landscape_[75]"]
        newest = explored.landscapes("landscape_[5, 75]")[-1]
        assert newest.z.shape == (9, 9)
        assert np.isfinite(newest.z).all()
