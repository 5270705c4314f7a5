"""The graph of a network is recorded when the training pauses, not by its first step."""

from pathlib import Path
from typing import Any

import pytest
import torch
from support.torch_programs import TorchPrograms
from torch import nn

from toposcope import server
from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.collecting.training import graph_recording
from toposcope.recorder.frameworks.torch.graph.network_graph import graph_of
from toposcope.recorder.training.model import Model
from toposcope.recorder.training.own_loops.watched_run import WatchedRun

QUIET: dict[str, Any] = {"collect_specified_data": {"collect_graph": True}, "keep_default_action": False}


@pytest.fixture
def traced_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that receives "traced" for each trace; a test adds what it does between."""
    story: list[str] = []

    def traced(*arguments: Any) -> Any:
        story.append("traced")
        return graph_of(*arguments)

    monkeypatch.setattr("toposcope.recorder.frameworks.torch.graph.graph_source.graph_of", traced)
    return story


def network() -> nn.Module:
    return nn.Sequential(nn.Linear(2, 3), nn.ReLU())


def train(run: WatchedRun, module: nn.Module, steps: int, story: list[str]) -> None:
    """Train some steps, and note each of them."""
    for _ in range(steps):
        run.step(module(torch.ones(4, 2)).sum())
        story.append("step")


def graphs(directory: Path) -> int:
    """Return the number of graphs of the only run of a directory."""
    (run,) = server.open(directory).runs.values()
    return len(run.tags("graph"))


def test_the_graph_is_traced_after_the_last_step_of_the_first_epoch(tmp_path: Path, traced_at: list[str]) -> None:
    module = network()
    with SummaryCollector(tmp_path, 1, **QUIET).watch(module, loader=range(3)) as run:
        train(run, module, 5, traced_at)

    assert traced_at == ["step", "step", "step", "traced", "step", "step"]
    assert graphs(tmp_path) == 1


def test_the_graph_is_traced_after_an_evaluation(tmp_path: Path, traced_at: list[str]) -> None:
    module = network()
    with SummaryCollector(tmp_path, 1, **QUIET).watch(module, loader=range(100)) as run:
        train(run, module, 2, traced_at)
        run.eval({"loss": 1.0}, more=True)
        train(run, module, 1, traced_at)

    assert traced_at == ["step", "step", "traced", "step"]


def test_the_graph_is_traced_in_a_long_epoch_after_some_seconds(
    tmp_path: Path, traced_at: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_recording, "_SECONDS", 0.0)
    module = network()
    with SummaryCollector(tmp_path, 2, **QUIET).watch(module) as run:
        train(run, module, 6, traced_at)

    assert traced_at == ["step", "traced", *["step"] * 5]


def test_a_model_is_traced_at_the_end_of_the_first_epoch(tmp_path: Path, traced_at: list[str]) -> None:
    module = network()
    model = Model(module, nn.MSELoss(), torch.optim.SGD(module.parameters(), 0.1))
    model.train(2, [(torch.ones(4, 2), torch.ones(4, 3))] * 2, callbacks=SummaryCollector(tmp_path, 1, **QUIET))

    assert traced_at == ["traced"]
    assert graphs(tmp_path) == 1


def test_a_training_that_raises_has_its_graph(tmp_path: Path, traced_at: list[str]) -> None:
    module = network()

    def diverges() -> None:
        with SummaryCollector(tmp_path, 1, **QUIET).watch(module) as run:
            train(run, module, 1, traced_at)
            raise FloatingPointError

    with pytest.raises(FloatingPointError):
        diverges()
    assert traced_at == ["step", "traced"]
    assert graphs(tmp_path) == 1


UNCLOSED = """
import sys
import torch
from toposcope.recorder.callbacks import SummaryCollector

network = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
run = SummaryCollector(sys.argv[1]).watch(network).__enter__()
for _ in range(3):
    run.step(network(torch.ones(3, 2)).sum())
"""


def test_a_process_that_never_closes_its_run_has_a_graph(programs: TorchPrograms, tmp_path: Path) -> None:
    printed = programs.run(UNCLOSED, tmp_path / "run", folder=tmp_path)

    assert "dropped" not in printed
    assert graphs(tmp_path / "run") == 1
    (run,) = server.open(tmp_path / "run").runs.values()
    assert run.tags("lineage")
