"""Runs recorded by Toposcope, read by MindInsight."""

import base64
import contextlib
import functools
import io
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from PIL import Image
from support import landscape_details as made
from support.written_events import ReadEvents, read_all_events

from toposcope.proto.summary_pb2 import PHASE_EVALUATING, PHASE_SAVING, PHASE_TRAINING, PHASE_UNKNOWN, Phase
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

HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / "build/interop/mindinsight/bin/python"
STEPS = (1, 2, 3)
Runs = dict[str, Any]

SCALARS = {"float": 0.1, "double": 1 + 2**-40, "integer": 2**53, "large": 1e300, "nan": math.nan, "inf": -math.inf}
# MindInsight keeps six tensors a run.
TENSORS = {
    "floats": {name: np.array([[0.5, -2, 3]], name) for name in ("float16", "float32", "float64")},
    "integers": {name: np.array([[0, 1, 100]], name) for name in ("int8", "int16", "int32", "int64")},
    "unsigned": {name: np.array([[0, 1, 100]], name) for name in ("uint8", "uint16", "uint32", "uint64", "bool")},
    "odd": {
        "bfloat16": np.array([[0.5, -2, 3]], ml_dtypes.bfloat16),
        "complex64": np.array([[0.5 + 1j, -2, 3]], np.complex64),
        "complex128": np.array([[0.5 + 1j, -2, 3]]),
        "0-d": np.array(0.5, np.float32),
        "empty": np.zeros((2, 0), np.float32),
        "wide": np.array([2**53 + 1, -1]),
    },
}
# MindInsight's enum of data types ends before these.
UNKNOWN = ("bfloat16", "complex64", "complex128")
HISTOGRAMS = {
    "normal": np.random.default_rng(0).normal(size=1000),
    "integers": np.arange(20),
    "bool": np.array([True, False, True]),
    "bfloat16": np.linspace(-1, 1, 100).astype(ml_dtypes.bfloat16),
    "constant": np.zeros(7, np.uint8),
    "partly finite": np.array([math.nan, math.inf, 1, 2, 3]),
}
PIXELS = np.arange(2 * 4 * 5 * 7, dtype=np.uint8).reshape(2, 4, 5, 7)
IMAGES = {"grey": PIXELS[:1, :1], "rgb": PIXELS[:1, :3], "rgba": PIXELS[:1], "batch": PIXELS[:, :3]}
CUSTOM = {"dropout": 0.5, "author": "me", "layers": 3, "tokens": 2**40, "shuffled": True}
EXTREME_STEPS = (-5, 1, 2**40)
EXTREME_TAGS = ("plain", "a/b c", "<b>[x]", "ünï", "100%?&=", "two\nlines", "x" * 3000)
STEPS_OF_ROTATION, MAX_BYTES = 10_000, 100_000
STEPS_OF_MARKS, MARKED_BYTES = range(1, 41), 3_000


def record_every_kind(directory: Path) -> None:
    """Record a run with every kind of value."""
    with SummaryRecord(directory) as recorder:
        for plugin, message in messages():
            recorder.add_value(plugin, plugin, message)
        for tag, surface in landscapes():
            recorder.add_value("landscape", tag, surface)
        for step in STEPS:
            values: dict[str, dict[str, Any]] = {
                "scalar": SCALARS,
                "histogram": HISTOGRAMS,
                "image": IMAGES,
                "tensor": TENSORS["odd"],
            }
            for plugin, tags in values.items():
                for tag, value in tags.items():
                    recorder.add_value(plugin, tag, value)
            recorder.add_value("text", "note", "*Markdown*, with an ümlaut")
            assert recorder.record(step)


def messages() -> Iterator[tuple[str, Any]]:
    """Yield a message of each kind except landscapes."""
    nodes = [
        Node("x", "Parameter", shape=(2, 3), dtype="float32"),
        Node("net/dense", "MatMul", ["x"], (2, 4), "float32", {"transpose": True}),
        Node("loss", "ReduceMean", ["net/dense"]),
    ]
    yield "graph", graph(nodes)
    yield (
        "train_lineage",
        train_lineage(
            optimizer="Adam",
            learning_rate=0.1,
            loss_function="MSELoss",
            epoch=3,
            parallel_mode="stand_alone",
            device_num=1,
            batch_size=32,
            train_dataset_path="data/train",
            train_dataset_size=60_000,
            network="LeNet",
            loss=0.25,
            model_path="checkpoints/last.ckpt",
            model_size=2**40,
        ),
    )
    metrics = eval_lineage({"accuracy": 0.75}, valid_dataset_path="data/test", valid_dataset_size=10_000)
    yield "eval_lineage", metrics
    yield "custom_lineage_data", custom_lineage(CUSTOM)
    yield (
        "dataset_graph",
        dataset_graph(
            {"op_type": "Batch", "batch_size": 32, "children": [{"op_type": "Mnist", "dataset_dir": "data"}]}
        ),
    )


