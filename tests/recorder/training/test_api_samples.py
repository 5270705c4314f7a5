"""The Python samples of MindSpore's API documentation, with only imports, network and data path changed."""

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.mindspore_api import LeNet5, Tensor, context, create_dataset, ds, nn

import toposcope.server
from toposcope.recorder import SummaryRecord
from toposcope.recorder.callbacks import (
    CheckpointConfig,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    ModelCheckpoint,
    SummaryCollector,
    TimeMonitor,
)
from toposcope.recorder.checkpoints import load_checkpoint
from toposcope.recorder.metrics import Accuracy
from toposcope.recorder.training import Callback, Event, EventCallback, Logger, Model, RunContext, State, Trainer


@pytest.fixture(autouse=True)
def _run_in_temporary_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_summary_record_closes_in_a_with_and_in_a_finally() -> None:
    # use in with statement to auto close
    with SummaryRecord(log_dir="./summary_dir") as summary_record:
        pass

    # use in try .. finally .. to ensure closing
    try:
        summary_record = SummaryRecord(log_dir="./summary_dir")
    finally:
        summary_record.close()


def test_summary_record_add_value() -> None:
    with SummaryRecord(log_dir="./summary_dir", file_prefix="xx_", file_suffix="_yy") as summary_record:
        summary_record.add_value("scalar", "loss", Tensor(0.1))


def test_summary_record_flush() -> None:
    with SummaryRecord(log_dir="./summary_dir", file_prefix="xx_", file_suffix="_yy") as summary_record:
        summary_record.flush()


def test_summary_record_log_dir() -> None:
    with SummaryRecord(log_dir="./summary_dir", file_prefix="xx_", file_suffix="_yy") as summary_record:
        log_dir = summary_record.log_dir
    assert Path(log_dir).name.startswith("xx_.out.events.summary.")
    assert log_dir.endswith("_yy")


def test_summary_record_record(capsys: pytest.CaptureFixture[str]) -> None:
    with SummaryRecord(log_dir="./summary_dir", file_prefix="xx_", file_suffix="_yy") as summary_record:
        result = summary_record.record(step=2)
        print(result)
    assert capsys.readouterr().out == "True\n"


def test_summary_record_set_mode() -> None:
    with SummaryRecord(log_dir="./summary_dir", file_prefix="xx_", file_suffix="_yy") as summary_record:
        summary_record.set_mode("eval")


def test_callback(capsys: pytest.CaptureFixture[str]) -> None:
    class Print_info(Callback):  # noqa: N801 - the name in the sample
        def step_end(self, run_context: RunContext) -> None:
            cb_params = run_context.original_args()
            print("step_num: ", cb_params.cur_step_num)

    print_cb = Print_info()
    data = {"x": np.float32(np.random.rand(64, 10)), "y": np.random.randint(0, 5, (64,))}
    dataset = ds.NumpySlicesDataset(data=data).batch(32)
    net = nn.Dense(10, 5)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optim = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    model = Model(net, loss_fn=loss, optimizer=optim)
    model.train(1, dataset, callbacks=print_cb)
    assert capsys.readouterr().out == "step_num:  1\nstep_num:  2\n"


def test_loss_monitor(capsys: pytest.CaptureFixture[str]) -> None:
    net = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optim = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    model = Model(net, loss_fn=loss, optimizer=optim)
    data_path = "./MNIST_Data"
    dataset = create_dataset(data_path)
    loss_monitor = LossMonitor()
    model.train(10, dataset, callbacks=loss_monitor)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 40
    assert lines[-1].startswith("epoch: 10 step: 4, loss is 2.")


def test_time_monitor(capsys: pytest.CaptureFixture[str]) -> None:
    net = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optim = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    model = Model(net, loss_fn=loss, optimizer=optim)
    data_path = "./MNIST_Data"
    dataset = create_dataset(data_path)
    time_monitor = TimeMonitor()
    model.train(10, dataset, callbacks=time_monitor)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 10
    assert all(line.startswith("Train epoch time: ") and "per step time: " in line for line in lines)


