"""LRMonitor: the learning rate that each step has used."""

from typing import Any

from support.pytorch import torch
from support.tiny_training import logged_by, series, tiny_batches, tiny_network

from toposcope.recorder.event_callbacks import LRMonitor
from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.training.model import Model
from toposcope.recorder.training.watch import watch


def test_rate_of_each_group_is_logged_at_every_batch() -> None:
    """Two groups of an Adam."""
    network = tiny_network()
    groups: list[dict[str, Any]] = [{"params": network[0].parameters()}, {"params": network[2].parameters(), "lr": 0.5}]
    memory = logged_by(LRMonitor(), model=network, optimizers=torch.optim.Adam(groups, lr=0.25), batches=2)

    assert series(memory, "lr-Adam/group0") == [(1, 0.25), (2, 0.25)]
    assert series(memory, "lr-Adam/group1") == [(1, 0.5), (2, 0.5)]


def test_rate_is_the_one_that_the_step_has_used() -> None:
    """A scheduler that steps once per batch has already set the next rate at the end of the batch."""
    network = tiny_network()
    optimizer = torch.optim.SGD(network.parameters(), lr=1.0)
    used: list[float] = []
    optimizer.register_step_pre_hook(lambda each, *_: used.append(each.param_groups[0]["lr"]))
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    memory = logged_by(
        LRMonitor(),
        model=network,
        optimizers=optimizer,
        schedulers=schedule,
        step_schedulers_every_batch=True,
        batches=3,
    )

    assert [value for _, value in series(memory, "lr-SGD/group0")] == used == [1.0, 0.5, 0.25]


def test_two_optimizers_of_one_class_have_different_names() -> None:
    """In a watched loop, with a Model's callbacks in another one."""
    network = tiny_network()
    optimizers = [torch.optim.SGD(network[place].parameters(), lr=place + 1.0) for place in (0, 2)]
    memory = InMemoryLogger()
    with watch(LRMonitor(), network, optimizers, loggers=memory) as run:
        loss = network(torch.zeros(1, 3)).sum()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        run.step(loss)

    assert {name: each for name, each in memory.most_recent_values.items() if "lr" in name} == {
        "lr-SGD/group0": 1.0,
        "lr-SGD-1/group0": 3.0,
    }


def test_rate_that_a_watched_loop_supplies() -> None:
    """A function of the number of finished steps."""
    memory = InMemoryLogger()
    with watch(LRMonitor(), learning_rate=lambda step: 1 / (step + 1), loggers=memory) as run:
        run.step(1.0)
        run.step(1.0)

    assert series(memory, "lr/group0") == [(1, 1.0), (2, 0.5)]


def test_in_a_model_and_without_any_rate() -> None:
    """A Model has the same events; a loop without an optimizer logs nothing."""
    network = tiny_network()
    memory = InMemoryLogger()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.125)
    Model(network, torch.nn.CrossEntropyLoss(), optimizer, loggers=[memory]).train(1, tiny_batches(2), [LRMonitor()])
    assert series(memory, "lr-SGD/group0") == [(1, 0.125), (2, 0.125)]

    nothing = InMemoryLogger()
    with watch(LRMonitor(), loggers=nothing) as run:
        run.step(1.0)
    assert set(nothing.data) == {"loss/train/total"}