def landscapes() -> Iterator[tuple[str, Any]]:
    """Yield the landscape of an interval and the final one, with the tags of MindSpore."""
    x, y, z = np.linspace(-1, 1, 4), np.linspace(-2, 2, 5), np.arange(20.0).reshape(5, 4)
    path = np.array([[0.5, 0.5, 3], [0.25, 0.25, 2], [0, 0, 1]])
    settings: dict[str, Any] = {"unit": "epoch", "step_per_epoch": 10}
    yield "landscape_[1, 3]", landscape(x, y, z, path=path, intervals=[1, 2, 3], **settings)
    yield "landscape_[3]", landscape(x, y, z, convergence_point=[0, 0, 1], decomposition="Random", **settings)
    yield "landscape_[0, 16]", made.bowl()


def record_tensors(name: str) -> Callable[[Path], None]:
    """Return a function that records a run with some tensors."""

    def record(directory: Path) -> None:
        with SummaryRecord(directory) as recorder:
            for tag, tensor in TENSORS[name].items():
                recorder.add_value("tensor", tag, tensor)
            recorder.record(1)

    return record


def record_extremes(directory: Path) -> None:
    """Record a run with unusual tags, ranges and steps, and a plain scalar at every step."""
    histograms = {
        "huge": [-1.7e308, 1.7e308],
        "tiny": [1e300, np.nextafter(1e300, 2e300)],
        "empty": [],
        "nan": [math.nan],
    }
    with SummaryRecord(directory) as recorder:
        for step in EXTREME_STEPS:
            for tag in EXTREME_TAGS:
                recorder.add_value("scalar", tag, 1)
            for tag, values in histograms.items():
                recorder.add_value("histogram", tag, np.array(values))
            recorder.record(step)
        recorder.add_value("landscape", "landscape_[1]", landscape([0, 1], [0, 1], [[math.nan, 1e300], [0, 1]]))
        recorder.add_value("eval_lineage", "eval", eval_lineage({"loss": math.nan, "matrix": [[1, 2], [3, 4]]}))
        recorder.record(0)


def record_rotating(directory: Path) -> None:
    """Record a run with many files."""
    noise = np.random.default_rng(0).normal(size=500)
    with SummaryRecord(directory, max_file_size=MAX_BYTES) as recorder:
        recorder.add_value("train_lineage", "train", train_lineage(optimizer="Adam", network="LeNet"))
        for step in range(1, STEPS_OF_ROTATION + 1):
            recorder.add_value("scalar", "step", step)
            recorder.add_value("scalar", "half", step / 2)
            recorder.add_value("scalar", "third", step / 3)
            if step % 100 == 0:
                recorder.add_value("histogram", "noise", noise + step)
            recorder.record(step)
        recorder.add_value("eval_lineage", "eval", eval_lineage({"accuracy": 0.75}))
        recorder.record(STEPS_OF_ROTATION)


def phase_of(step: int) -> Phase:
    """Return each phase in turn."""
    return (PHASE_UNKNOWN, PHASE_TRAINING, PHASE_EVALUATING, PHASE_SAVING)[step % 4]


def record_marks(directory: Path) -> None:
    """Record a failed training with a long command line and heartbeats of every phase between its steps."""
    arguments = ["train.py", *[f"--flag{number}=ü{number}" for number in range(500)]]
    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(ValueError):
        patch.setattr(sys, "argv", arguments)
        with SummaryRecord(directory, heartbeat_seconds=0.01, max_file_size=MARKED_BYTES) as recorder:
            for step in STEPS_OF_MARKS:
                recorder.set_phase(functools.partial(phase_of, step))
                recorder.add_value("scalar", "loss", step)
                recorder.record(step)
                recorder.flush()
                size = Path(recorder.log_dir).stat().st_size
                while Path(recorder.log_dir).stat().st_size < size + 3 * 28:
                    time.sleep(0.01)
            raise ValueError("lost the data" + "ä" * 9000)