def test_summary_collector() -> None:
    # If the device_target is GPU, set the device_target to "GPU"
    context.set_context(mode=context.GRAPH_MODE, device_target="Ascend")
    mnist_dataset_dir = "/path/to/mnist_dataset_directory"
    # The detail of create_dataset method shown in model_zoo.official.cv.lenet.src.dataset.py
    ds_train = create_dataset(mnist_dataset_dir, 32)
    # The detail of LeNet5 shown in model_zoo.official.cv.lenet.src.lenet.py
    network = LeNet5(10)
    net_loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    net_opt = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    model = Model(network, net_loss, net_opt, metrics={"Accuracy": Accuracy()}, amp_level="O2")

    # Simple usage:
    summary_collector = SummaryCollector(summary_dir="./summary_dir", metric_freq=None)
    model.train(1, ds_train, callbacks=[summary_collector], dataset_sink_mode=False)

    # Do not collect metric and collect the first layer parameter, others are collected by default
    specified = {"collect_metric": False, "histogram_regular": "^conv1.*"}
    summary_collector = SummaryCollector(
        summary_dir="./summary_dir", collect_specified_data=specified, metric_freq=None
    )
    model.train(1, ds_train, callbacks=[summary_collector], dataset_sink_mode=False)

    with toposcope.server.open(".") as logdir:
        run = logdir.runs["summary_dir"]
        # The second training goes on counting the steps of the optimizer.
        assert run.attempts == 1
        assert run.scalars("loss/auto").step.tolist() == [1]
        assert run.scalars("learning_rate").step.tolist() == [1, 3]
        times = {tag: len(run.histograms(tag, attempt="all")) for tag in run.tags("histogram")}
        twice, once = ("conv1.weight", "conv1.bias"), ("conv2.weight", "conv2.bias", "fc1.weight")
        assert times == {f"{name}/auto": 2 for name in twice} | {f"{name}/auto": 1 for name in once}


def test_summary_landscape_checkpoints() -> None:
    def create_dataset(data_path: str, batch_size: int) -> Any:
        images, digits = np.zeros((160, 1, 32, 32), np.float32), np.arange(160) % 10
        return ds.NumpySlicesDataset({"image": images, "label": digits}).batch(batch_size)

    # If the device_target is Ascend, set the device_target to "Ascend"
    context.set_context(mode=context.GRAPH_MODE, device_target="GPU")
    mnist_dataset_dir = "/path/to/mnist_dataset_directory"
    # The detail of create_dataset method shown in model_zoo.official.cv.lenet.src.dataset.py
    ds_train = create_dataset(mnist_dataset_dir, 32)
    # The detail of LeNet5 shown in model_zoo.official.cv.lenet.src.lenet.py
    network = LeNet5(10)
    net_loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    net_opt = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    model = Model(network, net_loss, net_opt, metrics={"Accuracy": Accuracy()})
    # Simple usage for collect landscape information:
    interval_1 = [1, 2, 3, 4, 5]
    summary_collector = SummaryCollector(
        summary_dir="./summary/lenet_interval_1",
        collect_specified_data={
            "collect_landscape": {
                "landscape_size": 4,
                "unit": "step",
                "create_landscape": {"train": True, "result": False},
                "num_samples": 2048,
                "intervals": [interval_1],
            }
        },
    )
    model.train(1, ds_train, callbacks=[summary_collector], dataset_sink_mode=False)

    folder = Path("summary/lenet_interval_1/ckpt_dir").resolve()
    metadata = json.loads((folder / "train_metadata.json").read_text())
    assert metadata == {
        "epoch_group": {"0": interval_1},
        "model_params_file_map": {str(step): f"LeNet5_{step}_step.safetensors" for step in interval_1},
        "step_per_epoch": 5,
        "unit": "step",
        "num_samples": 2048,
        "landscape_size": 4,
        "create_landscape": {"train": True, "result": False},
    }
    newest, weight = load_checkpoint(folder / metadata["model_params_file_map"]["5"]), network.fc3.weight
    assert newest.network["fc3.weight"].tolist() == weight.tolist()
    assert (
        load_checkpoint(folder / metadata["model_params_file_map"]["1"]).network["fc3.weight"].tolist()
        != weight.tolist()
    )


def test_checkpoint_config() -> None:
    net = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optim = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    model = Model(net, loss_fn=loss, optimizer=optim)
    data_path = "./MNIST_Data"
    dataset = create_dataset(data_path)
    config = CheckpointConfig(saved_network=net)
    ckpoint_cb = ModelCheckpoint(prefix="LeNet5", directory="./checkpoint", config=config)
    model.train(10, dataset, callbacks=ckpoint_cb)
    names = {path.name for path in Path("checkpoint").glob("*.ckpt")}
    assert names == {"LeNet5-9_4.ckpt", *(f"LeNet5-10_{step}.ckpt" for step in range(1, 5))}


