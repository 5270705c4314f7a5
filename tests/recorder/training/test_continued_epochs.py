"""A training that is stopped again and again trains every batch once, in the order of one that is not stopped."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, RandomSampler, TensorDataset

from toposcope.recorder.callbacks import BackupAndRestore, Callback, OnRequestExit, RunContext
from toposcope.recorder.training import Model
from toposcope.recorder.training.trainer import Trainer
from toposcope.recorder.training.watch import watch

BATCHES, EPOCHS = 20, 2
Seen = tuple[int, int, int]


class Batches(Callback):
    """Keeps step, epoch and number of each batch, and requests the exit after some of them."""

    def __init__(self, at: int) -> None:
        self.at, self.seen = at, list[Seen]()

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Keep them."""
        params = run_context.original_args()
        self.seen.append((params.cur_step_num, params.cur_epoch_num, int(params.train_dataset_element[0][0, 0])))
        if len(self.seen) == self.at:
            os.kill(os.getpid(), signal.SIGTERM)


def data_set() -> "TensorDataset":
    return TensorDataset(torch.arange(float(BATCHES))[:, None].repeat(1, 2), torch.zeros(BATCHES, 1))


class Stream(IterableDataset[Any]):
    """Batches in an order that depends on NumPy's generator, without a length."""

    def __iter__(self) -> Iterator[Any]:
        data: Any = data_set()
        return iter([data[int(index)] for index in torch.randperm(BATCHES)])


class Numbered:
    """A loader that continues by itself, with torchdata's protocol; its epochs have orders of their own."""

    def __init__(self) -> None:
        self.epoch = self.given = 0

    def __len__(self) -> int:
        return BATCHES

    def __iter__(self) -> Iterator[Any]:
        data = data_set()
        while self.given < BATCHES:
            self.given += 1
            yield data[(self.given * 3 + self.epoch) % BATCHES][0][None], torch.zeros(1, 1)
        self.epoch, self.given = self.epoch + 1, 0

    def state_dict(self) -> dict[str, Any]:
        """Return the place, with values of all kinds that such states contain."""
        rest = {0: (b"x", torch.arange(2), None)}
        return {"epoch": self.epoch, "given": self.given, "rest": rest}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue at the place."""
        assert state["rest"][0][0] == b"x"
        assert state["rest"][0][1].tolist() == [0, 1]
        self.epoch, self.given = state["epoch"], state["given"]


class Drawing(Numbered):
    """A loader that continues by itself, but does not restore what its iterators draw besides, as one of torchdata."""

    def __init__(self) -> None:
        super().__init__()
        self.generator = torch.Generator().manual_seed(3)
        self.drawn = torch.empty(0)

    def __iter__(self) -> Iterator[Any]:
        data = data_set()
        if not self.given:
            self.drawn = self.generator.get_state()
        order = torch.randperm(BATCHES, generator=self.generator).tolist()
        if not self.given:
            torch.rand((), generator=self.generator)
        return self.rest_of(data, order)

    def rest_of(self, data: "TensorDataset", order: list[int]) -> Iterator[Any]:
        """Return the batches that were not given, in an order."""
        while self.given < BATCHES:
            self.given += 1
            yield data[order[self.given - 1]][0][None], torch.zeros(1, 1)
        self.given = 0

    def state_dict(self) -> dict[str, Any]:
        """Return the place, and the state before the order was drawn."""
        return {"given": self.given, "drawn": self.drawn}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue at the place."""
        self.given, self.drawn = state["given"], state["drawn"]
        self.generator.set_state(self.drawn)


def sampler() -> RandomSampler:
    return RandomSampler(data_set(), generator=torch.Generator().manual_seed(3))


LOADERS: dict[str, Callable[[], Any]] = {
    "list": lambda: list(DataLoader(data_set())),
    "shuffled": lambda: DataLoader(data_set(), shuffle=True),
    "own generator": lambda: DataLoader(data_set(), shuffle=True, generator=torch.Generator().manual_seed(3)),
    "workers": lambda: DataLoader(data_set(), shuffle=True, num_workers=1),
    "without length": lambda: DataLoader(Stream()),
    "generator of the sampler": lambda: DataLoader(data_set(), sampler=sampler()),
    "generator in the batch sampler": lambda: DataLoader(data_set(), batch_sampler=BatchSampler(sampler(), 1, False)),
    "with a state": Numbered,
    "with a state and a generator": Drawing,
}


