"""The examples of MindSpore's API documentation with our callbacks, bridged into the real mindspore.Model.

Only imports, names, the data and `bridge(...)` differ, and amp_level="O2", which MindSpore does not support on a CPU.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
import pytest
from mindspore import nn
from mindspore.common.initializer import Normal
from mindspore.train import Accuracy, Model
from support.written_events import ReadEvents

from toposcope.recorder.callbacks.checkpoint_config import CheckpointConfig
from toposcope.recorder.callbacks.early_stopping import EarlyStopping
from toposcope.recorder.callbacks.history import History
from toposcope.recorder.callbacks.lambda_callback import LambdaCallback
from toposcope.recorder.callbacks.learning_rate_scheduler import LearningRateScheduler
from toposcope.recorder.callbacks.loss_monitor import LossMonitor
from toposcope.recorder.callbacks.model_checkpoint import ModelCheckpoint
from toposcope.recorder.callbacks.reduce_lr_on_plateau import ReduceLROnPlateau
from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.callbacks.time_monitor import TimeMonitor
from toposcope.recorder.frameworks.mindspore import bridge
from toposcope.recorder.training.events.callback import Callback


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    """Run networks as compiled graphs, as in the documentation."""
    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=before)


class LeNet5(nn.Cell):
    """The network of the documentation."""

    def __init__(self, num_class: int = 10, num_channel: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(num_channel, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.fc1 = nn.Dense(16 * 5 * 5, 120, weight_init=Normal(0.02))
        self.fc2 = nn.Dense(120, 84, weight_init=Normal(0.02))
        self.fc3 = nn.Dense(84, num_class, weight_init=Normal(0.02))
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        """Return the scores of the classes."""
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


def create_dataset() -> Any:
    """Return four batches of images."""
    random = np.random.default_rng(0)
    images, digits = random.random((32, 1, 32, 32), np.float32), random.integers(0, 10, 32).astype(np.int32)
    return ds.NumpySlicesDataset({"image": images, "label": digits}, shuffle=False).batch(8)


def lenet_model(**settings: Any) -> tuple[nn.Cell, Model]:
    """Return the network of the documentation and its model."""
    net = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optim = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    return net, Model(net, loss_fn=loss, optimizer=optim, **settings)


def small_model(**settings: Any) -> tuple[Model, Any]:
    """Return the model of the shorter examples, and two batches for it."""
    random = np.random.default_rng(0)
    data = {"x": np.float32(random.random((64, 10))), "y": random.integers(0, 5, (64,)).astype(np.int32)}
    dataset = ds.NumpySlicesDataset(data=data).batch(32)
    net = nn.Dense(10, 5)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optim = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    return Model(net, loss_fn=loss, optimizer=optim, **settings), dataset


def lines_of(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines that were printed."""
    return capsys.readouterr().out.splitlines()


def test_callback(capsys: pytest.CaptureFixture[str]) -> None:
    """Callback: a class with a legacy hook prints the steps."""

    class PrintInfo(Callback):
        def step_end(self, run_context: Any) -> None:
            cb_params = run_context.original_args()
            print("step_num: ", cb_params.cur_step_num)

    print_cb = PrintInfo()
    model, dataset = small_model()
    model.train(1, dataset, callbacks=bridge(print_cb))
    assert lines_of(capsys) == ["step_num:  1", "step_num:  2"]


def test_loss_monitor(capsys: pytest.CaptureFixture[str]) -> None:
    """LossMonitor prints the same as MindSpore's."""
    _, model = lenet_model()
    model.train(2, create_dataset(), callbacks=[bridge(LossMonitor()), ms.train.LossMonitor()])
    lines = lines_of(capsys)
    assert len(lines) == 16
    for ours, theirs in zip(lines[::2], lines[1::2], strict=True):
        (text, loss), (their_text, their_loss) = ours.rsplit(" ", 1), theirs.rsplit(" ", 1)
        assert text == their_text
        assert float(loss) == pytest.approx(float(their_loss), rel=1e-6)


def test_time_monitor(capsys: pytest.CaptureFixture[str]) -> None:
    """TimeMonitor prints the same as MindSpore's, except for the milliseconds."""
    _, model = lenet_model()
    model.train(2, create_dataset(), callbacks=[bridge(TimeMonitor()), ms.train.TimeMonitor()])
    lines = ["".join(letter for letter in line if not letter.isdigit()) for line in lines_of(capsys)]
    assert len(lines) == 4
    assert len(set(lines)) == 1


def test_model_checkpoint(tmp_path: Path) -> None:
    """CheckpointConfig and ModelCheckpoint: MindSpore loads the saved file."""
    net, model = lenet_model()
    config = CheckpointConfig(saved_network=net)
    ckpoint_cb = ModelCheckpoint(prefix="LeNet5", directory=str(tmp_path / "checkpoint"), config=config)
    model.train(2, create_dataset(), callbacks=bridge(ckpoint_cb))
    names = [f"LeNet5-{epoch}_{step}.ckpt" for epoch, step in ((1, 4), (2, 1), (2, 2), (2, 3), (2, 4))]
    assert sorted(path.name for path in (tmp_path / "checkpoint").iterdir()) == names
    saved = ms.load_checkpoint(str(tmp_path / "checkpoint/LeNet5-2_4.ckpt"))
    for name, parameter in net.parameters_dict().items():
        np.testing.assert_array_equal(saved[name].asnumpy(), parameter.asnumpy())


