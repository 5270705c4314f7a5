"""Tensors and messages of the real MindSpore, recorded with Toposcope and read again."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
import pytest
from google.protobuf.message import Message
from interop.conftest import Recorded
from mindspore import Parameter, Tensor, ops
from mindspore.train import anf_ir_pb2, lineage_pb2, summary_pb2
from mindspore.train.callback._dataset_graph import DatasetGraph
from mindspore.train.summary import SummaryRecord as MindSporeRecord
from support.tensor_messages import tensor_array
from support.written_events import ReadEvents, read_all_events

from toposcope.proto.lineage_pb2 import LineageEvent
from toposcope.proto.summary_pb2 import Event, Summary
from toposcope.proto.tensor_pb2 import DT_BFLOAT16
from toposcope.recorder import SummaryRecord

INTEGERS = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
EDGES = np.array([0.0, -0.0, 1.5, -2.25, 100.0, np.inf, -np.inf, np.nan], np.float32)
GRID = Tensor(np.arange(6.0, dtype=np.float32).reshape(2, 3))
IMAGE = Tensor(np.eye(6, dtype=np.float32).reshape(1, 1, 6, 6))
MODES = [pytest.param(ms.GRAPH_MODE, id="graph mode"), pytest.param(ms.PYNATIVE_MODE, id="PyNative mode")]


def tensor_of(dtype: str) -> Tensor:
    """Return a tensor of shape (2, 4) with the extreme values of its dtype."""
    if dtype in INTEGERS:
        limits = np.iinfo(dtype)
        numbers = [limits.min, limits.max, limits.max - 1, 0, 1, 2, 3, 100]
        return Tensor(np.array(numbers, dtype).reshape(2, 4))
    return Tensor(EDGES.reshape(2, 4).astype(dtype))


def assert_is(recorded: Recorded, tensor: Tensor, expected: np.ndarray) -> None:
    """Assert that tensor is read with the shape, the dtype and the bits of expected."""
    value = recorded("tensor", tensor)
    array = tensor_array(value.tensor)
    assert (array.shape, array.dtype) == (expected.shape, expected.dtype)
    assert array.tobytes() == expected.tobytes()


def values_of(events: list[Event]) -> dict[str, Summary.Value]:
    """Return the values of events by tag."""
    return {value.tag: value for event in events for value in event.summary.value}


def lineage_of(directory: Path) -> list[LineageEvent]:
    """Return the lineage of a run; the event reader preserves the unknown lineage fields."""
    (path,) = directory.glob("*_lineage")
    return [LineageEvent.FromString(event.SerializeToString()) for event in read_all_events(path)]


@pytest.mark.parametrize("order", ["mindspore, toposcope.recorder", "toposcope.recorder, mindspore"])
def test_both_libraries_can_be_imported_in_one_process(order: str) -> None:
    """Their messages do not conflict, in either order of imports."""
    subprocess.run([sys.executable, "-c", f"import {order}"], check=True)


@pytest.mark.parametrize("kind", [Tensor, lambda tensor: Parameter(tensor, name="weight")], ids=["Tensor", "Parameter"])
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, *FLOATS, *COMPLEX])
def test_a_tensor_is_recorded_exactly(recorded: Recorded, dtype: str, kind: Callable[[Tensor], Tensor]) -> None:
    """For tensors and parameters of all dtypes that NumPy has."""
    tensor = kind(tensor_of(dtype))
    assert_is(recorded, tensor, tensor.asnumpy())


def test_bfloat16_is_recorded_exactly(recorded: Recorded) -> None:
    """The file contains the bits of a bfloat16 tensor, and its numbers can be read."""
    tensor = tensor_of("float32").astype(ms.bfloat16)
    value = recorded("tensor", Parameter(tensor, name="weight"))
    assert value.tensor.data_type == DT_BFLOAT16
    assert value.tensor.raw_data == tensor.asnumpy().view(np.uint16).tobytes()
    assert_is(recorded, tensor, tensor.float().asnumpy())


@pytest.mark.parametrize(
    "tensor",
    [
        pytest.param(Tensor(3.0, ms.float32), id="0-d"),
        pytest.param(Tensor(np.zeros((2, 0, 3), np.float32)), id="empty"),
        pytest.param(GRID.T, id="transposed"),
        pytest.param(GRID[:, ::2], id="strided"),
    ],
)
def test_a_tensor_of_any_shape_is_recorded(recorded: Recorded, tensor: Tensor) -> None:
    """Its layout in memory does not matter."""
    assert_is(recorded, tensor, tensor.asnumpy())


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "bfloat16", *FLOATS])
def test_a_scalar_is_recorded_exactly(recorded: Recorded, dtype: str) -> None:
    """A tensor with one number is a scalar, for any dtype and shape."""
    for shape in ((), (1,), (1, 1)):
        tensor = Tensor(np.full(shape, 1.0)).astype(getattr(ms, "bool_" if dtype == "bool" else dtype))
        assert recorded("scalar", tensor).scalar_value == 1
        assert recorded("scalar", Parameter(tensor, name="p")).scalar_value == 1


def test_a_scalar_keeps_the_precision_of_a_double(recorded: Recorded) -> None:
    """A float64 tensor is recorded with all its bits."""
    assert recorded("scalar", Tensor(0.1, ms.float64)).scalar_double == 0.1


@pytest.mark.parametrize("dtype", ["bool_", *INTEGERS, "bfloat16", *FLOATS])
def test_a_histogram_counts_every_element(recorded: Recorded, dtype: str) -> None:
    """For every real dtype, as in NumPy."""
    tensor = Tensor(np.array([0, 0, 1, 1, 1, 1, 0, 1])).astype(getattr(ms, dtype))
    histogram = recorded("histogram", tensor).histogram
    assert (histogram.count, histogram.min, histogram.max, histogram.sum) == (8, 0, 1, 5)
    counts = [bucket.count for bucket in histogram.buckets]
    assert (counts[0], counts[-1], sum(counts)) == (3, 5, 8)


def test_a_value_is_copied_when_it_is_added(tmp_path: Path, read_events: ReadEvents) -> None:
    """Later changes of a parameter do not affect its recorded values."""
    parameter = Parameter(Tensor(np.ones(1000, np.float32)), name="weight")
    with SummaryRecord(tmp_path) as recorder:
        for step in range(3):
            recorder.add_value("tensor", "weight", parameter)
            recorder.record(step)
            ops.assign_add(parameter, Tensor(np.ones(1000, np.float32)))
    values = [value for event in read_events(recorder.log_dir) for value in event.summary.value]
    assert [set(tensor_array(value.tensor)) for value in values] == [{1.0}, {2.0}, {3.0}]


def train_lineage() -> Message:
    """Return MindSpore's message for a training."""
    lineage = lineage_pb2.TrainLineage()
    lineage.hyper_parameters.optimizer = "Momentum"
    lineage.hyper_parameters.learning_rate = 0.1
    lineage.hyper_parameters.epoch = 3
    lineage.train_dataset.train_dataset_size = 60_000
    lineage.algorithm.network = "LeNet"
    lineage.model.path = '{"ckpt": "last.ckpt"}'
    lineage.model.size = 2**40
    return lineage


