"""Recordings of networks of the real MindSpore: their graphs and the values of their summary operators."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops
from mindspore.train import anf_ir_pb2
from support.tensor_messages import tensor_array
from support.written_events import ReadEvents

from toposcope.proto.graph_pb2 import ModelProto
from toposcope.proto.summary_pb2 import Event, Summary
from toposcope.proto.tensor_pb2 import DT_BFLOAT16
from toposcope.recorder import SummaryRecord

GRID = Tensor(np.arange(6.0, dtype=np.float32).reshape(2, 3))
IMAGE = Tensor(np.eye(6, dtype=np.float32).reshape(1, 1, 6, 6))
MODES = [pytest.param(ms.GRAPH_MODE, id="graph mode"), pytest.param(ms.PYNATIVE_MODE, id="PyNative mode")]


class Net(nn.Cell):
    """A layer with summary operators."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, 2)
        self.scalar, self.tensor = ops.ScalarSummary(), ops.TensorSummary()
        self.histogram, self.image = ops.HistogramSummary(), ops.ImageSummary()

    def construct(self, x: Tensor) -> Tensor:
        """Return the output, and pass values to the operators."""
        y = self.dense(x)
        self.scalar("mean", y.mean())
        self.tensor("output", y)
        self.tensor("low", y.astype(ms.bfloat16))
        self.histogram("weights", self.dense.weight)
        self.image("input", x.reshape((1, 1, 2, 3)))
        return y


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    """Run networks in one of MindSpore's modes."""
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


@pytest.fixture
def graph_mode() -> Iterator[None]:
    """Run networks as compiled graphs."""
    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=before)


def values_of(events: list[Event]) -> dict[str, Summary.Value]:
    """Return the values of events by tag."""
    return {value.tag: value for event in events for value in event.summary.value}


@pytest.mark.usefixtures("graph_mode")
@pytest.mark.parametrize("form", ["bytes", "ModelProto", "GraphProto"])
def test_a_graph_of_mindspore_is_recorded(form: str, tmp_path: Path, read_events: ReadEvents) -> None:
    """In each form that MindSpore provides."""
    net = Net()
    net(GRID)
    content = net.get_func_graph_proto()
    model = anf_ir_pb2.ModelProto.FromString(content)
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("graph", "net", {"bytes": content, "ModelProto": model, "GraphProto": model.graph}[form])
        recorder.record(1)
    graphs = [event.graph_def for event in read_events(recorder.log_dir) if event.HasField("graph_def")]
    assert graphs == [ModelProto.FromString(content).graph]


@pytest.mark.usefixtures("graph_mode")
def test_the_graph_of_the_network_is_recorded_once(tmp_path: Path, read_events: ReadEvents) -> None:
    """A recorder with a network records its graph once, when it is available."""
    net = Net()
    with SummaryRecord(tmp_path, network=net) as recorder:
        recorder.record(1)
        for step in (2, 3):
            net(GRID)
            recorder.record(step)
    graphs = [event.graph_def for event in read_events(recorder.log_dir) if event.HasField("graph_def")]
    assert graphs == [ModelProto.FromString(net.get_func_graph_proto()).graph]


@pytest.mark.usefixtures("graph_mode")
def test_the_graph_of_the_training_network_is_recorded_instead(tmp_path: Path, read_events: ReadEvents) -> None:
    """A network that ran only inside another has no graph: the graph of the other is recorded."""
    net = Net()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1))
    step(GRID, Tensor(np.ones((2, 2), np.float32)))
    with SummaryRecord(tmp_path, network=net) as recorder:
        recorder.record(1, train_network=step)
    graphs = [event.graph_def for event in read_events(recorder.log_dir) if event.HasField("graph_def")]
    assert graphs == [ModelProto.FromString(step.get_func_graph_proto()).graph]


@pytest.mark.usefixtures("mode")
def test_summary_operators_are_recorded(tmp_path: Path, read_events: ReadEvents) -> None:
    """The values that operators receive in a step are recorded with the step."""
    net = Net()
    with SummaryRecord(tmp_path) as recorder:
        outputs = []
        for step in (1, 2):
            outputs.append(net(GRID * step).asnumpy())
            recorder.add_value("scalar", "added", step)
            assert recorder.record(step)
    events = {event.step: values_of([event]) for event in read_events(recorder.log_dir) if event.summary.value}
    assert list(events) == [1, 2]
    for step, values in events.items():
        output = outputs[step - 1]
        assert set(values) == {"mean", "output", "low", "weights", "input", "added"}
        assert values["mean"].scalar_value == pytest.approx(output.mean(), abs=1e-6)
        np.testing.assert_array_equal(tensor_array(values["output"].tensor), output)
        assert values["low"].tensor.data_type == DT_BFLOAT16
        assert values["weights"].histogram.count == 6
        assert (values["input"].image.height, values["input"].image.width) == (2, 3)