@pytest.mark.parametrize("specified", [None, {"collect_metric": False, "histogram_regular": "^conv1.*"}])
def test_summary_collector(tmp_path: Path, read_events: ReadEvents, specified: dict[str, Any] | None) -> None:
    """SummaryCollector: with default settings, and with the first layer and no metrics."""
    _, model = lenet_model(metrics={"Accuracy": Accuracy()})
    summary_collector = SummaryCollector(summary_dir=str(tmp_path / "summary_dir"), collect_specified_data=specified)
    model.train(1, create_dataset(), callbacks=[bridge(summary_collector)], dataset_sink_mode=False)
    (path,) = (tmp_path / "summary_dir").glob("*_MS")
    tags = {value.tag for event in read_events(path) for value in event.summary.value}
    own = {tag for tag in tags if tag.endswith("/auto")}
    parameters = ["conv1.weight"] if specified else ["conv1.weight", "conv2.weight", "fc1.weight", "fc1.bias"]
    assert own >= {f"{name}/auto" for name in parameters} | {"input_data/auto"}
    assert ("loss/auto" in own) == (specified is None)
    assert ("fc1.weight/auto" in own) == (specified is None)


def test_learning_rate_scheduler() -> None:
    """LearningRateScheduler changes the optimizer's learning rate."""

    def learning_rate_function(lr: float, cur_step_num: int) -> float:
        if cur_step_num % 2 == 0:
            lr = lr * 0.1
        return lr

    model, dataset = small_model()
    model.train(2, dataset, callbacks=[bridge(LearningRateScheduler(learning_rate_function))], dataset_sink_mode=False)
    assert float(model.train_network.optimizer.learning_rate.asnumpy()) == pytest.approx(0.0001)


def test_history() -> None:
    """History stores the same as MindSpore's, as numbers."""
    history_cb, theirs = History(), ms.train.History()
    model, train_dataset = small_model(metrics={"recall"})
    model.train(2, train_dataset, callbacks=[bridge(history_cb), theirs])
    assert history_cb.epoch == theirs.epoch == {"epoch": [1, 2]}
    expected = [float(loss) for loss in theirs.history["net_output"]]
    assert history_cb.history == {"net_output": pytest.approx(expected)}


def test_lambda_callback(capsys: pytest.CaptureFixture[str]) -> None:
    """LambdaCallback prints MindSpore's own output of the network."""
    lambda_callback = LambdaCallback(
        epoch_end=lambda run_context: print("loss: ", run_context.original_args().net_outputs)
    )
    model, train_dataset = small_model(metrics={"recall"})
    model.train(2, train_dataset, callbacks=[bridge(lambda_callback)])
    lines = lines_of(capsys)
    assert len(lines) == 2
    assert all(float(line.removeprefix("loss:  ")) > 0 for line in lines)


def test_a_training_stops_after_a_time() -> None:
    """The guide's callback stores the start time in cb_params and stops the training."""

    class StopTimeMonitor(Callback):
        def __init__(self, run_time: float) -> None:
            self.run_time = run_time

        def on_train_begin(self, run_context: Any) -> None:
            cb_params = run_context.original_args()
            cb_params.init_time = time.time()

        def on_train_step_end(self, run_context: Any) -> None:
            cb_params = run_context.original_args()
            if time.time() - cb_params.init_time > self.run_time:
                run_context.request_stop()

    steps = []
    model, dataset = small_model()
    counter = LambdaCallback(step_end=lambda run_context: steps.append(run_context.original_args().cur_step_num))
    model.train(100_000, dataset, callbacks=[bridge(StopTimeMonitor(0.1), counter)])
    assert 1 <= len(steps) < 100_000


def test_a_network_is_saved_below_a_loss(tmp_path: Path) -> None:
    """The guide's callback saves the network in cb_params with MindSpore's own function."""

    class SaveCallback(Callback):
        def __init__(self, threshold: float) -> None:
            self.threshold = threshold

        def on_train_step_end(self, run_context: Any) -> None:
            cb_params = run_context.original_args()
            loss = float(cb_params.net_outputs.asnumpy())
            if loss < self.threshold:
                path = tmp_path / f"{cb_params.cur_epoch_num}_{cb_params.cur_step_num}.ckpt"
                ms.save_checkpoint(save_obj=cb_params.train_network, ckpt_file_name=str(path))
                run_context.request_stop()

    model, dataset = small_model()
    model.train(500, dataset, callbacks=bridge(SaveCallback(1.55)))
    (path,) = tmp_path.iterdir()
    assert ms.load_checkpoint(str(path))


def test_a_training_stops_early_and_lowers_its_rate() -> None:
    """EarlyStopping and ReduceLROnPlateau read the evaluations of fit, and act on MindSpore's training."""
    model, dataset = small_model(metrics={"accuracy"})
    history, plateau = History(), ReduceLROnPlateau(monitor="eval_loss", factor=0.5, min_delta=10.0, patience=1)
    stopping = EarlyStopping(monitor="eval_loss", min_delta=10.0, patience=4)
    model.fit(50, dataset, dataset, callbacks=bridge(history, plateau, stopping))
    assert len(history.epoch["epoch"]) < 10
    assert float(model.train_network.optimizer.learning_rate.asnumpy()) < 0.01
