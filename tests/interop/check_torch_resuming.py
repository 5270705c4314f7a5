"""Trainings over StatefulDataLoaders of torchdata that are stopped within an epoch continue in the same order."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.data import RandomSampler, TensorDataset
from torchdata.stateful_dataloader import StatefulDataLoader

from toposcope.recorder.callbacks import Callback, OnRequestExit, RunContext
from toposcope.recorder.training import Model

BATCHES, EPOCHS, STOPPED_AFTER = 20, 2, 15

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")  # Torchdata's.


class Batches(Callback):
    """Keeps the number of each batch, and requests the exit after some of them."""

    def __init__(self, stop_after: int) -> None:
        self.stop_after, self.seen = stop_after, list[int]()

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Keep it."""
        self.seen.append(int(run_context.original_args().train_dataset_element[0][0, 0]))
        if len(self.seen) == self.stop_after:
            os.kill(os.getpid(), signal.SIGTERM)


def data_set() -> "TensorDataset":
    return TensorDataset(torch.arange(float(BATCHES))[:, None], torch.zeros(BATCHES, 1))


def seeded() -> torch.Generator:
    return torch.Generator().manual_seed(3)


LOADERS: dict[str, Callable[[], Any]] = {
    "shuffled": lambda: StatefulDataLoader(data_set(), shuffle=True),
    "own generator": lambda: StatefulDataLoader(data_set(), shuffle=True, generator=seeded()),
    "workers": lambda: StatefulDataLoader(data_set(), shuffle=True, generator=seeded(), num_workers=2),
    "sampler": lambda: StatefulDataLoader(data_set(), sampler=RandomSampler(data_set(), generator=seeded())),
}


@pytest.mark.parametrize("loader", LOADERS)
def test_the_order_of_the_batches_is_that_of_a_training_without_a_stop(tmp_path: Path, loader: str) -> None:
    """In this epoch and in the next one, whatever the seed of each process."""

    def train(stop_after: int, folder: str) -> list[int]:
        network, seen = torch.nn.Linear(1, 1), Batches(stop_after)
        exits = OnRequestExit(directory=tmp_path / folder, save_mindir=False)
        model = Model(network, torch.nn.MSELoss(), torch.optim.SGD(network.parameters(), lr=0.001))
        model.train(EPOCHS, LOADERS[loader](), callbacks=[seen, exits])
        return seen.seen

    torch.manual_seed(0)
    expected = train(0, "whole")
    seen = list[int]()
    for start in range(-(-BATCHES * EPOCHS // STOPPED_AFTER)):
        torch.manual_seed(100 * start)
        seen += train(STOPPED_AFTER, "stopped")

    assert seen == expected
