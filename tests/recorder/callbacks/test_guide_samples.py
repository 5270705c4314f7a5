"""The examples of MindSpore's guides and API documentation, with a PyTorch network."""

import logging
import time
from typing import Any

import numpy as np
import pytest
import torch

from toposcope.recorder.callbacks.early_stopping import EarlyStopping
from toposcope.recorder.callbacks.history import History
from toposcope.recorder.callbacks.lambda_callback import LambdaCallback
from toposcope.recorder.callbacks.learning_rate_scheduler import LearningRateScheduler
from toposcope.recorder.callbacks.loss_monitor import LossMonitor
from toposcope.recorder.callbacks.reduce_lr_on_plateau import ReduceLROnPlateau
from toposcope.recorder.callbacks.time_monitor import TimeMonitor
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.model import Model


def sample_data() -> torch.utils.data.DataLoader[Any]:
    """Return the data set of the examples: 64 rows of 10 random numbers and a class, in batches of 32."""
    random = np.random.default_rng(0)
    data = {"x": np.float32(random.random((64, 10))), "y": random.integers(0, 5, (64,))}
    return torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(torch.tensor(data["x"]), torch.tensor(data["y"])), batch_size=32
    )


def sample_model(metrics: Any = None) -> Model:
    """Return the model of the examples: a dense layer from 10 to 5."""
    torch.manual_seed(0)
    net = torch.nn.Linear(10, 5)
    optim = torch.optim.SGD(net.parameters(), 0.01, 0.9)
    return Model(net, loss_fn=torch.nn.CrossEntropyLoss(), optimizer=optim, metrics=metrics)


def test_custom_callback_prints_the_number_of_each_step(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    class PrintInfo(Callback):
        def step_end(self, run_context: RunContext) -> None:
            cb_params = run_context.original_args()
            print("step_num: ", cb_params.cur_step_num)

    with caplog.at_level(logging.WARNING):
        sample_model().train(1, sample_data(), callbacks=PrintInfo())
    assert capsys.readouterr().out == "step_num:  1\nstep_num:  2\n"
    assert ["PrintInfo" in record.getMessage() for record in caplog.records] == [True]


def test_training_stops_after_a_time_stored_in_the_cb_params(capsys: pytest.CaptureFixture[str]) -> None:
    class StopAtTime(Callback):
        def __init__(self, run_time: float) -> None:
            super().__init__()
            self.run_time = run_time

        def on_train_begin(self, run_context: RunContext) -> None:
            cb_params = run_context.original_args()
            cb_params.init_time = time.monotonic()

        def on_train_step_end(self, run_context: RunContext) -> None:
            cb_params = run_context.original_args()
            if time.monotonic() - cb_params.init_time > self.run_time:
                print(cb_params.cur_epoch_num, cb_params.cur_step_num, float(cb_params.net_outputs))
                run_context.request_stop()

    sample_model().train(10**6, sample_data(), callbacks=StopAtTime(0.05))
    (line,) = capsys.readouterr().out.splitlines()
    epoch, step, loss = line.split()
    assert 1 <= int(epoch) == (int(step) + 1) // 2 < 10**6
    assert 0 < float(loss) < 3


def test_history_sample_has_a_loss_for_each_epoch() -> None:
    history_cb = History()
    sample_model({"recall"}).train(2, sample_data(), callbacks=[history_cb])
    assert history_cb.epoch == {"epoch": [1, 2]}
    assert list(history_cb.history) == ["net_output"]
    assert history_cb.history["net_output"] == pytest.approx([1.6, 1.6], abs=0.2)


def test_lambda_sample_prints_the_loss_of_each_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    lambda_callback = LambdaCallback(
        epoch_end=lambda run_context: print("loss: ", run_context.original_args().net_outputs)
    )
    sample_model({"recall"}).train(2, sample_data(), callbacks=[lambda_callback])
    lines = capsys.readouterr().out.splitlines()
    assert [line[:15] for line in lines] == ["loss:  tensor(1"] * 2


def test_all_callbacks_can_be_combined(capsys: pytest.CaptureFixture[str]) -> None:
    history = History()
    callbacks = [
        LossMonitor(),
        TimeMonitor(data_time=True),
        history,
        LearningRateScheduler(lambda lr, cur_step_num: lr * 0.1 if cur_step_num % 1000 == 0 else lr),
        EarlyStopping("acc", patience=3, verbose=True, restore_best_weights=True),
        ReduceLROnPlateau("acc", patience=3, verbose=True),
    ]
    sample_model({"acc", "loss", "F1"}).fit(3, sample_data(), sample_data(), callbacks=callbacks)
    lines = capsys.readouterr().out.splitlines()
    for epoch in (1, 2, 3):
        assert sum(line.startswith(f"epoch: {epoch} step: ") for line in lines) == 2
        assert sum(line.startswith(f"Eval result: epoch {epoch}, metrics: ") for line in lines) == 1
    assert sum(line.startswith("Train epoch time: ") for line in lines) == 3
    assert sum(line.startswith("Eval epoch time: ") for line in lines) == 3
    assert history.history.keys() == {"net_output", "acc", "loss", "F1"}
    assert np.array(history.history["F1"]).shape == (3, 5)