def train_model(network: Any, loader: Any, callbacks: list[Any]) -> None:
    optimizer = torch.optim.SGD(network.parameters(), lr=0.001)
    Model(network, torch.nn.MSELoss(), optimizer).train(EPOCHS, loader, callbacks=callbacks)


def train_trainer(network: Any, loader: Any, callbacks: list[Any]) -> None:
    optimizer = torch.optim.SGD(network.parameters(), lr=0.001)
    trainer = Trainer(
        model=network,
        loss_fn=torch.nn.MSELoss(),
        optimizers=optimizer,
        train_dataloader=loader,
        max_duration=f"{EPOCHS}ep",
        callbacks=callbacks,
    )
    with trainer:
        trainer.fit()


def train_loop(network: Any, loader: Any, callbacks: list[Any]) -> None:
    optimizer = torch.optim.SGD(network.parameters(), lr=0.001)
    with watch(callbacks, network, optimizer, loader, epochs=EPOCHS) as run:
        for _ in range(int(run.state.timestamp.epoch), EPOCHS):
            for inputs, labels in run.batches():
                optimizer.zero_grad()
                loss = torch.nn.functional.mse_loss(network(inputs), labels)
                loss.backward()
                optimizer.step()
                if not run.step(loss, batch=(inputs, labels)):
                    return


TRAININGS = {"Model": train_model, "Trainer": train_trainer, "loop": train_loop}


@pytest.mark.parametrize("at", [10, 15])
@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("training", TRAININGS)
def test_stopped_epochs_continue_with_their_next_batch(tmp_path: Path, training: str, loader: str, at: int) -> None:
    """With the steps 1 to 40 and the same weights, whatever the seed of each process."""

    def train(at: int, folder: str) -> tuple[list[Seen], Any]:
        network = torch.nn.Sequential(torch.nn.Dropout(), torch.nn.Linear(2, 1))
        seen, created = Batches(at), LOADERS[loader]()
        exits = OnRequestExit(directory=tmp_path / folder, save_mindir=False)
        TRAININGS[training](network, created, [BackupAndRestore(tmp_path / folder), seen, exits])
        return seen.seen, network[1].weight

    torch.manual_seed(0)
    expected, weights = train(0, "whole")
    seen = list[Seen]()
    for start in range(-(-BATCHES * EPOCHS // at)):
        torch.manual_seed(100 * start)
        part, trained = train(at, "stopped")
        seen += part

    assert seen == expected
    assert [step for step, _, _ in seen] == list(range(1, BATCHES * EPOCHS + 1))
    torch.testing.assert_close(trained, weights, rtol=0, atol=0)


class Failure(Callback):
    """Ends a training as a kill would: nothing is saved at its end."""

    def __init__(self, at: int) -> None:
        self.at = at

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Raise an error after some step."""
        if run_context.original_args().cur_step_num == self.at:
            raise InterruptedError


@pytest.mark.parametrize("training", TRAININGS)
def test_trainings_continue_from_the_end_of_an_epoch_in_the_same_order(tmp_path: Path, training: str) -> None:
    """Whatever the seed of the process that is started again."""

    def train(*callbacks: Callback) -> list[Seen]:
        seen, network = Batches(0), torch.nn.Sequential(torch.nn.Dropout(), torch.nn.Linear(2, 1))
        TRAININGS[training](network, LOADERS["shuffled"](), [seen, *callbacks])
        return seen.seen

    torch.manual_seed(0)
    expected = train()
    torch.manual_seed(0)
    with pytest.raises(InterruptedError):
        train(BackupAndRestore(tmp_path), Failure(at=30))

    torch.manual_seed(1)
    assert train(BackupAndRestore(tmp_path)) == expected[BATCHES:]


class Unreadable(Drawing):
    """A loader that cannot take its state, and keeps it for its next iterator, as one of torchdata does."""

    kept: dict[str, Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        iterator = super().__iter__()
        if self.kept is not None:
            raise StopIteration
        return iterator

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Keep the state."""
        self.kept = state


def test_batches_are_skipped_if_a_loader_cannot_take_its_state(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """In the order that they had; a warning says so."""
    parts = list[list[Seen]]()
    for _ in range(2):
        seen = Batches(15)
        exits = OnRequestExit(directory=tmp_path, save_mindir=False)
        train_model(torch.nn.Linear(2, 1), Unreadable(), [seen, exits])
        parts.append(seen.seen)

    assert sorted(number for _, _, number in parts[0] + parts[1][:5]) == list(range(BATCHES))
    assert "cannot be restored" in caplog.text