@pytest.mark.usefixtures("mode")
def test_summary_operators_are_not_recorded_in_eval_mode(tmp_path: Path, read_events: ReadEvents) -> None:
    """Operator values of an evaluation are recorded neither in its records nor in those of later training."""
    net = Net()
    with SummaryRecord(tmp_path) as recorder:
        recorder.set_mode("eval")
        net(GRID).asnumpy()
        recorder.add_value("scalar", "accuracy", 0.5)
        recorder.record(1)
        net(GRID).asnumpy()
        recorder.set_mode("train")
        recorder.record(2)
        net(GRID).asnumpy()
        recorder.record(3)
    steps = {event.step: set(values_of([event])) for event in read_events(recorder.log_dir) if event.summary.value}
    assert steps == {1: {"accuracy"}, 3: {"mean", "output", "low", "weights", "input"}}


@pytest.mark.usefixtures("mode")
def test_a_filter_applies_to_summary_operators(tmp_path: Path, read_events: ReadEvents) -> None:
    """A plugin that the filter excludes is not recorded, regardless of the source of its values."""
    with SummaryRecord(tmp_path) as recorder:
        Net()(GRID).asnumpy()
        recorder.record(1, plugin_filter=lambda plugin: plugin == "scalar")
        recorder.record(2)
    assert set(values_of(read_events(recorder.log_dir))) == {"mean"}


def test_an_invalid_operator_value_is_skipped(tmp_path: Path, read_events: ReadEvents) -> None:
    """Operators outside of a network check nothing; the recorder does, and the training continues."""
    scalar, image = ops.ScalarSummary(), ops.ImageSummary()
    with SummaryRecord(tmp_path) as recorder:
        scalar("two", Tensor([1.0, 2.0]))
        image("flat", Tensor([1.0, 2.0]))
        scalar("", Tensor(1.0))
        scalar("good", Tensor(1.0))
        assert recorder.record(1)
    assert set(values_of(read_events(recorder.log_dir))) == {"good"}


def test_a_compiled_function_is_recorded_with_its_step(tmp_path: Path, read_events: ReadEvents) -> None:
    """Functions under jit run asynchronously; their operator values still belong to the step."""
    scalar = ops.ScalarSummary()

    @ms.jit
    def compiled(x: Tensor) -> Tensor:
        scalar("mean", x.mean())
        for _ in range(20):
            x = ops.matmul(x, x)
        return x

    with SummaryRecord(tmp_path) as recorder:
        for step in range(20):
            compiled(Tensor(np.full((200, 200), step, np.float32)))
            recorder.record(step)
    events = [event for event in read_events(recorder.log_dir) if event.summary.value]
    assert [(event.step, values_of([event])["mean"].scalar_value) for event in events] == [(i, i) for i in range(20)]


class RecordSteps(ms.train.Callback):
    """Records each step of a training."""

    def __init__(self, recorder: SummaryRecord) -> None:
        super().__init__()
        self._recorder = recorder

    def on_train_step_end(self, run_context: Any) -> None:
        """Record the loss and the operator values."""
        params = run_context.original_args()
        self._recorder.add_value("scalar", "loss", params.net_outputs)
        self._recorder.record(params.cur_step_num, params.train_network)


@pytest.mark.usefixtures("mode")
def test_a_training_of_mindspore_is_recorded(tmp_path: Path, read_events: ReadEvents) -> None:
    """In MindSpore's own training loop, a callback records the loss and the operator values of every step."""
    samples = {"x": np.ones((8, 3), np.float32), "y": np.zeros((8, 2), np.float32)}
    dataset = ms.dataset.NumpySlicesDataset(samples, shuffle=False).batch(2)
    net = Net()
    model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    with SummaryRecord(tmp_path) as recorder:
        model.train(2, dataset, callbacks=[RecordSteps(recorder)], dataset_sink_mode=False)
    steps = {event.step: values_of([event]) for event in read_events(recorder.log_dir) if event.summary.value}
    assert list(steps) == list(range(1, 9))
    assert all({"loss", "mean", "output", "weights"} <= set(values) for values in steps.values())
    losses = [values["loss"].scalar_value for values in steps.values()]
    assert losses == sorted(losses, reverse=True)
