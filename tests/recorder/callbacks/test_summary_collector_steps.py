"""SummaryCollector: values belong to the recorded step, to training only, and to every optimizer."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from toposcope import server
from toposcope.recorder import summary
from toposcope.recorder.callbacks import LambdaCallback, LossMonitor, SummaryCollector
from toposcope.recorder.training import Model
from toposcope.recorder.training.watch import watch

QUIET = {"collect_machine": False, "collect_environment": False, "collect_code": False, "collect_graph": False}


class Net(nn.Module):
    """A layer that records a scalar, and returns NaN in its bad-th training call."""

    def __init__(self, bad: int = -1) -> None:
        super().__init__()
        self.fc, self.calls, self.bad = nn.Linear(3, 2), 0, bad

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return scores."""
        self.calls += self.training
        summary.scalar("mode", 1.0 if self.training else 0.0)
        scores: torch.Tensor = self.fc(inputs)
        return scores * float("nan") if self.training and self.calls == self.bad else scores


def loader(samples: int = 64, size: int = 8) -> DataLoader[Any]:
    """Return batches of three numbers and a label."""
    return DataLoader(TensorDataset(torch.randn(samples, 3), torch.randint(0, 2, (samples,))), batch_size=size)


def sgd(network: nn.Module, lr: float = 0.1) -> torch.optim.SGD:
    return torch.optim.SGD(network.parameters(), lr=lr)


def run_in(directory: Path) -> Any:
    (run,) = server.open(directory).runs.values()
    return run


@pytest.mark.parametrize("order", [1, -1])
def test_loss_that_ends_a_training_is_recorded_at_its_step(tmp_path: Path, order: int) -> None:
    """LossMonitor reports epoch and step in either order of the callbacks, and NaN is recorded at that step."""
    network = Net(bad=7)
    callbacks = [LossMonitor(100), SummaryCollector(tmp_path, collect_specified_data=QUIET, metric_freq=None)][::order]
    with pytest.raises(ValueError, match=r"epoch:? 1.*step:? 7"):
        Model(network, nn.CrossEntropyLoss(), sgd(network)).train(2, loader(), callbacks=callbacks)

    losses = run_in(tmp_path).scalars("loss/auto")
    assert losses.step.tolist() == [1, 7]
    assert np.isnan(losses.value).tolist() == [False, True]


def test_no_loss_is_recorded_for_a_step_that_did_not_end(tmp_path: Path) -> None:
    def fail(_context: Any) -> None:
        raise RuntimeError("no more")

    network = Net()
    callbacks = [SummaryCollector(tmp_path, collect_specified_data=QUIET), LambdaCallback(on_train_step_begin=fail)]
    model = Model(network, nn.CrossEntropyLoss(), sgd(network))
    with pytest.raises(RuntimeError):
        model.train(1, loader(), callbacks=callbacks)

    assert "loss/auto" not in run_in(tmp_path).tags()


def evaluated(model: Model) -> Callable[[Any], None]:
    """Return a hook that evaluates and predicts in the middle of a training."""

    def hook(_context: Any) -> None:
        model.eval(loader())
        model.predict(torch.randn(2, 3))

    return hook


@pytest.mark.parametrize("hook", ["on_train_step_begin", "on_train_step_end"])
def test_operators_are_recorded_only_in_training(tmp_path: Path, hook: str) -> None:
    """After an evaluation inside a training, neither its values nor its mode remain."""
    network = Net()
    model = Model(network, nn.CrossEntropyLoss(), sgd(network), metrics={"acc"})
    evaluating: Any = LambdaCallback(**{hook: evaluated(model)})
    collector = SummaryCollector(tmp_path, collect_freq=1, collect_specified_data=QUIET)
    model.train(1, loader(), callbacks=[evaluating, collector])

    assert run_in(tmp_path).scalars("mode").value.tolist() == [1.0] * 8
    assert network.calls == 8
    assert network.training


def test_operators_of_a_watched_loop_are_paused_during_evaluations(tmp_path: Path) -> None:
    """The evaluation precedes each step."""
    network = Net()
    optimizer, data = sgd(network), loader()
    with SummaryCollector(tmp_path, collect_freq=1, collect_specified_data=QUIET).watch(
        network, optimizer, data
    ) as run:
        for inputs, _ in data:
            network.eval()
            network(inputs)
            network.train()
            loss = network(inputs).square().mean()
            loss.backward()
            optimizer.step()
            run.step(loss)

    assert run_in(tmp_path).scalars("mode").value.tolist() == [1.0] * 8