def custom_lineage() -> Message:
    """Return MindSpore's message for user-defined data."""
    info = lineage_pb2.UserDefinedInfo()
    info.user_info.add().map_double["dropout"] = 0.5
    info.user_info.add().map_str["author"] = "me"
    return info


def dataset_graph() -> Message:
    """Return MindSpore's message for a data pipeline."""
    pipeline = ms.dataset.NumpySlicesDataset({"x": [1.0, 2.0]}, shuffle=False).batch(2)
    return DatasetGraph().package_dataset_graph(pipeline)


def surface() -> Message:
    """Return MindSpore's message for a landscape."""
    message = summary_pb2.LossLandscape()
    for axis in (message.landscape.x, message.landscape.y, message.landscape.z):
        axis.dims.append(2)
        axis.data_type = anf_ir_pb2.DT_FLOAT32
        axis.float_data.extend([0.5, 1.5])
    message.metadata.unit = "step"
    return message


LINEAGE = {
    "train_lineage": train_lineage,
    "eval_lineage": lambda: lineage_pb2.EvaluationLineage(metric='{"accuracy": 0.75}'),
    "custom_lineage_data": custom_lineage,
    "dataset_graph": dataset_graph,
}


@pytest.mark.parametrize("plugin", LINEAGE)
def test_lineage_messages_of_mindspore_are_recorded(plugin: str, tmp_path: Path) -> None:
    """A message built by MindSpore's own code is written exactly as MindSpore's recorder writes it."""
    message = LINEAGE[plugin]()
    for directory, recorder in (("ours", SummaryRecord), ("theirs", MindSporeRecord)):
        with recorder(str(tmp_path / directory)) as record:
            record.add_value(plugin, "name", message)
            assert record.record(1)
    ours, theirs = (lineage_of(tmp_path / directory) for directory in ("ours", "theirs"))
    ours[-1].wall_time = theirs[-1].wall_time
    assert ours[-1] == theirs[-1]
    assert ours[-1].WhichOneof("what") not in (None, "version")


