"""Every kind of value, as SummaryRecord writes it."""

import io
import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import PIL.Image
import pytest
from support.tensor_messages import tensor_array

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


def recorded(tmp_path: Path, read_events: Any, *values: tuple[str, str, object], **options: Any) -> list[Event]:
    """Record values at step 7 and return the events behind the version event."""
    with SummaryRecord(tmp_path) as recorder:
        for plugin, name, value in values:
            recorder.add_value(plugin, name, value, **options)
        assert recorder.record(7) is True
    return read_events(recorder.log_dir)[1:]


def only_value(events: list[Event]) -> Summary.Value:
    """Return the one value of the one event."""
    (event,) = events
    (value,) = event.summary.value
    return value


def lineage_events(directory: Path) -> list[LineageEvent]:
    """Return the events of the only file of lineage."""
    (path,) = directory.glob("*_lineage")
    content, events = path.read_bytes(), []
    while content:
        length = framing.read_header(content[: framing.HEADER_BYTES]).length
        payload, content = content[framing.HEADER_BYTES :][:length], content[length + 16 :]
        events.append(LineageEvent.FromString(payload))
    return events


@pytest.mark.parametrize("dtype", ["?", "i8", "u1", "f2", "f4", "f8", "c16"])
def test_tensors_are_exact(tmp_path: Path, read_events, dtype: str) -> None:
    """The dtype and every bit are in the file."""
    original = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)

    value = only_value(recorded(tmp_path, read_events, ("tensor", "weights", original)))

    assert value.tag == "weights"
    read = tensor_array(value.tensor)
    assert (read.dtype, read.tolist()) == (original.dtype, original.tolist())


def test_histograms_count_every_element(tmp_path: Path, read_events) -> None:
    """NaN and infinities are counted beside the buckets, whose counts add up to the rest."""
    numbers = np.array([1, 2, 3, 4, np.nan, np.inf, np.inf, -np.inf], np.float32)

    histogram = only_value(recorded(tmp_path, read_events, ("histogram", "gradient", numbers))).histogram

    assert (histogram.count, histogram.nan_count, histogram.pos_inf_count, histogram.neg_inf_count) == (8, 1, 2, 1)
    assert (histogram.min, histogram.max, histogram.sum) == (1, 4, 10)
    assert sum(bucket.count for bucket in histogram.buckets) == 4


@pytest.mark.parametrize(
    "numbers",
    [np.zeros(5, np.uint8), np.array([True, False]), np.ones(9, ml_dtypes.bfloat16), np.arange(20), np.zeros((0, 2))],
)
def test_histograms_that_mindspore_cannot_make(tmp_path: Path, read_events, numbers: np.ndarray) -> None:
    """Constants, booleans, bfloat16, integers and nothing at all; the original stops recording there."""
    histogram = only_value(recorded(tmp_path, read_events, ("histogram", "x", numbers))).histogram

    assert histogram.count == numbers.size == sum(bucket.count for bucket in histogram.buckets)
    assert all(bucket.width > 0 for bucket in histogram.buckets)


def test_images_are_png(tmp_path: Path, read_events) -> None:
    """Bytes are recorded as they are; a viewer sees the size and the kind of colours."""
    pixels = np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)

    image = only_value(recorded(tmp_path, read_events, ("image", "sample", pixels), dataformats="HWC")).image

    assert (image.height, image.width, image.colorspace) == (2, 3, 3)
    decoded = PIL.Image.open(io.BytesIO(image.encoded_image))
    np.testing.assert_array_equal(np.asarray(decoded), pixels)


def test_texts_are_kept(tmp_path: Path, read_events) -> None:
    """A text is UTF-8, whatever is in it."""
    value = only_value(recorded(tmp_path, read_events, ("text", "notes", "# 标题\n*bold*")))

    assert (value.tag, value.text, value.WhichOneof("value")) == ("notes", "# 标题\n*bold*", None)


def test_landscapes_are_recorded_under_both_names(tmp_path: Path, read_events) -> None:
    """The documented LANDSCAPE and MindSpore's landscape are the same."""
    message = landscape([0, 1], [0, 1, 2], np.arange(6.0).reshape(3, 2))

    (event,) = recorded(tmp_path, read_events, ("LANDSCAPE", "landscape_[1]", message), ("landscape", "other", message))

    assert [value.tag for value in event.summary.value] == ["landscape_[1]", "other"]
    assert [value.loss_landscape for value in event.summary.value] == [message] * 2


