"""The values of all plugins, as written by SummaryRecord."""

import io
import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import PIL.Image
import pytest
from support.tensor_messages import tensor_array
from support.written_events import ReadEvents

from toposcope.proto import framing
from toposcope.proto.lineage_pb2 import LineageEvent
from toposcope.proto.summary_pb2 import Event, Summary
from toposcope.recorder import (
    Node,
    SummaryRecord,
    custom_lineage,
    dataset_graph,
    eval_lineage,
    graph,
    landscape,
    train_lineage,
)


def recorded(tmp_path: Path, read_events: ReadEvents, *values: tuple[str, str, object], **options: Any) -> list[Event]:
    """Record values at step 7 and return the events after the version event."""
    with SummaryRecord(tmp_path) as recorder:
        for plugin, name, value in values:
            recorder.add_value(plugin, name, value, **options)
        assert recorder.record(7) is True
    return read_events(recorder.log_dir)[1:]


def only_value(events: list[Event]) -> Summary.Value:
    """Return the only value of the only event."""
    (event,) = events
    (value,) = event.summary.value
    return value


def lineage_events(directory: Path) -> list[LineageEvent]:
    """Return the events of the only lineage file."""
    (path,) = directory.glob("*_lineage")
    content, events = path.read_bytes(), []
    while content:
        length = framing.read_header(content[: framing.HEADER_BYTES]).length
        payload, content = content[framing.HEADER_BYTES :][:length], content[length + 16 :]
        events.append(LineageEvent.FromString(payload))
    return events


@pytest.mark.parametrize("dtype", ["?", "i8", "u1", "f2", "f4", "f8", "c16"])
def test_tensors_are_stored_exactly(tmp_path: Path, read_events: ReadEvents, dtype: str) -> None:
    """The dtype and all bits are preserved."""
    original = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)

    value = only_value(recorded(tmp_path, read_events, ("tensor", "weights", original)))

    assert value.tag == "weights"
    read = tensor_array(value.tensor)
    assert (read.dtype, read.tolist()) == (original.dtype, original.tolist())


def test_histograms_count_every_element(tmp_path: Path, read_events: ReadEvents) -> None:
    """NaN and infinities are counted separately; the counts of the buckets add up to the rest."""
    numbers = np.array([1, 2, 3, 4, np.nan, np.inf, np.inf, -np.inf], np.float32)

    histogram = only_value(recorded(tmp_path, read_events, ("histogram", "gradient", numbers))).histogram

    assert (histogram.count, histogram.nan_count, histogram.pos_inf_count, histogram.neg_inf_count) == (8, 1, 2, 1)
    assert (histogram.min, histogram.max, histogram.sum) == (1, 4, 10)
    assert sum(bucket.count for bucket in histogram.buckets) == 4


@pytest.mark.parametrize(
    "numbers",
    [np.zeros(5, np.uint8), np.array([True, False]), np.ones(9, ml_dtypes.bfloat16), np.arange(20), np.zeros((0, 2))],
)
def test_histograms_unsupported_by_mindspore(tmp_path: Path, read_events: ReadEvents, numbers: np.ndarray) -> None:
    """Constants, booleans, bfloat16, integers and empty arrays, at which MindSpore stops recording."""
    histogram = only_value(recorded(tmp_path, read_events, ("histogram", "x", numbers))).histogram

    assert histogram.count == numbers.size == sum(bucket.count for bucket in histogram.buckets)
    assert all(bucket.width > 0 for bucket in histogram.buckets)


def test_images_are_png(tmp_path: Path, read_events: ReadEvents) -> None:
    """uint8 pixels are unchanged; size and colorspace are stored."""
    pixels = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)

    image = only_value(recorded(tmp_path, read_events, ("image", "sample", pixels), dataformats="HWC")).image

    assert (image.height, image.width, image.colorspace) == (2, 3, 3)
    decoded = PIL.Image.open(io.BytesIO(image.encoded_image))
    np.testing.assert_array_equal(np.asarray(decoded), pixels)


