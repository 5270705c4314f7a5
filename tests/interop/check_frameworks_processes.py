"""The ways in which scripts start processes: each records with our SummaryWriter, without a change of the code."""

import json
import sys
from pathlib import Path

import pytest
from support.framework_runs import RUN, check, output_of
from support.framework_scripts import ACCELERATE, LIGHTNING

from toposcope import server

TORCH_SPAWN = """
import os, torch, torch.multiprocessing as multiprocessing
from torch.utils.tensorboard import SummaryWriter

def train(rank):
    with SummaryWriter(f"rank{rank}") as writer:
        writer.add_scalar("x", torch.tensor(0.1 + rank, dtype=torch.float64), 1)

if __name__ == "__main__":
    multiprocessing.spawn(train, nprocs=2)
    print('{"x": {"1": 0.1}}')
"""
DISTRIBUTED = """
import json, os, torch
import torch.distributed as distributed
from torch.utils.tensorboard import SummaryWriter
distributed.init_process_group("gloo")
rank = distributed.get_rank()
writer = SummaryWriter(f"rank{rank}")
losses = {}
for step in range(5):
    loss = torch.tensor(1.0 / (step + 1) + rank, dtype=torch.float64)
    distributed.all_reduce(loss)
    losses[step] = loss.item()
    writer.add_scalar("loss", losses[step], step)
writer.close()
distributed.destroy_process_group()
if rank == 0:
    print(json.dumps({"loss": losses}))
"""


def check_ranks(directory: Path, printed: str, tag: str) -> None:
    """Assert that rank 0 has recorded the values that are printed, and rank 1 as many; both with exact doubles."""
    values = {int(step): value for step, value in json.loads(printed)[tag].items()}
    for rank in range(2):
        points = server.open(directory / f"rank{rank}").runs["."].scalars(tag)
        assert points.step.tolist() == list(values)
        if rank == 0:
            assert points.value.tolist() == list(values.values())


def test_multiprocessing_of_torch(tmp_path: Path) -> None:
    """torch.multiprocessing.spawn()."""
    (tmp_path / "script.py").write_text(TORCH_SPAWN)
    check_ranks(tmp_path, output_of(tmp_path, [sys.executable, *RUN, "script.py"]), "x")


@pytest.mark.parametrize(
    "command",
    [
        [*RUN, "torchrun", "--nproc-per-node=2", "script.py"],
        [*RUN, "-m", "torch.distributed.run", "--nproc-per-node=2", "script.py"],
        ["-m", "torch.distributed.run", "--nproc-per-node=2", *RUN, "script.py"],
    ],
    ids=["command", "module", "inside"],
)
def test_torchrun(tmp_path: Path, command: list[str]) -> None:
    """Two processes with gloo."""
    (tmp_path / "script.py").write_text(DISTRIBUTED)
    check_ranks(tmp_path, output_of(tmp_path, [sys.executable, *command]), "loss")


@pytest.mark.parametrize(
    "options", [["--cpu"], ["--multi_gpu", "--num_processes=2", "--main_process_port=0"]], ids=["one", "two"]
)
def test_accelerate_launch(tmp_path: Path, options: list[str]) -> None:
    """One process, and two that the launcher of Accelerate starts by torchrun."""
    (tmp_path / "script.py").write_text(ACCELERATE.imports + ACCELERATE.training)
    command = [sys.executable, *RUN, "accelerate", "launch", *options, "script.py"]
    check(tmp_path, ACCELERATE, output_of(tmp_path, command))


@pytest.mark.parametrize("strategy", ["ddp", "ddp_spawn"])
def test_lightning(tmp_path: Path, strategy: str) -> None:
    """Lightning starts the script again, or spawns processes."""
    training = LIGHTNING.training.replace("main()\n", f'main(strategy="{strategy}", devices=2)\n')
    (tmp_path / "script.py").write_text(LIGHTNING.imports + training)
    check(tmp_path, LIGHTNING, output_of(tmp_path, [sys.executable, *RUN, "script.py"]))