def test_learning_rate_scheduler(caplog: pytest.LogCaptureFixture) -> None:
    def learning_rate_function(lr: float, cur_step_num: int) -> float:
        if cur_step_num % 1000 == 0:
            lr = lr * 0.1
        return lr

    lr = 0.1
    momentum = 0.9
    net = nn.Dense(10, 5)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optim = nn.Momentum(net.trainable_params(), learning_rate=lr, momentum=momentum)
    model = Model(net, loss_fn=loss, optimizer=optim)

    data = {"x": np.float32(np.random.rand(64, 10)), "y": np.random.randint(0, 5, (64,))}
    dataset = ds.NumpySlicesDataset(data=data).batch(32)
    with caplog.at_level(logging.WARNING):
        model.train(1, dataset, callbacks=[LearningRateScheduler(learning_rate_function)], dataset_sink_mode=False)
    assert optim.param_groups[0]["lr"] == 0.1
    assert not caplog.text


def test_history(capsys: pytest.CaptureFixture[str]) -> None:
    data = {"x": np.float32(np.random.rand(64, 10)), "y": np.random.randint(0, 5, (64,))}
    train_dataset = ds.NumpySlicesDataset(data=data).batch(32)
    net = nn.Dense(10, 5)
    crit = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    opt = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    history_cb = History()
    model = Model(network=net, optimizer=opt, loss_fn=crit, metrics={"recall"})
    model.train(2, train_dataset, callbacks=[history_cb])
    print(history_cb.epoch)
    print(history_cb.history)
    assert history_cb.epoch == {"epoch": [1, 2]}
    assert len(history_cb.history["net_output"]) == 2


def test_lambda_callback(capsys: pytest.CaptureFixture[str]) -> None:
    data = {"x": np.float32(np.random.rand(64, 10)), "y": np.random.randint(0, 5, (64,))}
    train_dataset = ds.NumpySlicesDataset(data=data).batch(32)
    net = nn.Dense(10, 5)
    crit = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    opt = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    lambda_callback = LambdaCallback(
        epoch_end=lambda run_context: print("loss: ", run_context.original_args().net_outputs)
    )
    model = Model(network=net, optimizer=opt, loss_fn=crit, metrics={"recall"})
    model.train(2, train_dataset, callbacks=[lambda_callback])
    assert capsys.readouterr().out.count("loss:  tensor(") == 2


def trainer_with(callback: EventCallback) -> Trainer:
    network = nn.Dense(10, 5)
    data = {"x": np.float32(np.random.rand(64, 10)), "y": np.random.randint(0, 5, (64,))}
    train_dataloader = eval_dataloader = ds.NumpySlicesDataset(data=data).batch(32)
    model, optimizer = network, nn.Momentum(network.trainable_params(), 0.01, 0.9)
    return Trainer(
        model=model,
        train_dataloader=train_dataloader,
        eval_dataloader=eval_dataloader,
        optimizers=optimizer,
        max_duration="1ep",
        callbacks=[callback],
    )


def test_an_event_callback_with_a_method_for_an_event(capsys: pytest.CaptureFixture[str]) -> None:
    class MyCallback(EventCallback):
        def epoch_start(self, state: State, logger: Logger) -> None:
            print(f"Epoch: {int(state.timestamp.epoch)}")

    trainer = trainer_with(MyCallback())
    trainer.engine.run_event(Event.EPOCH_START)
    assert capsys.readouterr().out == "Epoch: 0\n"


def test_an_event_callback_with_one_method_for_all_events(capsys: pytest.CaptureFixture[str]) -> None:
    class MyCallback(EventCallback):
        def run_event(self, event: Event, state: State, logger: Logger) -> None:
            if event == Event.EPOCH_START:
                print(f"Epoch: {int(state.timestamp.epoch)}")

        def epoch_start(self, state: State, logger: Logger) -> Any:
            raise AssertionError("must not be called when run_event() is overridden")

    trainer = trainer_with(MyCallback())
    trainer.engine.run_event(Event.EPOCH_START)
    assert capsys.readouterr().out == "Epoch: 0\n"
