"""The README's Python examples are run in order, as a reader who types them in would, and their runs read back."""

from pathlib import Path
from typing import Any

import pytest
import torch
from support.documentation import examples, run_examples
from support.written_events import ReadEvents
from torch.utils.data import DataLoader, TensorDataset

from toposcope import server
from toposcope.recorder.training import Model


def names_it_needs() -> dict[str, Any]:
    """Return a tiny network, its data and what trains and evaluates it, under the names of the examples."""
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.Flatten(), torch.nn.Linear(72, 10))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    loss_fn = torch.nn.CrossEntropyLoss()
    loader = DataLoader(TensorDataset(torch.rand(16, 1, 8, 8), torch.arange(16) % 10), batch_size=4)

    def train_step(images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(network(images), labels)
        torch.autograd.backward(loss)
        optimizer.step()
        return loss

    def evaluate() -> float:
        with torch.no_grad():
            return float(sum((network(images).argmax(1) == labels).sum() for images, labels in loader)) / 16

    return {
        "network": network,
        "optimizer": optimizer,
        "loss_fn": loss_fn,
        "loader": loader,
        "train_step": train_step,
        "evaluate": evaluate,
        "step": 1,
        "callback_fn": lambda: (Model(network, loss_fn), network, list(loader), {"Loss"}),
    }


def test_examples_record_what_the_readme_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_events: ReadEvents
) -> None:
    run_examples(examples("../README.md"), "README.md", tmp_path, monkeypatch, **names_it_needs())

    with server.open("runs") as logdir:
        assert logdir.runs["second"].scalars("train/loss").step.tolist() == [1]
        assert "landscape" in logdir.runs["third"].plugins
        run = logdir.runs["first"]
        lineage, scalars = run.lineage(), set(run.tags("scalar"))
        assert run.scalars("loss/auto").step.tolist() == [*range(1, 41)]
        assert run.scalars("eval/accuracy").step.tolist() == list(range(4, 41, 4))
        assert set(run.tags("histogram")) == {f"{name}/auto" for name in ("0.weight", "0.bias", "2.weight", "2.bias")}
        assert run.tags("image") == ["input_data/auto"]
        assert {"graph", "dataset_graph"} <= set(run.plugins)
    assert {"learning_rate", "throughput/steps_per_second", "machine/process_memory_gib"} <= scalars
    assert lineage.metrics.keys() == {"accuracy"}
    assert (lineage.model["network"], lineage.hyper_parameters["optimizer"]) == ("Sequential", "SGD")
    (file,) = Path("runs/first").glob("*_MS")
    assert [event.graph_def.name for event in read_events(file) if event.HasField("graph_def")] == ["Sequential"]
