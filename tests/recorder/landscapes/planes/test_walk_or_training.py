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


@pytest.mark.parametrize(
    ("optimizer", "is_walk"),
    [
        (lambda parameters: RandomSteps(parameters, 0.1), True),
        (lambda parameters: torch.optim.SGD(parameters, 0.05, 0.9), False),
        (lambda parameters: torch.optim.Adam(parameters, 0.01), False),
    ],
    ids=["random steps", "momentum", "Adam"],
)
def test_a_walk_is_distinguished_from_a_training(
    tmp_path: Path, optimizer: Callable[[Parameters], torch.optim.Optimizer], is_walk: bool
) -> None:
    """The energy of both paths is on two axes; only the diagnostics of the walk report a random walk."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        network, data = classifier(), batches()
        settings = {"landscape_size": 5, "num_samples": 64, "create_landscape": {"result": False}}
        settings["intervals"] = [list(range(1, STEPS + 1))]
        collector = SummaryCollector(tmp_path, 10, {"collect_landscape": settings}, keep_default_action=False)
        loss_fn = nn.CrossEntropyLoss()
        Model(network, loss_fn, optimizer(list(network.parameters()))).train(1, data, callbacks=[collector])

    SummaryLandscape(tmp_path).gen_landscapes_with_multi_process(
        lambda: (Model(network, loss_fn), network, data, {"Loss"}), levels=2
    )

    (surface,) = newest(tmp_path).values()
    assert surface.details is not None
    diagnostics, truth = surface.details.diagnostics, surface.details.truth
    assert diagnostics.is_random_walk == is_walk
    assert diagnostics.energy.sum() > 0.8
    assert diagnostics.random_walk_energy.sum() == pytest.approx(0.9, abs=0.06)
    assert truth is not None
    assert (truth.real[-1] < truth.real[0] / 2) != is_walk