@pytest.mark.parametrize("plugin", ["landscape", "LANDSCAPE"])
def test_a_landscape_message_of_mindspore_is_recorded(recorded: Recorded, plugin: str) -> None:
    """MindSpore's documentation and its code name the plugin differently: both names are accepted."""
    assert recorded(plugin, surface()).loss_landscape.SerializeToString() == surface().SerializeToString()


def record_values(recorder: Any) -> str:
    """Record some values, and return the file's path."""
    generator = np.random.default_rng(0)
    with recorder:
        for step in (1, 2, 3):
            for dtype in FLOATS + INTEGERS:
                recorder.add_value("tensor", dtype, Tensor(np.arange(6).reshape(2, 3).astype(dtype)))
            recorder.add_value("scalar", "loss", Tensor(1 / step, ms.float32))
            recorder.add_value("histogram", "weights", Tensor(generator.normal(size=300).astype(np.float32)))
            recorder.add_value("image", "image", IMAGE)
            recorder.add_value("landscape", "landscape_[1, 2]", surface())
            assert recorder.record(step)
    return recorder.log_dir


def test_both_recorders_write_equal_messages(tmp_path: Path, read_events: ReadEvents) -> None:
    """Except for the additional fields of our recorder for exact values."""
    ours = read_events(record_values(SummaryRecord(str(tmp_path / "ours"))))
    theirs = read_events(record_values(MindSporeRecord(str(tmp_path / "theirs"))))
    assert [event.step for event in ours] == [event.step for event in theirs] == [0, 1, 2, 3]
    assert ours[0].version == theirs[0].version
    for our_event, their_event in zip(ours, theirs, strict=True):
        our_values, their_values = values_of([our_event]), values_of([their_event])
        assert set(our_values) == set(their_values)
        for tag, value in our_values.items():
            assert_same(value, their_values[tag])


def test_both_recorders_can_be_open_at_the_same_time(tmp_path: Path, read_events: ReadEvents) -> None:
    """MindSpore's recorder forks writer processes, which do not write to our file."""
    with SummaryRecord(tmp_path / "ours") as ours, MindSporeRecord(str(tmp_path / "theirs")) as theirs:
        for step in (1, 2):
            for recorder in (ours, theirs):
                recorder.add_value("scalar", "loss", Tensor(1 / step, ms.float32))
                assert recorder.record(step)
    for recorder in (ours, theirs):
        assert [event.step for event in read_events(recorder.log_dir)] == [0, 1, 2]


def assert_same(ours: Summary.Value, theirs: Summary.Value) -> None:
    """Assert that two values are equal in MindSpore's fields."""
    if ours.HasField("histogram"):
        assert_same_histogram(ours.histogram, theirs.histogram)
        return
    if ours.HasField("image"):
        # MindSpore converts every image to RGB.
        ours.image.colorspace = theirs.image.colorspace
        ours.image.encoded_image = theirs.image.encoded_image
    if ours.HasField("tensor"):
        ours.tensor.ClearField("raw_data")
    ours.ClearField("scalar_double")
    assert ours == theirs


def assert_same_histogram(ours: Summary.Histogram, theirs: Summary.Histogram) -> None:
    """Assert that two histograms are equal within the precision of edges in float32."""
    assert (ours.count, ours.min, ours.max, len(ours.buckets)) == (
        theirs.count,
        theirs.min,
        theirs.max,
        len(theirs.buckets),
    )
    assert ours.sum == pytest.approx(theirs.sum)
    for our_bucket, their_bucket in zip(ours.buckets, theirs.buckets, strict=True):
        assert our_bucket.left == pytest.approx(their_bucket.left, abs=1e-5)
        assert our_bucket.width == pytest.approx(their_bucket.width, abs=1e-5)
        assert abs(our_bucket.count - their_bucket.count) <= 1
