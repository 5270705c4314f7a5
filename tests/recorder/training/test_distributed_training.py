"""A distributed training: two processes started by torchrun record into one directory."""

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
from support import servers
from support.pytorch import needs_torch

from toposcope.server import open as open_logdir
from toposcope.server.python_api import Run

TRAINING = """
    import os
    import sys

    import torch
    from torch import distributed, nn
    from torch.utils.data import DataLoader, TensorDataset
    from torch.utils.data.distributed import DistributedSampler

    from toposcope.recorder import summary
    from toposcope.recorder.callbacks.summary_collector import SummaryCollector
    from toposcope.recorder.training.model import Model


    class Digits(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(inplace=True), nn.Flatten())
            self.head = nn.Linear(144, 10)

        def forward(self, images):
            hidden = self.body(images)
            summary.tensor("hidden", hidden[:2])
            summary.scalar("hidden_mean", hidden.mean())
            return self.head(hidden)


    distributed.init_process_group("gloo")
    torch.manual_seed(0)
    labels = torch.arange(480) % 10
    images = torch.rand(10, 1, 8, 8)[labels] + 0.2 * torch.rand(480, 1, 8, 8)
    digits = TensorDataset(images, labels)
    loader = DataLoader(digits, batch_size=30, sampler=DistributedSampler(digits))
    network = nn.parallel.DistributedDataParallel(Digits())
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    collector = SummaryCollector(
        sys.argv[1], collect_freq=1, collect_specified_data={"collect_landscape": {"intervals": [[1, 2, 3]]}}
    )
    Model(network, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy"}).fit(
        3, loader, DataLoader(digits, batch_size=512), callbacks=collector
    )
    distributed.barrier()  # Gloo aborts a process whose peer ends first.
    distributed.destroy_process_group()
    os._exit(0)  # PyTorch's threads occasionally abort or hang during interpreter shutdown.
"""
pytestmark = needs_torch
EPOCHS, STEPS = 3, 8  # 480 digits, two processes, batches of 30.


@pytest.fixture(scope="module")
def run_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory into which two processes recorded one training."""
    directory = tmp_path_factory.mktemp("distributed")
    script = directory / "train.py"
    script.write_text(textwrap.dedent(TRAINING))
    # A minimal system has no name localhost, nor one of its own.
    rendezvous = ("--rdzv-backend=c10d", "--rdzv-endpoint=127.0.0.1:0", "--local-addr=127.0.0.1")
    launcher = ("-m", "torch.distributed.run", *rendezvous, "--nproc-per-node", "2")
    process = subprocess.run(
        [sys.executable, *launcher, script, directory / "logs" / "run"],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert process.returncode == 0, process.stdout
    return directory / "logs" / "run"


@pytest.fixture
def run(run_directory: Path) -> Iterator[Run]:
    """Open the run."""
    with open_logdir(run_directory.parent) as logdir:
        yield logdir.runs["run"]


def rank_of(path: Path) -> int:
    """Return the rank in the name of an event file."""
    return int(path.name.split(".summary.")[1].split(".")[1])


def test_each_rank_has_its_own_file(run_directory: Path, run: Run) -> None:
    assert sorted(map(rank_of, run_directory.glob("*_MS"))) == [0, 1]
    assert run.ranks == [0, 1]
    assert (run.attempts, run.damaged_records) == (1, 0)


def test_both_ranks_record_the_loss_of_every_step(run: Run) -> None:
    """The losses differ, as each rank trains on its own batches."""
    first, second = run.scalars("loss/auto", rank=0), run.scalars("loss/auto", rank=1)

    assert first.step.tolist() == second.step.tolist() == list(range(1, EPOCHS * STEPS + 1))
    assert not np.array_equal(first.value, second.value)
    assert first.value[-STEPS:].mean() < first.value[:STEPS].mean()


def test_both_ranks_have_the_same_parameters(run: Run) -> None:
    first, second = (run.histograms("body.0.weight/auto", rank=rank) for rank in (0, 1))

    assert len(first) == len(second) == EPOCHS * STEPS
    for step in range(EPOCHS * STEPS):
        for first_column, second_column in zip(first[step].buckets, second[step].buckets, strict=True):
            assert np.array_equal(first_column, second_column)


def test_steps_of_tensors_are_shared_evenly(run: Run) -> None:
    first, second = (run.tensors("hidden", rank=rank).step.tolist() for rank in (0, 1))

    assert len(first) == len(second) == 10
    assert not set(first) & set(second)
    assert min(first + second) == 1
    assert max(first + second) == EPOCHS * STEPS


def test_every_rank_records_values_of_summary_operators(run: Run) -> None:
    for rank in (0, 1):
        assert run.scalars("hidden_mean", rank=rank).step.tolist() == list(range(1, EPOCHS * STEPS + 1))


def test_only_rank_0_records_graph_images_lineage_and_checkpoints(run_directory: Path, run: Run) -> None:
    assert len(run.images("input_data/auto", rank=0)) == EPOCHS * STEPS
    assert len(run.images("input_data/auto", rank=1)) == 0
    assert {rank_of(path) for path in run_directory.glob("*_lineage")} == {0}
    assert len(list((run_directory / "ckpt_dir").glob("*.safetensors"))) == 3
    metadata = json.loads((run_directory / "ckpt_dir" / "train_metadata.json").read_text())
    assert metadata["step_per_epoch"] == STEPS


def test_lineage_contains_the_number_of_processes(run: Run) -> None:
    """In MindSpore's fields: the number of devices and the parallel mode."""
    lineage = run.lineage()

    assert lineage.hyper_parameters["device_num"] == 2
    assert lineage.hyper_parameters["parallel_mode"] == "data_parallel"
    assert lineage.model["network"] == "Digits"
    assert lineage.custom["environment/world_size"] == 2
    accuracy = lineage.metrics["accuracy"]
    assert isinstance(accuracy, float)
    assert accuracy > 0.5


def test_both_ranks_are_served_over_http(run_directory: Path) -> None:
    process, url = servers.start(run_directory.parent)
    try:
        with httpx.Client(base_url=url, timeout=10) as client:
            series = servers.wait_until(
                lambda: client.get("api/scalars", params={"tag": "loss/auto", "rank": "all"}).json()["series"]
            )
            graphs = servers.wait_until(lambda: client.get("api/graphs", params={"run": "run"}).json()["graphs"])
    finally:
        servers.stop(process)

    assert [(each["run"], each["rank"], each["total"]) for each in series] == [("run", 0, 24), ("run", 1, 24)]
    assert [graph["rank"] for graph in graphs] == [0]
