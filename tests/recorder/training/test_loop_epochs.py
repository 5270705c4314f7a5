"""Loops with accumulated gradients: steps, batches, samples and epochs against an independent count."""

import logging
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.pytorch import torch

from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.own_loops.watched_run import WatchedRun
from toposcope.recorder.training.watch import watch


class Count(NamedTuple):
    """What a loop has done."""

    steps: int
    samples: int
    epochs: int


class Ends(EventCallback):
    """Notes the steps and samples at the end of each epoch."""

    def __init__(self) -> None:
        self.ends: list[tuple[int, int]] = []

    def epoch_end(self, state: Any, logger: Any) -> None:
        self.ends.append((int(state.timestamp.batch), int(state.timestamp.sample)))


class Stream(torch.utils.data.IterableDataset[Any]):
    """Samples without a known number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __iter__(self) -> Iterator[Any]:
        for _ in range(self.number):
            yield torch.rand(3), torch.rand(1)


class MisjudgedStream(Stream):
    """Samples of which the data set says that there are more."""

    def __len__(self) -> int:
        return 2 * self.number


def of_size(number: int, *, drop_last: bool = False) -> Any:
    """Return batches of eight of a number of samples."""
    data = torch.utils.data.TensorDataset(torch.rand(number, 3), torch.rand(number, 1))
    return torch.utils.data.DataLoader(data, 8, drop_last=drop_last)


LOADERS = {
    "whole batches": lambda: of_size(64),
    "an uneven last batch": lambda: of_size(61),
    "a dropped last batch": lambda: of_size(61, drop_last=True),
    "a stream": lambda: torch.utils.data.DataLoader(Stream(61), 8),
    "a stream of misjudged length": lambda: torch.utils.data.DataLoader(MisjudgedStream(61), 8),
    "workers": lambda: torch.utils.data.DataLoader(of_size(61).dataset, 8, num_workers=1),
}


def train(
    loader: Any, iterate: Any, *, steps_once: bool, accumulated: int, epochs: int = 3, **arguments: Any
) -> tuple[WatchedRun, Ends, Count, list[tuple[int, int]]]:
    """Train with run.step() once per step of the optimizer or after each micro-batch, and count independently."""
    network, ends, own = torch.nn.Linear(3, 1), Ends(), []
    optimizer = torch.optim.SGD(network.parameters(), 0.01)
    steps = samples = pending = 0
    with watch(ends, network, optimizer, loader, **arguments) as run:
        for _ in range(epochs):
            for number, (inputs, labels) in enumerate(iterate(loader), 1):
                loss = ((network(inputs) - labels) ** 2).mean()
                (loss / accumulated).backward()
                pending += len(inputs)
                is_last = number % accumulated == 0
                if is_last:
                    optimizer.step()
                    steps, samples, pending = steps + 1, samples + pending, 0
                if is_last or not steps_once:
                    run.step(loss)
                if is_last:
                    optimizer.zero_grad()
            own.append((steps, samples))
            run.eval({"loss": 0.5})
    return run, ends, Count(steps, samples, epochs), own


def count_of(run: WatchedRun) -> Count:
    """Return what a run has counted."""
    timestamp = run.state.timestamp
    return Count(int(timestamp.batch), int(timestamp.sample), int(timestamp.epoch))


@pytest.mark.parametrize("steps_once", [True, False], ids=["once a step", "each micro-batch"])
@pytest.mark.parametrize("accumulated", [1, 3, 4])
@pytest.mark.parametrize("name", LOADERS)
def test_counts_are_those_of_the_loop(name: str, accumulated: int, steps_once: bool) -> None:
    """Steps are the optimizer's, samples are what the loader gave, and epochs end where the loader ends."""
    run, ends, count, own = train(LOADERS[name](), iter, steps_once=steps_once, accumulated=accumulated)
    assert count_of(run) == count
    assert ends.ends == own


@pytest.mark.parametrize("steps_once", [True, False], ids=["once a step", "each micro-batch"])
def test_an_epoch_that_is_left_early_is_one(steps_once: bool) -> None:
    """The next epochs end where they end, not earlier."""
    run, ends, count, own = train(of_size(64), lambda loader: islice(loader, 4), steps_once=steps_once, accumulated=2)
    assert count_of(run) == count == Count(6, 96, 3)
    assert ends.ends == own


def test_another_loader_beside_it_is_not_counted() -> None:
    """Batches of two loaders in turn, of which one is watched."""
    loader, other = of_size(64), of_size(40)
    run, ends, count, own = train(
        loader, lambda each: (batch for batch, _ in zip(each, other, strict=False)), steps_once=True, accumulated=2
    )
    # The longer loader is left when the other one has ended, after it has given one batch more.
    assert (count.steps, count.epochs) == (count_of(run).steps, count_of(run).epochs)
    assert [step for step, _ in ends.ends] == [step for step, _ in own]