def test_texts_are_stored_unchanged(tmp_path: Path, read_events: ReadEvents) -> None:
    """A text may contain any characters."""
    value = only_value(recorded(tmp_path, read_events, ("text", "notes", "# 标题\n*bold*")))

    assert (value.tag, value.text, value.WhichOneof("value")) == ("notes", "# 标题\n*bold*", None)


def test_landscape_plugin_has_two_names(tmp_path: Path, read_events: ReadEvents) -> None:
    """The documented name LANDSCAPE and MindSpore's name landscape are equivalent."""
    message = landscape([0, 1], [0, 1, 2], np.arange(6.0).reshape(3, 2))

    (event,) = recorded(tmp_path, read_events, ("LANDSCAPE", "landscape_[1]", message), ("landscape", "other", message))

    assert [value.tag for value in event.summary.value] == ["landscape_[1]", "other"]
    assert [value.loss_landscape for value in event.summary.value] == [message] * 2


def test_graph_is_in_a_separate_event(tmp_path: Path, read_events: ReadEvents) -> None:
    """As in MindSpore's files, the graph is not in the event of the other values."""
    message = graph([Node("x", "Parameter"), Node("relu", "ReLU", ["x"])])

    summary, definition = recorded(tmp_path, read_events, ("graph", "network", message), ("scalar", "loss", 1.0))

    assert definition.graph_def == message
    assert [value.tag for value in summary.summary.value] == ["loss"]


def test_lineage_is_in_a_separate_file(tmp_path: Path, read_events: ReadEvents) -> None:
    """It has the seconds of the summary file in its name, and exists only if lineage was recorded."""
    assert recorded(tmp_path / "none", read_events, ("scalar", "loss", 1.0))
    values = [
        ("train_lineage", "train", train_lineage(optimizer="Adam", learning_rate=0.1, epoch=3)),
        ("eval_lineage", "eval", eval_lineage({"accuracy": 0.9})),
        ("dataset_graph", "data", dataset_graph({"op_type": "MnistDataset", "children": []})),
        ("custom_lineage_data", "custom", custom_lineage({"seed": 2**40, "mixed": True})),
    ]

    assert recorded(tmp_path / "run", read_events, *values) == []

    events = lineage_events(tmp_path / "run")
    assert [event.WhichOneof("what") for event in events] == [
        "train_lineage",
        "evaluation_lineage",
        "dataset_graph",
        "user_defined_info",
    ]
    assert events[0].train_lineage.hyper_parameters.optimizer == "Adam"
    assert json.loads(events[1].evaluation_lineage.metric) == {"accuracy": 0.9}
    summaries, lineage = sorted(path.name for path in (tmp_path / "run").iterdir())
    assert lineage == summaries.removesuffix("_MS") + "_lineage"
    assert len(list((tmp_path / "none").iterdir())) == 1


def test_values_of_one_record_are_one_event(tmp_path: Path, read_events: ReadEvents) -> None:
    """Scalars first, then the others in order; the same name in two plugins denotes two values."""
    values: list[tuple[str, str, object]] = [
        ("tensor", "x", np.zeros(2)),
        ("scalar", "x", 1.0),
        ("histogram", "x", np.zeros(2)),
        ("scalar", "y", 2.0),
    ]

    (event,) = recorded(tmp_path, read_events, *values)

    assert event.step == 7
    fields = [(value.tag, value.WhichOneof("value")) for value in event.summary.value]
    assert fields == [("x", "scalar_value"), ("y", "scalar_value"), ("x", "tensor"), ("x", "histogram")]


def test_large_values_are_in_separate_events_of_the_same_step(tmp_path: Path, read_events: ReadEvents) -> None:
    """Events are much smaller than 500 MB, above which MindInsight skips them."""
    tensors = [("tensor", f"layer/{number}", np.full(5 << 18, number, np.float64)) for number in range(3)]

    events = recorded(tmp_path, read_events, *tensors, ("scalar", "loss", 1.0))

    assert [[value.tag for value in event.summary.value] for event in events] == [
        ["loss", "layer/0"],
        ["layer/1"],
        ["layer/2"],
    ]
    assert {(event.step, event.wall_time) for event in events} == {(7, events[0].wall_time)}