def test_learning_rate_is_the_one_that_the_step_used(tmp_path: Path) -> None:
    """A scheduler that steps before run.step() does not change the recorded learning rate."""
    network = Net()
    optimizer, data = sgd(network), loader()
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    collector = SummaryCollector(tmp_path, collect_freq=1, collect_specified_data=QUIET)
    with collector.watch(network, optimizer, data, schedulers=scheduler) as run:
        for inputs, _ in data:
            loss = network(inputs).square().mean()
            optimizer.step()
            scheduler.step()
            run.step(loss)

    recorded = run_in(tmp_path)
    assert recorded.scalars("learning_rate").value.tolist() == pytest.approx([0.1 * 0.5**step for step in range(8)])
    assert recorded.lineage().hyper_parameters["learning_rate"] == pytest.approx(0.1)
    assert recorded.lineage().custom["scheduler/class"] == "ExponentialLR"


def test_all_optimizers_are_recorded(tmp_path: Path) -> None:
    """With their learning rates, classes and parameters."""
    generator, critic = nn.Linear(3, 3), nn.Linear(3, 1)
    both, data = nn.ModuleDict({"generator": generator, "critic": critic}), loader()
    optimizers = [sgd(generator), torch.optim.Adam(critic.parameters(), lr=0.01)]
    settings = {**QUIET, "histogram_regular": ".*"}
    with SummaryCollector(tmp_path, collect_specified_data=settings).watch(both, optimizers, data) as run:
        for inputs, _ in data:
            loss = critic(generator(inputs)).mean()
            loss.backward()
            for optimizer in optimizers:
                optimizer.step()
            run.step(loss)

    recorded = run_in(tmp_path)
    assert [recorded.scalars(f"learning_rate/group{i}").value[0] for i in range(2)] == pytest.approx([0.1, 0.01])
    assert {"generator.weight/auto", "critic.weight/auto"} <= set(recorded.tags())
    assert recorded.lineage().hyper_parameters["optimizer"] == "SGD, Adam"


def test_samples_per_second_consider_a_smaller_last_batch(tmp_path: Path) -> None:
    """Ten batches, the last of one sample: 28.9 samples per step of an epoch."""
    network = Net()
    model = Model(network, nn.CrossEntropyLoss(), sgd(network))
    model.train(3, loader(289, 32), callbacks=SummaryCollector(tmp_path, collect_specified_data=QUIET))

    run = run_in(tmp_path)
    steps = run.scalars("throughput/steps_per_second").value
    samples = run.scalars("throughput/samples_per_second").value
    assert (samples / steps).tolist() == pytest.approx([32, 257 / 9, 28.9, 28.9])


def test_evaluation_ends_an_epoch_of_a_loader_without_length() -> None:
    """EarlyStopping and others can count these epochs; steps_per_epoch sets their length explicitly."""
    epochs: list[int] = []
    counting = LambdaCallback(on_train_epoch_end=lambda context: epochs.append(context.original_args().cur_epoch_num))
    with watch(counting, loader=iter([])) as run:
        for _ in range(3):
            run.step(0.5)
            run.eval({"accuracy": 0.5})
    assert epochs == [1, 2, 3]

    epochs.clear()
    with watch(counting, loader=[0] * 4, steps_per_epoch=2) as run:
        for _ in range(4):
            run.step(0.5)
    assert epochs == [1, 2]


@pytest.mark.parametrize("loss", [{"generator": 0.5}, "0.5", None, []])
def test_loss_of_another_type_is_an_error(loss: Any) -> None:
    with watch(LambdaCallback()) as run, pytest.raises(TypeError, match="loss must be a number or a tensor"):
        run.step(loss)


@pytest.mark.parametrize("call", ["forward", "compiled"])
def test_graph_of_a_network_whose_calls_cannot_be_observed_is_its_module_tree(tmp_path: Path, call: str) -> None:
    """No hooks remain on the network."""
    network = Net()
    compiled: Any = network.forward if call == "forward" else torch.compile(network, backend="eager")
    optimizer, data = sgd(network), loader()
    with SummaryCollector(tmp_path, collect_specified_data={**QUIET, "collect_graph": True}).watch(
        network, optimizer, data
    ) as run:
        for inputs, _ in data:
            loss = compiled(inputs).mean()
            loss.backward()
            optimizer.step()
            run.step(loss)

    assert "graph" in run_in(tmp_path).plugins
    assert not network._forward_pre_hooks
    assert not network._forward_hooks