def test_an_evaluation_with_the_same_loader_is_no_training() -> None:
    """Its batches count neither as samples nor as an epoch."""
    loader, network, ends = of_size(64), torch.nn.Linear(3, 1), Ends()
    optimizer = torch.optim.SGD(network.parameters(), 0.01)
    with watch(ends, network, optimizer, loader) as run:
        for _ in range(2):
            for number, (inputs, _) in enumerate(loader, 1):
                loss = network(inputs).mean()
                loss.backward()
                if number % 4 == 0:
                    optimizer.step()
                    run.step(loss)
                    optimizer.zero_grad()
                    with torch.no_grad():
                        accuracy = sum(float(network(inputs).mean()) for inputs, _ in loader)
            run.eval({"accuracy": accuracy})
    assert ends.ends == [(2, 64), (4, 128)]


def test_batches_that_are_fetched_in_advance_count_when_they_are_trained() -> None:
    """A prefetching loop asks for the next batch before it trains one."""

    def prefetched(loader: Any) -> Iterator[Any]:
        iterator = iter(loader)
        batch = next(iterator)
        for following in iterator:
            yield batch
            batch = following
        yield batch

    run, ends, count, own = train(of_size(61), prefetched, steps_once=False, accumulated=2)
    assert count_of(run) == count
    assert ends.ends == own


def test_batches_that_were_collected_before_the_training_end_epochs_by_their_number() -> None:
    """A list of all batches is trained again and again."""
    loader = of_size(64)
    batches = list(loader)
    run, ends, count, own = train(loader, lambda _: batches, steps_once=False, accumulated=2)
    assert count_of(run) == count
    assert ends.ends == own


def test_networks_that_are_called_several_times_a_batch_train_it_once() -> None:
    """A step of the loader is a step of a batch, however often the network is called."""
    loader, network, ends = of_size(64), torch.nn.Linear(3, 1), Ends()
    optimizer = torch.optim.SGD(network.parameters(), 0.01)
    with watch(ends, network, optimizer, loader) as run:
        for _ in range(2):
            for inputs, _ in loader:
                loss = (network(inputs) + network(-inputs)).mean()
                loss.backward()
                optimizer.step()
                run.step(loss)
    assert ends.ends == [(8, 64), (16, 128)]


def test_batches_that_are_cut_into_micro_batches_count_once() -> None:
    """The loop cuts what the loader gives, and calls step() after each piece."""
    loader, network, ends = of_size(61), torch.nn.Linear(3, 1), Ends()
    optimizer = torch.optim.SGD(network.parameters(), 0.01)
    with watch(ends, network, optimizer, loader) as run:
        for _ in range(2):
            for inputs, _ in loader:
                for piece in inputs.split(2):
                    loss = network(piece).mean()
                    loss.backward()
                    is_last = piece.data_ptr() == inputs.split(2)[-1].data_ptr()
                    if is_last:
                        optimizer.step()
                    run.step(loss)
                    if is_last:
                        optimizer.zero_grad()
    assert ends.ends == [(8, 61), (16, 122)]


def test_loops_without_an_observable_network_are_understood_after_an_epoch() -> None:
    """From the second epoch on, a call of step() stands for all batches since the last one; no sample is lost."""
    ends = Ends()
    with watch(ends, loader=of_size(64)) as run:
        for _ in range(3):
            for number, _ in enumerate(run.state.train_dataloader, 1):
                if number % 4 == 0:
                    run.step(1.0)
            run.eval({"loss": 0.5})
    assert count_of(run) == Count(6, 3 * 64, 3)
    assert [step for step, _ in ends.ends] == [2, 4, 6]


def test_a_loader_whose_batches_cannot_be_seen_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    """A list may accumulate gradients or call its network several times: that is not known."""
    batches = [(torch.rand(8, 3), torch.rand(8, 1)) for _ in range(8)]
    with caplog.at_level(logging.WARNING):
        train(batches, iter, steps_once=True, accumulated=4)
    assert ["call step() after each micro-batch" in record.getMessage() for record in caplog.records] == [True]


def test_the_steps_of_an_epoch_are_known_after_the_first_one() -> None:
    """Callbacks receive the steps of the optimizer per epoch as batch_num."""
    numbers: list[int] = []

    class Noting(EventCallback):
        def batch_end(self, state: Any, logger: Any) -> None:
            numbers.append(int(state.dataloader_len))

    loader = of_size(64)
    for steps_once in (True, False):
        network = torch.nn.Linear(3, 1)
        optimizer = torch.optim.SGD(network.parameters(), 0.01)
        with watch(Noting(), network, optimizer, loader) as run:
            for number, (inputs, _) in enumerate(loader, 1):
                loss = network(inputs).mean()
                loss.backward()
                if number % 4 == 0:
                    optimizer.step()
                if number % 4 == 0 or not steps_once:
                    run.step(loss)
    assert numbers == [2, 2, 2, 2]


def test_the_class_of_a_loader_is_as_before_when_the_training_ends(tmp_path: Path) -> None:
    """Observing an iterator leaves nothing behind."""
    kind = torch.utils.data.DataLoader
    before = kind.__iter__
    train(of_size(64), iter, steps_once=True, accumulated=4)
    assert kind.__iter__ is before