def test_newest_of_duplicates_is_recorded(
    tmp_path: Path, read_events: ReadEvents, caplog: pytest.LogCaptureFixture
) -> None:
    """If a tensor is added several times, the newest one is recorded, and one warning is logged."""
    value = only_value(recorded(tmp_path, read_events, *[("tensor", "x", [number]) for number in (1, 2, 3)]))

    assert tensor_array(value.tensor).tolist() == [3]
    assert caplog.text.count("added twice") == 1


def test_many_scalars_of_one_step(tmp_path: Path, read_events: ReadEvents) -> None:
    """Thousands of tags are recorded in one event."""
    numbers = {f"tag/{number}": float(number) for number in range(5000)}

    (event,) = recorded(tmp_path, read_events, *[("scalar", tag, number) for tag, number in numbers.items()])

    assert {value.tag: value.scalar_value for value in event.summary.value} == numbers


def test_filter_is_called_once_per_plugin(tmp_path: Path, read_events: ReadEvents) -> None:
    """Values for which it returns False are dropped."""
    plugins: list[str] = []

    def keep(plugin: str) -> bool:
        plugins.append(plugin)
        return plugin == "tensor"

    with SummaryRecord(tmp_path) as recorder:
        for plugin in ("tensor", "histogram", "scalar"):
            for tag in ("a", "b"):
                recorder.add_value(plugin, tag, 1.0)
        recorder.record(1, plugin_filter=keep)
        recorder.record(2)

    (event,) = read_events(recorder.log_dir)[1:]
    assert sorted(plugins) == ["histogram", "scalar", "tensor"]
    assert [(value.tag, value.WhichOneof("value")) for value in event.summary.value] == [
        ("a", "tensor"),
        ("b", "tensor"),
    ]


@pytest.mark.parametrize(
    ("plugin", "value", "options", "error", "message"),
    [
        ("tensors", 1.0, {}, ValueError, "'tensors'.*|.*'tensor', 'histogram'"),
        ("tensor", "text", {}, TypeError, "'text'"),
        ("tensor", np.broadcast_to(np.int8(0), (1 << 30,)), {}, ValueError, "1073741824"),
        ("histogram", np.zeros(2, complex), {}, TypeError, "complex"),
        ("image", np.zeros((2, 5, 8, 8)), {}, ValueError, r"\(2, 5, 8, 8\)"),
        ("image", np.zeros((8, 8)), {"dataformats": "HWC"}, ValueError, "HWC"),
        ("image", np.zeros((1, 1, 8, 8), complex), {}, TypeError, "complex"),
        ("scalar", 1.0, {"dataformats": "HW"}, ValueError, "dataformats"),
        ("tensor", [1.0], {"dataformats": "HW"}, ValueError, "dataformats"),
        ("text", b"bytes", {}, TypeError, "bytes"),
        ("graph", "digraph {}", {}, TypeError, "GraphProto"),
        ("graph", b"\xff", {}, ValueError, "ModelProto"),
        ("train_lineage", eval_lineage({"a": 1}), {}, TypeError, "EvaluationLineage.*|.*TrainLineage"),
        ("landscape", np.zeros((3, 3)), {}, TypeError, "LossLandscape"),
    ],
)
def test_invalid_values_are_rejected(
    tmp_path: Path, plugin: str, value: object, options: dict[str, str], error: type[Exception], message: str
) -> None:
    """The message contains the invalid value or the expected one; nothing is recorded."""
    with SummaryRecord(tmp_path) as recorder:
        with pytest.raises(error, match=message):
            recorder.add_value(plugin, "x", value, **options)
        assert recorder.record(1)


def test_wall_time_of_all_plugins_is_the_time_of_the_record_call(tmp_path: Path, read_events: ReadEvents) -> None:
    """Graph and lineage have the wall_time of the other values."""
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("scalar", "loss", 0.0)
        recorder.add_value("graph", "network", graph([Node("x", "Parameter")]))
        recorder.add_value("custom_lineage_data", "custom", custom_lineage({"a": 1}))
        recorder.record(1)

    times = {event.wall_time for event in read_events(recorder.log_dir)[1:]}
    assert {event.wall_time for event in lineage_events(tmp_path)} == times
    assert len(times) == 1
