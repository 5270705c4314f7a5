"""EarlyStopping: when it stops, what it restores, and invalid arguments."""

import logging
import math
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.line_network import Line, line_batches
from support.metric_names import LARGER_IS_BETTER, SMALLER_IS_BETTER
from support.pytorch import needs_torch, torch
from support.torch_programs import TorchPrograms

from toposcope.recorder.callbacks.early_stopping import EarlyStopping
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import CallbackParams, RunContext
from toposcope.recorder.training.model import Model

NAN = math.nan


def epochs_until_stop(callback: EarlyStopping, values: list[Any], key: str = "eval_loss") -> int:
    """Pass a value to the callback in each epoch; return the epoch after which it requests a stop, or 0."""
    context = RunContext(CallbackParams(network=Line(), mode="train"))
    params = context.original_args()
    callback.on_train_begin(context)
    for epoch, value in enumerate(values, 1):
        params.cur_epoch_num = epoch
        params.eval_results = {} if value is None else {key: value}
        callback.on_train_epoch_end(context)
        if context.get_stop_requested():
            break
    callback.on_train_end(context)
    return callback.stopped_epoch


@pytest.mark.parametrize(
    ("settings", "values", "epoch"),
    [
        ({}, [3, 2, 1, 1, 0], 4),
        ({"patience": 1}, [3, 2, 1, 1, 0], 4),
        ({"patience": 2}, [3, 2, 2, 1, 1, 1], 6),
        ({"patience": 2}, [3, 2, 1], 0),
        ({"min_delta": 0.5}, [3, 2, 1.5], 3),
        ({"min_delta": -0.5}, [3, 2, 1.5], 3),
        ({"mode": "max"}, [1, 2, 3, 3], 4),
        ({"monitor": "acc"}, [1, 2, 3, 3], 4),
        ({"monitor": "acc", "mode": "min"}, [3, 2, 3], 3),
        ({"monitor": "mae"}, [3, 2, 3], 3),
        # The baseline is not reached: epochs count from the beginning.
        ({"patience": 3, "baseline": 1}, [4, 3, 2, 0], 3),
        ({"patience": 3, "baseline": 1}, [4, 0.5, 2, 2, 2], 5),
        # Zero is a valid metric and a valid baseline.
        ({"patience": 2}, [1, 0, 1, 1], 4),
        ({"patience": 2, "baseline": 0}, [2, 1, 0], 2),
        ({"patience": 2}, [NAN, NAN, 1], 2),
        ({"patience": 2}, [1, None, None, None, 2, 2], 6),
        ({}, [np.float32(1), np.array(1.0)], 2),
    ],
)
def test_training_stops_after_epochs_without_improvement(
    settings: dict[str, Any], values: list[Any], epoch: int
) -> None:
    callback = EarlyStopping(**settings)
    key = settings.get("monitor", "eval_loss")
    assert epochs_until_stop(callback, values, key) == epoch
    # The state is reset, so that the next training gives the same result.
    assert epochs_until_stop(callback, values, key) == epoch


def test_values_may_be_tensors() -> None:
    assert epochs_until_stop(EarlyStopping(), [np.float32(1), torch.tensor(1.0)]) == 2


def test_fit_stops_when_its_evaluation_gets_worse() -> None:
    """The learning rate is so large that the line diverges."""

    class LastEpoch(Callback):
        def on_train_end(self, run_context: RunContext) -> None:
            self.epoch = run_context.original_args().cur_epoch_num

    last, network = LastEpoch(), Line(learning_rate=2.0)
    Model(network, metrics={"mse"}).fit(
        9, line_batches(2), line_batches(2), callbacks=[EarlyStopping("mse", patience=2), last]
    )
    assert last.epoch == 3


@pytest.mark.parametrize("monitor", ["loss", "eval_loss", "mse"])
def test_loss_of_training_and_evaluation_and_metrics_are_monitored(monitor: str) -> None:
    callback = EarlyStopping(monitor, patience=3)
    Model(Line(), metrics={"mse"}).fit(2, line_batches(2), line_batches(2), callbacks=callback)
    assert 0 < callback.best < 20
    assert callback.wait == 0


