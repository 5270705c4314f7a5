"""The examples of the documentation for Ray Tune."""

import logging
from pathlib import Path
from typing import Any

import pytest
import ray
from ray import tune
from support.documentation import examples, run_examples

from toposcope import server

pytestmark = pytest.mark.filterwarnings("ignore")


def test_examples_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a function of the reader."""

    def train(config: dict[str, Any]) -> None:
        tune.report({"loss": config["lr"]})

    ray.init(num_cpus=2, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    try:
        run_examples(examples("ray.md"), "ray.md", tmp_path, monkeypatch, train=train)
    finally:
        ray.shutdown()

    runs = server.open(tmp_path / "runs/search").runs.values()
    assert sorted(run.scalars("loss").value.tolist() for run in runs) == [[0.1], [0.2]]