RUNS = {
    "every kind": record_every_kind,
    **{name: record_tensors(name) for name in ("floats", "integers", "unsigned")},
    "extremes": record_extremes,
    "rotating": record_rotating,
    "marks": record_marks,
}


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record all runs."""
    directory = tmp_path_factory.mktemp("logdir")
    for name, record in RUNS.items():
        record(directory / name)
    return directory


@pytest.fixture(scope="module")
def seen(logdir: Path) -> Runs:
    """Return what MindInsight reads of the runs."""
    command = [PYTHON, HERE / "mindinsight_sees.py", logdir]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def single(number: float) -> float:
    """Return the nearest float32, as a Python number."""
    with np.errstate(over="ignore"):
        return float(np.float32(number))


def test_every_run_is_loaded_completely(seen: Runs) -> None:
    """No recorded value stops MindInsight from reading the rest."""
    assert sorted(seen) == sorted(RUNS)
    assert all(run["integrity"] for run in seen.values())


def test_scalars_are_read_as_float32(seen: Runs) -> None:
    """Exact doubles are additional fields: MindInsight reads float32, and no number if it is not finite."""
    points = seen["every kind"]["scalar"]
    for tag, value in SCALARS.items():
        expected = single(value) if math.isfinite(single(value)) else None
        assert points[f"{tag}/scalar"] == [[step, expected] for step in STEPS]


def test_extremes_do_not_hide_the_rest(seen: Runs) -> None:
    """Values that MindInsight cannot read do not affect the rest of the run."""
    points = seen["extremes"]["scalar"]
    assert set(points) == {f"{tag}/scalar" for tag in EXTREME_TAGS}
    assert all(points[tag] == [[step, 1] for step in EXTREME_STEPS] for tag in points)


def test_marks_are_ignored(seen: Runs, logdir: Path) -> None:
    """MindInsight reads every value around the start, the heartbeats and the end of a recording."""
    assert seen["marks"]["scalar"] == {"loss/scalar": [[step, step] for step in STEPS_OF_MARKS]}
    files = sorted((logdir / "marks").glob("*_MS"))
    events = [event for path in files for event in read_all_events(path)]
    assert len(files) > 1
    assert sum(event.HasField("heartbeat") for event in events) >= 3 * len(STEPS_OF_MARKS)
    assert {event.heartbeat for event in events if event.HasField("heartbeat")} == {0, 1, 2, 3}
    assert len(events[0].start.command_line) == 2000
    assert len(events[-1].end.traceback.encode()) > 8000


def test_texts_are_ignored(seen: Runs) -> None:
    """MindInsight does not support texts."""
    tags = [tag for tags in seen["every kind"]["plugins"].values() for tag in tags]
    assert not any("note" in tag for tag in tags)


@pytest.mark.parametrize("run", ["floats", "integers", "unsigned", "odd"])
def test_tensors_are_read_as_float32(seen: Runs, run: str) -> None:
    """Shape and elements are read for every dtype; of complex numbers the real parts."""
    points = seen["every kind" if run == "odd" else run]["tensor"]
    for tag, tensor in TENSORS[run].items():
        *_, (_, dims, dtype, _, elements) = points[f"{tag}/tensor"]
        assert tuple(dims) == tensor.shape
        assert dtype == ("DT_UNDEFINED" if tag in UNKNOWN else f"DT_{tensor.dtype.name.upper()}")
        expected = np.real(tensor).astype(np.float32)
        np.testing.assert_array_equal(np.reshape(elements, tensor.shape), expected)


@pytest.mark.parametrize("tag", HISTOGRAMS)
def test_histograms_are_read(seen: Runs, tag: str) -> None:
    """MindInsight converts a histogram to other buckets, rounds counts up and keeps the range."""
    values = HISTOGRAMS[tag].astype(np.float64)
    finite = values[np.isfinite(values)]
    points = seen["every kind"]["histogram"][f"{tag}/histogram"]
    assert [step for step, _ in points] == list(STEPS)
    for _, buckets in points:
        left, right = buckets[0][0], buckets[-1][0] + buckets[-1][1]
        assert left <= finite.min() <= finite.max() <= right + 1e-9
        assert finite.size <= sum(count for _, _, count in buckets) <= finite.size + len(buckets)


@pytest.mark.parametrize("tag", IMAGES)
def test_images_are_equal_pixel_by_pixel(seen: Runs, tag: str) -> None:
    """MindInsight serves the recorded images."""
    points = seen["every kind"]["image"][f"{tag}/image"]
    assert [step for step, *_ in points] == list(STEPS)
    for _, width, height, picture in points:
        pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(picture))))
        expected = np.concatenate(list(IMAGES[tag].transpose(0, 2, 3, 1)), axis=1)
        assert (height, width) == pixels.shape[:2] == expected.shape[:2]
        np.testing.assert_array_equal(pixels.reshape(expected.shape), expected)


def test_graph_is_read(seen: Runs) -> None:
    """The scopes of the graph are its top-level nodes."""
    assert {"net", "loss"} <= set(seen["every kind"]["graph"])


def test_lineage_is_read(seen: Runs) -> None:
    """MindInsight reads the lineage of training and evaluation, and custom lineage."""
    lineage = seen["every kind"]["lineage"]
    assert lineage["optimizer"] == "Adam"
    assert lineage["learning_rate"] == pytest.approx(0.1)
    assert (lineage["loss_function"], lineage["network"], lineage["loss"]) == ("MSELoss", "LeNet", 0.25)
    assert (lineage["epoch"], lineage["batch_size"], lineage["device_num"]) == (3, 32, 1)
    assert (lineage["train_dataset_count"], lineage["test_dataset_count"]) == (60_000, 10_000)
    assert lineage["model_size"] == 2**40
    assert lineage["metric"] == {"accuracy": 0.75}
    assert lineage["user_defined"] == CUSTOM


def test_dataset_graph_is_read(seen: Runs) -> None:
    """MindInsight reads the stages of the dataset pipeline."""
    stage = seen["every kind"]["dataset_graph"]
    assert (stage["op_type"], stage["batch_size"]) == ("Batch", 32)
    assert [child["op_type"] for child in stage["children"]] == ["Mnist"]


def test_landscapes_are_read(seen: Runs) -> None:
    """MindInsight reads landscapes of intervals with paths, and final ones; details do not disturb it."""
    landscapes_read = seen["every kind"]["landscape"]
    of_interval, with_details = (dict(map(tuple_key, landscapes_read["intervals"]))[key] for key in ((1, 3), (0, 16)))
    (final,) = landscapes_read["final"]
    (_, first), (_, last), (_, detailed) = landscapes()
    for got, message in ((of_interval, first), (final, last), (with_details, detailed)):
        assert np.ravel(got["points"]["z"]).tolist() == list(message.landscape.z.float_data)
        assert got["metadata"]["decomposition"] == message.metadata.decomposition
    assert (of_interval["path"]["intervals"], of_interval["path"]["z"]) == ([1, 2, 3], [3, 2, 1])
    assert final["convergence_point"] == [0, 0, 1]
    assert with_details["path"]["intervals"] == [0, 4, 8, 12, 16]
    assert with_details["path"]["z"] == list(detailed.loss_path.points.z.float_data)


def tuple_key(entry: list[Any]) -> tuple[tuple[int, ...], Any]:
    """Return (interval, landscape) of an entry of MindInsight's list."""
    interval, (surface,) = entry
    return tuple(interval), surface


