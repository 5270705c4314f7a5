"""THOR in several processes: factors are averaged, so that two processes equal one with the joined batch."""

import multiprocessing
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from toposcope.recorder.train_thor import thor

_SECONDS = 120
_OPTIONS: dict[str, Any] = {"learning_rate": 0.1, "damping": 0.1, "momentum": 0.9, "frequency": 2}


def network() -> nn.Module:
    """Return a network with a convolution, an embedding-free head and a norm."""
    torch.manual_seed(0)
    convolution = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1, groups=2), nn.Tanh(), nn.Flatten())
    return nn.Sequential(convolution, nn.Linear(64, 5), nn.LayerNorm(5), nn.Linear(5, 3)).double()


def data() -> tuple[Tensor, Tensor]:
    """Return inputs and targets of four batches of eight samples."""
    torch.manual_seed(1)
    return torch.randn(4, 8, 2, 4, 4).double(), torch.randn(4, 8, 3).double()


def train(net: nn.Module, optimizer: Any, rank: int, world: int) -> None:
    """Train on the share of each batch that belongs to a rank."""
    for inputs, targets in zip(*data(), strict=True):
        optimizer.zero_grad()
        (net(inputs[rank::world]) - targets[rank::world]).square().sum(1).mean().backward()
        optimizer.step()


def run_rank(rank: int, folder: Path) -> None:
    """Train as one of two processes; rank 0 saves the parameters."""
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", f"file://{folder}/rendezvous", rank=rank, world_size=2)
    net = network()
    optimizer = thor(net, **_OPTIONS)
    train(DistributedDataParallel(net), optimizer, rank, 2)
    if rank == 0:
        torch.save(net.state_dict(), folder / "trained.pt")
    distributed.destroy_process_group()


def test_two_processes_equal_one_with_the_joined_batch(tmp_path: Path) -> None:
    """Factors, inverses and updates of DistributedDataParallel are those of the joined batch."""
    processes = [
        multiprocessing.get_context("spawn").Process(target=run_rank, args=(rank, tmp_path)) for rank in (0, 1)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(_SECONDS)
        assert process.exitcode == 0
    net = network()
    train(net, thor(net, **_OPTIONS), 0, 1)
    trained = torch.load(tmp_path / "trained.pt")
    for name, value in net.state_dict().items():
        torch.testing.assert_close(value, trained[name])
