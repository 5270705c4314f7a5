"""Summary operators with SummaryRecord in a user-written loop."""

from pathlib import Path

import numpy as np
import torch

import toposcope.server
from toposcope.recorder import SummaryRecord, summary


class Network(torch.nn.Module):
    """A network that calls each operator."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        hidden = self.layer(inputs)
        summary.scalar("mean", hidden.mean())
        summary.tensor("hidden", hidden)
        summary.histogram("distribution", hidden)
        summary.image("input", inputs.reshape(-1, 1, 2, 2))
        return hidden


def test_newest_values_are_recorded_in_train_mode_only(tmp_path: Path) -> None:
    network = Network()
    with SummaryRecord(tmp_path / "run") as recorder:
        for step in (1, 2):
            network(torch.zeros(3, 4))
            outputs = network(torch.full((3, 4), float(step)))
            recorder.record(step)
        recorder.set_mode("eval")
        network(torch.ones(3, 4))
        recorder.record(3)
        recorder.set_mode("train")
        recorder.record(4)
    with toposcope.server.open(tmp_path) as logdir:
        run = logdir.runs["run"]
        assert run.scalars("mean").step.tolist() == [1, 2]
        assert run.scalars("mean").value[1] == np.float32(outputs.mean().item())
        assert set(run.tags("tensor")) == {"hidden"}
        assert set(run.tags("histogram")) == {"distribution"}
        assert set(run.tags("image")) == {"input"}


def test_recorder_without_collects_operators_leaves_them_to_the_enclosing_one(tmp_path: Path) -> None:
    with (
        SummaryRecord(tmp_path / "outer") as outer,
        SummaryRecord(tmp_path / "inner", collects_operators=False) as inner,
    ):
        summary.scalar("value", 1.0)
        inner.record(1)
        outer.record(1)
    with toposcope.server.open(tmp_path) as logdir:
        assert logdir.runs["outer"].tags("scalar") == ["value"]
        assert logdir.runs["inner"].tags("scalar") == []