def test_graph_has_an_event_of_its_own(tmp_path: Path, read_events) -> None:
    """As in MindSpore's files, beside the event of the other values."""
    message = graph([Node("x", "Parameter"), Node("relu", "ReLU", ["x"])])

    summary, definition = recorded(tmp_path, read_events, ("graph", "network", message), ("scalar", "loss", 1.0))

    assert definition.graph_def == message
    assert [value.tag for value in summary.summary.value] == ["loss"]


def test_lineage_goes_into_a_file_of_its_own(tmp_path: Path, read_events) -> None:
    """It is paired with the summaries by the seconds in its name, and exists only if there is lineage."""
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


def test_values_of_one_record_are_one_event(tmp_path: Path, read_events) -> None:
    """Scalars first, then the others in the order of adding; the same name in two plugins is two values."""
    values: list[tuple[str, str, object]] = [
        ("tensor", "x", np.zeros(2)),
        ("scalar", "x", 1.0),
        ("histogram", "x", np.zeros(2)),
        ("scalar", "y", 2.0),
    ]

    (event,) = recorded(tmp_path, read_events, *values)

    assert event.step == 7
    kinds = [(value.tag, value.WhichOneof("value")) for value in event.summary.value]
    assert kinds == [("x", "scalar_value"), ("y", "scalar_value"), ("x", "tensor"), ("x", "histogram")]


def test_large_values_share_a_step_and_not_an_event(tmp_path: Path, read_events) -> None:
    """Events stay far below the 500 MB that MindInsight skips."""
    tensors = [("tensor", f"layer/{number}", np.full(5 << 18, number, np.float64)) for number in range(3)]

    events = recorded(tmp_path, read_events, *tensors, ("scalar", "loss", 1.0))

    assert [[value.tag for value in event.summary.value] for event in events] == [
        ["loss", "layer/0"],
        ["layer/1"],
        ["layer/2"],
    ]
    assert {(event.step, event.wall_time) for event in events} == {(7, events[0].wall_time)}


def test_newest_of_duplicates_is_recorded(tmp_path: Path, read_events, caplog: pytest.LogCaptureFixture) -> None:
    """Of two tensors of one name the second counts, and the log says so once."""
    value = only_value(recorded(tmp_path, read_events, *[("tensor", "x", [number]) for number in (1, 2, 3)]))

    assert tensor_array(value.tensor).tolist() == [3]
    assert caplog.text.count("added twice") == 1


def test_many_scalars_of_one_step(tmp_path: Path, read_events) -> None:
    """A step of thousands of tags is one event like any other."""
    numbers = {f"tag/{number}": float(number) for number in range(5000)}

    (event,) = recorded(tmp_path, read_events, *[("scalar", tag, number) for tag, number in numbers.items()])

    assert {value.tag: value.scalar_value for value in event.summary.value} == numbers


def test_filter_is_asked_once_a_plugin(tmp_path: Path, read_events) -> None:
    """What it refuses is gone."""
    asked = []
    with SummaryRecord(tmp_path) as recorder:
        for plugin in ("tensor", "histogram", "scalar"):
            for tag in ("a", "b"):
                recorder.add_value(plugin, tag, 1.0)
        recorder.record(1, plugin_filter=lambda plugin: asked.append(plugin) or plugin == "tensor")
        recorder.record(2)

    (event,) = read_events(recorder.log_dir)[1:]
    assert sorted(asked) == ["histogram", "scalar", "tensor"]
    assert [(value.tag, value.WhichOneof("value")) for value in event.summary.value] == [
        ("a", "tensor"),
        ("b", "tensor"),
    ]


@pytest.mark.parametrize(
    ("plugin", "value", "options", "error", "told"),
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
def test_wrong_values_are_named(
    tmp_path: Path, plugin: str, value: object, options: dict, error: type[Exception], told: str
) -> None:
    """The message says what was given, or what is wanted; nothing of it is recorded."""
    with SummaryRecord(tmp_path) as recorder:
        with pytest.raises(error, match=told):
            recorder.add_value(plugin, "x", value, **options)
        assert recorder.record(1)


def test_wall_time_of_all_kinds_is_that_of_the_record(tmp_path: Path, read_events) -> None:
    """Graph and lineage carry the time at which they were recorded."""
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("scalar", "loss", 0.0)
        recorder.add_value("graph", "network", graph([Node("x", "Parameter")]))
        recorder.add_value("custom_lineage_data", "custom", custom_lineage({"a": 1}))
        recorder.record(1)

    times = {event.wall_time for event in read_events(recorder.log_dir)[1:]}
    assert {event.wall_time for event in lineage_events(tmp_path)} == times
    assert len(times) == 1