class Noisy(Line):
    """A network whose losses fall from epoch to epoch, except those of the last of its two batches."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0

    def train_step(self, x: Any, y: Any) -> Any:
        """Return the next loss."""
        self.steps += 1
        return torch.tensor(1.0 if self.steps % 2 == 0 else 9.0 - self.steps)


@pytest.mark.parametrize(("monitor", "epochs", "best"), [("loss", 4, 1.5), ("last_loss", 2, 1.0)])
def test_a_monitored_training_loss_is_the_mean_of_the_epoch_unless_the_last_is_requested(
    monitor: str, epochs: int, best: float
) -> None:
    network, callback = Noisy(), EarlyStopping(monitor)
    Model(network).train(4, line_batches(2), callbacks=callback)
    assert (network.steps, callback.best) == (2 * epochs, best)


class Drift(Line):
    """A line whose weight is the number of steps, and whose loss is smallest at 2."""

    def train_step(self, x: Any, y: Any) -> float:
        """Change the weight in place."""
        self._parameters["weight"] += 1
        return 0.0

    def eval_step(self, x: Any, y: Any) -> tuple[float, Any, Any]:
        """Return the distance of the weight from 2 as loss."""
        return abs(float(self._parameters["weight"][0]) - 2), x, y


@pytest.mark.parametrize(("epochs", "last_epoch"), [(9, 5), (4, 4), (2, 2)])
def test_best_weights_are_restored_when_training_stops_and_when_it_ends(
    epochs: int, last_epoch: int, capsys: pytest.CaptureFixture[str]
) -> None:
    for restores, weight in ((False, last_epoch), (True, 2)):
        network = Drift()
        callback = EarlyStopping(patience=3, verbose=True, restore_best_weights=restores)
        Model(network, metrics={"mse"}).fit(epochs, line_batches(1), line_batches(1), callbacks=callback)
        assert network.parameters()["weight"] == weight
    stopped = ["Epoch 00005: early stopping"] if last_epoch == 5 else []
    restored = ["Restoring model weights from the end of the best epoch."] if last_epoch > 2 else []
    assert capsys.readouterr().out.splitlines() == [*stopped, *restored, *stopped]


def test_best_weights_of_a_module_are_restored_with_its_buffers() -> None:
    network = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.BatchNorm1d(1))
    context = RunContext(CallbackParams(network=network, cur_epoch_num=1))
    callback = EarlyStopping("loss", restore_best_weights=True)
    callback.on_train_begin(context)
    expected: dict[str, Any] = {}
    for loss in (2.0, 1.0, 3.0):
        with torch.no_grad():
            for tensor in network.state_dict().values():
                tensor.add_(1)
        if loss == 1.0:
            expected = {name: tensor.clone() for name, tensor in network.state_dict().items()}
        context.original_args().net_outputs = torch.tensor(loss)
        callback.on_train_step_end(context)
        callback.on_train_epoch_end(context)
    assert context.get_stop_requested()
    assert len(expected) == 7
    for name, tensor in network.state_dict().items():
        assert torch.equal(tensor, expected[name])


def test_missing_value_is_logged_once_with_the_available_ones(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "toposcope.recorder"):
        Model(Line(), metrics={"mse"}).fit(3, line_batches(1), line_batches(1), callbacks=EarlyStopping("accuracy"))
        Model(Line()).train(3, line_batches(1), callbacks=EarlyStopping())
    assert [record.getMessage() for record in caplog.records] == [
        "EarlyStopping: epoch without 'accuracy'; available: eval_loss, last_loss, loss, mse.",
        "EarlyStopping: epoch without 'eval_loss' (no evaluation); available: last_loss, loss.",
    ]


def test_metric_with_a_value_per_class_is_an_error() -> None:
    with pytest.raises(ValueError, match="EarlyStopping monitors must be one number; 'recall' is array"):
        epochs_until_stop(EarlyStopping("recall"), [np.array([0.5, 1.0])], "recall")


@needs_torch
def test_all_ranks_stop_at_the_same_epoch(programs: TorchPrograms, tmp_path: Path) -> None:
    """The losses of two processes differ, and one of them gets worse; the mean improves until epoch 4."""
    script = """
        import os, sys
        import torch.distributed as distributed
        from toposcope.recorder.callbacks.early_stopping import EarlyStopping
        from toposcope.recorder.training.events.run_context import CallbackParams, RunContext

        rank = int(os.environ["RANK"])
        distributed.init_process_group("gloo", f"file://{sys.argv[1]}/meeting", rank=rank, world_size=2)
        context = RunContext(CallbackParams(parallel_mode="data_parallel"))
        callback, params = EarlyStopping("loss"), context.original_args()
        callback.on_train_begin(context)
        for epoch, losses in enumerate([(9, 1), (6, 2), (3, 3), (3, 4), (0, 0)], 1):
            params.cur_epoch_num, params.net_outputs = epoch, float(losses[rank])
            callback.on_train_step_end(context)
            callback.on_train_epoch_end(context)
            if context.get_stop_requested():
                break
        print(f"{callback.stopped_epoch} {callback.best}", flush=True)
        distributed.destroy_process_group()
    """
    assert programs.run(textwrap.dedent(script), tmp_path, folder=tmp_path, ranks=2) == 2 * "4 3.0\n"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"monitor": 3}, TypeError),
        ({"min_delta": "0"}, TypeError),
        ({"min_delta": NAN}, ValueError),
        ({"patience": -1}, ValueError),
        ({"patience": 1.5}, TypeError),
        ({"verbose": 1}, TypeError),
        ({"mode": "least"}, ValueError),
        ({"mode": None}, TypeError),
        ({"baseline": "best"}, TypeError),
        ({"baseline": True}, TypeError),
        ({"restore_best_weights": "yes"}, TypeError),
    ],
)
def test_errors_name_the_invalid_argument(arguments: dict[str, Any], error: type[Exception]) -> None:
    ((name, value),) = arguments.items()
    with pytest.raises(error, match=rf"{name} .*{value}"):
        EarlyStopping(**arguments)


@pytest.mark.parametrize("monitor", SMALLER_IS_BETTER)
def test_a_falling_loss_of_any_name_improves(monitor: str) -> None:
    assert EarlyStopping(monitor)._goal.is_better(1, 2)


@pytest.mark.parametrize("monitor", LARGER_IS_BETTER)
def test_a_rising_quality_of_any_name_improves(monitor: str) -> None:
    assert EarlyStopping(monitor)._goal.is_better(2, 1)


def test_a_name_that_does_not_say_asks_for_the_mode(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        EarlyStopping("foo", mode="min")
        assert not caplog.messages
        EarlyStopping("foo")
    (message,) = caplog.messages
    assert "'foo'" in message
    assert "mode='min' or mode='max'" in message
