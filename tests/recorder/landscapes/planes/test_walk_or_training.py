"""From a training to its published landscape, whose diagnostics show whether the path has a direction."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from support.landscape_events import newest
from torch import nn

from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.landscapes import SummaryLandscape
from toposcope.recorder.training import Model
from toposcope.server.landscapes.details import Details

STEPS = 30
Parameters = list[torch.Tensor]


class RandomSteps(torch.optim.SGD):
    """Ignores gradients: every step is random."""

    def step(self, closure: Any = None) -> Any:
        """Take a step."""
        with torch.no_grad():
            for parameter in self.param_groups[0]["params"]:
                parameter += 0.02 * torch.randn(parameter.shape)


def classifier() -> nn.Module:
    """Return a network of 1,731 weights."""
    return nn.Sequential(nn.Linear(16, 64), nn.Tanh(), nn.Linear(64, 10), nn.Linear(10, 3))


def batches() -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Return points around three centres, with the numbers of these."""
    generator = torch.Generator().manual_seed(0)
    centres = torch.randn(3, 16, generator=generator)
    labels = torch.randint(0, 3, (STEPS, 32), generator=generator)
    return [(centres[own] + torch.randn(32, 16, generator=generator), own) for own in labels]


def random_steps(parameters: Parameters) -> torch.optim.Optimizer:
    """Return an optimizer without direction."""
    return RandomSteps(parameters, 0.1)


def momentum(parameters: Parameters) -> torch.optim.Optimizer:
    """Return an optimizer."""
    return torch.optim.SGD(parameters, 0.05, 0.9)


def train(directory: Path, optimizer: Callable[[Parameters], torch.optim.Optimizer], seed: int = 1) -> Any:
    """Train a network, save a checkpoint after each step, and return a callback_fn."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network, data = classifier(), batches()
        settings = {"landscape_size": 5, "num_samples": 64, "create_landscape": {"result": False}}
        settings["intervals"] = [list(range(1, STEPS + 1))]
        collector = SummaryCollector(directory, 10, {"collect_landscape": settings}, keep_default_action=False)
        loss_fn = nn.CrossEntropyLoss()
        Model(network, loss_fn, optimizer(list(network.parameters()))).train(1, data, callbacks=[collector])
    return lambda: (Model(network, loss_fn), network, data, {"Loss"})


def shown_in(directory: Path, tag: str = f"landscape_[1, {STEPS}]") -> Details:
    """Return the details of a landscape."""
    details = newest(directory)[tag].details
    assert details is not None
    return details


@pytest.mark.parametrize(
    ("optimizer", "is_walk"),
    [(random_steps, True), (momentum, False), (lambda parameters: torch.optim.Adam(parameters, 0.01), False)],
    ids=["random steps", "momentum", "Adam"],
)
def test_a_walk_is_distinguished_from_a_training(
    tmp_path: Path, optimizer: Callable[[Parameters], torch.optim.Optimizer], is_walk: bool
) -> None:
    """The energy of both paths is on two axes; only the diagnostics of the walk report a random walk."""
    callback_fn = train(tmp_path, optimizer)
    SummaryLandscape(tmp_path).gen_landscapes_with_multi_process(callback_fn, levels=2)

    _, truth, diagnostics = shown_in(tmp_path)
    assert diagnostics.is_random_walk == is_walk
    assert diagnostics.energy.sum() > 0.8
    assert diagnostics.random_walk_energy.sum() == pytest.approx(0.9, abs=0.06)
    assert diagnostics.random_walk_residual is not None
    assert 0.25 < diagnostics.random_walk_residual < 0.55  # More for steps that become shorter.
    assert truth is not None
    assert (truth.real[-1] < truth.real[0] / 2) != is_walk


@pytest.mark.parametrize("seed", [1, 2], ids=["the same initial weights", "others"])
def test_a_walk_beside_a_training_is_judged_on_the_plane_of_both(tmp_path: Path, seed: int) -> None:
    """There it has far less energy than a walk on its own plane, and as much as is expected of a walk."""
    callback_fn = train(tmp_path / "training", momentum)
    train(tmp_path / "walk", random_steps, seed)
    SummaryLandscape(tmp_path / "training").gen_landscapes_with_multi_process(
        callback_fn, levels=2, others=[tmp_path / "walk"]
    )

    training, walk = (
        shown_in(tmp_path / name, f"joint_landscape_[1, {STEPS}]").diagnostics for name in ("training", "walk")
    )
    assert (training.is_random_walk, walk.is_random_walk) == (False, True)
    assert walk.energy.sum() == pytest.approx(walk.random_walk_energy.sum(), abs=0.1)
    assert walk.random_walk_energy.sum() < 0.8
    assert training.energy.sum() > training.random_walk_energy.sum() + 0.1