def test_rotated_recording_is_complete(logdir: Path, read_events: ReadEvents) -> None:
    """The files have every step once, in the order of their names."""
    files = sorted((logdir / "rotating").glob("*_MS"))
    assert len(files) > 5
    assert max(path.stat().st_size for path in files) <= MAX_BYTES
    events = [event for path in files for event in read_events(path)]
    assert [event.step for event in events if event.summary.value] == list(range(1, STEPS_OF_ROTATION + 1))
    assert all(event.summary.value[0].scalar_value == event.step for event in events if event.summary.value)
    heads = [event for event in events if event.version]
    assert [head.rotation for head in heads] == list(range(len(files)))
    assert len({head.session_id for head in heads}) == 1


def test_rotated_recording_is_read_to_its_end(seen: Runs) -> None:
    """MindInsight samples a long recording; the samples are correct and include the last point."""
    run = seen["rotating"]
    for tag, divisor in {"step": 1, "half": 2, "third": 3}.items():
        points = run["scalar"][f"{tag}/scalar"]
        assert len(points) == 1000
        assert points[-1][0] == STEPS_OF_ROTATION
        assert points == [[step, single(step / divisor)] for step in sorted({step for step, _ in points})]
    assert run["histogram"]["noise/histogram"][-1][0] == STEPS_OF_ROTATION


def test_lineage_of_a_rotated_recording_is_read(seen: Runs) -> None:
    """MindInsight reads the lineage of a run with many files."""
    lineage = seen["rotating"]["lineage"]
    assert (lineage["optimizer"], lineage["metric"]) == ("Adam", {"accuracy": 0.75})
