"""The example for PyTorch is run as users run it, and its runs hold what it shows."""

import runpy
import sys
from pathlib import Path

import pytest
from conftest import ReadEvents

from toposcope import server

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_torch_example_records_a_run_of_every_learning_rate_with_all_that_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_events: ReadEvents
) -> None:
    monkeypatch.setattr(sys, "argv", ["torch_digits.py", "--logdir", str(tmp_path), "--epochs", "1"])
    runpy.run_path(str(EXAMPLES / "torch_digits.py"), run_name="__main__")

    weights = {f"{layer}.weight/auto" for layer in ("body.0", "body.1", "body.4", "head")}
    with server.open(tmp_path) as logdir:
        assert set(logdir.runs) == {"lr=0.1", "lr=0.03", "lr=0.01"}
        for name, run in logdir.runs.items():
            assert run.scalars("loss/auto").step.tolist() == [1, 10, 20, 30, 40]
            assert run.scalars("eval/acc").step.tolist() == [43]
            assert {"eval/loss", "gradient_norm/global", "learning_rate"} <= set(run.tags("scalar"))
            assert set(run.tags("histogram")) == {*weights, "features"}
            assert (run.tags("image"), run.tags("tensor")) == (["input_data/auto"], ["head/weight"])
            assert "dataset_graph" in run.plugins
            lineage = run.lineage()
            assert f"lr={lineage.hyper_parameters['learning_rate']}" == name
            assert (lineage.model["network"], lineage.train_dataset["train_dataset_size"]) == ("Digits", 1348)
            assert lineage.metrics["acc"] > 0.5
            assert lineage.custom["sweep"] == "learning rate"
            (file,) = (tmp_path / name).glob("*_MS")
            graphs = [event.graph_def for event in read_events(file) if event.HasField("graph_def")]
            assert [graph.name for graph in graphs] == ["Digits"]
