"""SummaryWriter against the writers of PyTorch and tensorboardX: what TensorBoard's own reader finds in their files."""

import io
import json
import re
import subprocess
import sys
import time
import urllib.request
import wave
from collections.abc import Callable
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import tensorboardX
import torch
from google.protobuf import text_format
from PIL import Image, ImageSequence
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig
from tensorboard.util import tensor_util
from torch.utils.tensorboard import SummaryWriter as TorchWriter

from toposcope.recorder.tensorboard.files.file_writer import FileWriter
from toposcope.recorder.tensorboard.replacing.tensorboardx import TensorboardxWriter
from toposcope.recorder.tensorboard.summary_writer import SummaryWriter

WRITERS = {"ours": SummaryWriter, "torch": TorchWriter, "tensorboardX": tensorboardX.SummaryWriter}
RANDOM = np.random.default_rng(7)
NUMBERS = RANDOM.normal(size=1000).astype(np.float32)
PIXELS = RANDOM.random((3, 10, 12)).astype(np.float32)
BYTES = RANDOM.integers(0, 256, (3, 10, 12), dtype=np.uint8)
BATCH = RANDOM.random((11, 3, 6, 5)).astype(np.float32)
BOXES = np.array([[1, 2, 8, 7], [3, 1, 10, 9]], np.float32)
LABELS = RANDOM.integers(0, 2, 200)
PREDICTIONS = RANDOM.random(200)
SOUND = (np.sin(np.arange(2000) / 20) * 0.7).astype(np.float32)
TRIANGLES = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]], np.float32)


class Read(NamedTuple):
    """A value as TensorBoard's reader returns it."""

    step: int
    plugin: str
    content: bytes
    """Of the plugin."""
    value: Any


Values = dict[tuple[str, str], list[Read]]
"""By directory of the run and tag."""


def read_values(directory: Path) -> Values:
    """Return all values in the event files of a directory and those below it."""
    values: Values = {}
    for path in sorted(directory.rglob("*tfevents*")):
        run = str(path.parent.relative_to(directory))
        plugins: dict[str, tuple[str, bytes]] = {}
        for event in EventFileLoader(str(path)).Load():
            for value in event.summary.value:
                data = value.metadata.plugin_data
                plugin = plugins.setdefault(value.tag, (data.plugin_name, data.content))
                read = Read(event.step, *plugin, tensor_util.make_ndarray(value.tensor))
                values.setdefault((run, value.tag), []).append(read)
    return values


Calls = Callable[[Any], None]


def recorded(directory: Path, kind: str, calls: Calls) -> Values:
    """Return what a writer records."""
    with WRITERS[kind](str(directory / kind)) as writer:
        calls(writer)
    return read_values(directory / kind)


def decoded(plugin: str, value: Any) -> Any:
    """Return a value in a form that is equal for equal pixels and samples."""
    if plugin == "images":
        return [np.asarray(frame.convert("RGB")) for png in value[2:] for frame in frames_of(png)]
    if plugin == "audio":
        with wave.open(io.BytesIO(value[0])) as file:
            return [np.frombuffer(file.readframes(file.getnframes()), "<i2"), np.array(file.getframerate())]
    return [np.asarray(value)]


def frames_of(content: bytes) -> list[Image.Image]:
    """Return the frames of an image."""
    return [frame.copy() for frame in ImageSequence.Iterator(Image.open(io.BytesIO(content)))]


def assert_equal(ours: Values, theirs: Values) -> None:
    """Check that two writers have recorded the same values."""
    assert ours.keys() == theirs.keys()
    for key, expected in theirs.items():
        for mine, other in zip(ours[key], expected, strict=True):
            assert mine[:3] == other[:3], key
            for value, wanted in zip(decoded(mine.plugin, mine.value), decoded(other.plugin, other.value), strict=True):
                if value.dtype.kind in "fiu":
                    np.testing.assert_allclose(value, wanted, rtol=1e-6, err_msg=str(key))
                else:
                    np.testing.assert_array_equal(value, wanted, err_msg=str(key))


def scalars(writer: Any) -> None:
    """Record numbers of several kinds."""
    for step in range(5):
        writer.add_scalar("loss", 0.1 * step, step)
        writer.add_scalar("of/tensor", torch.tensor(1.5 * step), np.int64(step))
        writer.add_scalar("of/array", np.array([step], np.float32), step)
        writer.add_scalar("integer", step, step)
    writer.add_scalar("without_step", float("inf"))


def histograms(writer: Any) -> None:
    """Record histograms with several buckets."""
    for step, scale in enumerate((1.0, 1e-6, 1e9)):
        writer.add_histogram("normal", NUMBERS * scale, step)
    writer.add_histogram("doubles", NUMBERS.astype(np.float64), 1)
    writer.add_histogram("integers", torch.arange(-50, 51), 1)
    writer.add_histogram("half", torch.tensor([0.5, 1.5, -2.0], dtype=torch.float16), 1)
    writer.add_histogram("constant", torch.zeros(7), 1)
    writer.add_histogram("one", torch.tensor(3.0), 1)
    writer.add_histogram("named", NUMBERS, 1, bins="auto")
    writer.add_histogram("edges", NUMBERS, 1, bins=[-1, 0, 0.5, 2])
    writer.add_histogram("joined", NUMBERS, 1, max_bins=64)
    writer.add_histogram_raw("raw", -1.0, 2.0, 3, 1.5, 4.5, [0.0, 1.0, 2.0], [1, 0, 2], 4)


def images(writer: Any) -> None:
    """Record images in several layouts."""
    writer.add_image("floats", PIXELS, 1)
    writer.add_image("bytes", torch.from_numpy(BYTES), 2)
    writer.add_image("hwc", PIXELS.transpose(1, 2, 0), 1, dataformats="HWC")
    writer.add_image("whc", PIXELS.transpose(2, 1, 0), 1, dataformats="WHC")
    writer.add_image("grey", PIXELS[:1], 1)
    writer.add_image("hw", PIXELS[0], 1, dataformats="HW")
    writer.add_images("batch", BATCH, 1)
    writer.add_images("nhwc", BATCH.transpose(0, 2, 3, 1), 1, dataformats="NHWC")
    writer.add_images("grey_batch", BATCH[:5, :1], 1)


def boxes(writer: Any) -> None:
    """Record images with boxes."""
    large = BYTES.repeat(4, axis=1).repeat(4, axis=2)
    writer.add_image_with_boxes("boxes", large, BOXES * 4, 1)
    writer.add_image_with_boxes("labelled", large, BOXES * 4, 1, labels=["cat", "dog"])
    writer.add_image_with_boxes("scaled", large, BOXES * 4, 1, rescale=2)


def figures(writer: Any) -> None:
    """Record figures."""
    drawn = []
    for count in (3, 5):
        figure = import_module("matplotlib.figure").Figure(figsize=(2, 1))
        figure.add_subplot().plot(range(count))
        drawn.append(figure)
    writer.add_figure("one", drawn[0], 1, close=False)
    writer.add_figure("several", drawn, 2, close=False)


def audio(writer: Any) -> None:
    """Record a sound."""
    writer.add_audio("sine", SOUND, 3, sample_rate=8000)
    writer.add_audio("tensor", torch.from_numpy(SOUND)[None] * 1.5, 3, sample_rate=8000)


def texts(writer: Any) -> None:
    """Record texts."""
    writer.add_text("note", "# Heading\n\nü", 1)
    writer.add_text("note", "", 2)


def curves(writer: Any) -> None:
    """Record precision-recall curves."""
    writer.add_pr_curve("curve", LABELS, PREDICTIONS, 1)
    writer.add_pr_curve("tensors", torch.from_numpy(LABELS), torch.from_numpy(PREDICTIONS), 1, num_thresholds=11)
    writer.add_pr_curve("weighted", LABELS, PREDICTIONS, 1, weights=PREDICTIONS * 2)
    rows = [np.arange(5.0) + row for row in range(4)]
    writer.add_pr_curve_raw("raw", *rows, np.linspace(0, 1, 5), np.linspace(1, 0, 5), 2, num_thresholds=5)


def layouts(writer: Any) -> None:
    """Record layouts of charts."""
    writer.add_custom_scalars_multilinechart(["loss/train", "loss/test"])
    writer.add_custom_scalars_marginchart(["a", "b", "c"], "margins", "title")
    writer.add_custom_scalars({"x": {"y": ["Multiline", ["p", "q"]], "z": ["Margin", ["p", "q", "r"]]}})


def meshes(writer: Any) -> None:
    """Record a mesh."""
    colors, faces = np.full((1, 4, 3), 200), np.array([[[0, 1, 2], [0, 1, 3]]])
    writer.add_mesh("mesh", torch.from_numpy(TRIANGLES), torch.from_numpy(colors), torch.from_numpy(faces), None, 1)
    writer.add_mesh("points", torch.from_numpy(TRIANGLES), config_dict={"camera": {"near": 1}}, global_step=2)


def several(writer: Any) -> None:
    """Record several numbers of one chart."""
    for step in range(3):
        writer.add_scalars("run/both", {"one": step * 0.5, "two": 2.0}, step)


BOTH: list[Calls] = [scalars, histograms, images, boxes, figures, texts, curves, layouts]


@pytest.mark.parametrize("calls", BOTH)
@pytest.mark.parametrize("kind", ["torch", "tensorboardX"])
def test_values_are_those_of_the_other_writers(tmp_path: Path, calls: Calls, kind: str) -> None:
    """TensorBoard reads the same values from our files as from those of the other writers."""
    assert_equal(recorded(tmp_path, "ours", calls), recorded(tmp_path, kind, calls))


@pytest.mark.parametrize("calls", [audio, meshes, several])
def test_values_are_those_of_torch(tmp_path: Path, calls: Calls) -> None:
    """TensorBoard reads the same values from our files as from those of PyTorch's writer."""
    assert_equal(recorded(tmp_path, "ours", calls), recorded(tmp_path, "torch", calls))


@pytest.mark.parametrize("kind", ["torch", "tensorboardX"])
def test_hyper_parameters_are_those_of_the_other_writers(tmp_path: Path, kind: str) -> None:
    """TensorBoard reads the same session of hyperparameters, in a run of the same name."""
    hyper_parameters = {"lr": 0.1, "layers": 3, "name": "adam", "none": None}
    for each in ("ours", kind):
        with WRITERS[each](str(tmp_path / each)) as writer:
            name = "name" if each == "tensorboardX" else "run_name"
            writer.add_hparams(hyper_parameters, {"hparam/loss": 0.5}, **{name: "session"})
    ours, theirs = (contents_of_hparams(tmp_path / each / "session") for each in ("ours", kind))
    assert ours == theirs
    assert list(ours) == ["_hparams_/experiment", "_hparams_/session_start_info", "_hparams_/session_end_info"]


def contents_of_hparams(directory: Path) -> dict[str, Any]:
    """Return the parsed contents of the plugin by tag."""
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    accumulator = EventAccumulator(str(directory)).Reload()
    assert accumulator.Scalars("hparam/loss")[0].value == 0.5
    return {
        tag: HParamsPluginData.FromString(content) for tag, content in accumulator.PluginTagToContent("hparams").items()
    }


def embeddings(writer: Any) -> None:
    """Write embeddings with and without labels and images."""
    vectors = torch.from_numpy(NUMBERS[:20].reshape(5, 4))
    pictures = torch.from_numpy(BATCH[:5, :, :5, :5])
    writer.add_embedding(vectors, list("abcde"), pictures, 3, "some/tag")
    writer.add_embedding(vectors.double(), [[n, n * n] for n in range(5)], None, metadata_header=["n", "square"])


@pytest.mark.parametrize("kind", ["torch", "tensorboardX"])
def test_embeddings_are_those_of_the_other_writers(tmp_path: Path, kind: str) -> None:
    """The projector's files have the same content, the images the same pixels."""
    configs = []
    for each in ("ours", kind):
        with WRITERS[each](str(tmp_path / each)) as writer:
            embeddings(writer)
        config = text_format.Parse((tmp_path / each / "projector_config.pbtxt").read_text(), ProjectorConfig())
        configs.append(config)
    assert configs[0] == configs[1]
    for path in (tmp_path / kind).rglob("*.*"):
        mine = tmp_path / "ours" / path.relative_to(tmp_path / kind)
        if path.suffix == ".tsv":
            assert mine.read_text() == path.read_text(), path
        elif path.suffix == ".png":
            np.testing.assert_array_equal(np.asarray(Image.open(mine)), np.asarray(Image.open(path)))


def test_video_has_the_pixels_of_the_tensor(tmp_path: Path) -> None:
    """TensorBoard reads an animated GIF with a frame for each time, with the videos side by side."""
    video = np.zeros((2, 4, 3, 8, 6), np.uint8)
    for at in range(4):
        video[0, at, 0], video[1, at, 2] = 60 * at, 255 - at
    with SummaryWriter(tmp_path) as writer:
        writer.add_video("clip", torch.from_numpy(video), 5, fps=5)
        writer.add_video("floats", video / 255.0, 5)
    values = read_values(tmp_path)
    for tag in ("clip", "floats"):
        (read,) = values[".", tag]
        width, height, content = read.value
        frames = frames_of(content)
        assert (read.step, read.plugin, int(width), int(height), len(frames)) == (5, "images", 12, 8, 4)
        for at, frame in enumerate(frames):
            expected = np.concatenate([video[0, at], video[1, at]], axis=2).transpose(1, 2, 0)
            np.testing.assert_allclose(np.asarray(frame.convert("RGB")), expected, atol=1)
    with Image.open(io.BytesIO(values[".", "clip"][0].value[2])) as image:
        assert image.info["duration"] == 200


def test_a_torch_graph_is_read(tmp_path: Path) -> None:
    """TensorBoard reads the operators of a module with their inputs, and its parameters in the scopes of the module."""
    module = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(module, torch.randn(5, 4))
    graph = EventAccumulator(str(tmp_path)).Reload().Graph()
    nodes = {node.name: node for node in graph.node}
    assert list(nodes["0/linear"].input) == ["input", "0/weight", "0/bias"]
    assert list(nodes["1/relu"].input) == ["0/linear"]
    assert [dim.size for dim in nodes["0/weight"].attr["_output_shapes"].list.shape[0].dim] == [3, 4]


def test_any_dtype_of_tensors(tmp_path: Path) -> None:
    """TensorBoard reads tensors with their dtype and shape."""
    dtypes = ["float16", "float32", "float64", "int8", "int64", "bool"]
    arrays = {name: np.arange(6).reshape(2, 3).astype(name) for name in dtypes}
    arrays["scalar"] = np.array(2.5)
    with SummaryWriter(tmp_path) as writer:
        for name, array in arrays.items():
            writer.add_tensor(name, torch.from_numpy(array), 1)
    values = read_values(tmp_path)
    for name, array in arrays.items():
        read = values[".", name][0]
        assert (read.plugin, read.value.dtype) == ("tensor", array.dtype)
        np.testing.assert_array_equal(read.value, array)


def test_purge_step_deletes_for_tensorboard(tmp_path: Path) -> None:
    """TensorBoard drops what was recorded from purge_step on; without purge_step it drops nothing."""
    for purge_step in (None, 3):
        with SummaryWriter(tmp_path, purge_step=purge_step) as writer:
            for step in range(3 if purge_step else 0, 6):
                writer.add_scalar("loss", 0.0 if purge_step is None else 1.0, step)
    read = EventAccumulator(str(tmp_path)).Reload().Scalars("loss")
    assert [(each.step, each.value) for each in read] == [(n, float(n >= 3)) for n in range(6)]
    with SummaryWriter(tmp_path / "twice") as writer:
        for step in (1, 2, 3, 2, 1):
            writer.add_scalar("loss", 0.5, step)
    assert len(EventAccumulator(str(tmp_path / "twice")).Reload().Scalars("loss")) == 5


def test_messages_of_tensorboard_are_passed_through(tmp_path: Path) -> None:
    """Frameworks that build messages themselves record them through the file writer."""
    from tensorboard.compat.proto import event_pb2, summary_pb2

    summary = summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag="direct", simple_value=2.5)])
    with SummaryWriter(tmp_path) as writer:
        writer._get_file_writer().add_summary(summary, 7, walltime=10.0)
        writer._get_file_writer().add_event(event_pb2.Event(summary=summary, step=8))
        writer._get_file_writer().add_event(event_pb2.Event(summary=summary, step=8, wall_time=5.0), step=9)
    read = EventAccumulator(str(tmp_path)).Reload().Scalars("direct")
    assert [(each.step, each.value) for each in read] == [(7, 2.5), (8, 2.5), (9, 2.5)]
    assert read[0].wall_time == 10.0
    assert all(each.wall_time > 1e9 for each in read[1:])


@pytest.mark.parametrize("load_fast", ["true", "false"])
def test_tensorboard_serves_what_is_recorded(tmp_path: Path, load_fast: str) -> None:
    """TensorBoard and tensorboard-data-server serve rotated files with exact doubles, heartbeats and an end."""
    writer = FileWriter(tmp_path, max_file_size=2000, heartbeat_seconds=0.01)
    for step in range(100):
        writer.add_scalars({"loss": 0.1 * step, "large": 1e300}, step)
        if step % 50 == 0:
            writer.flush()
            time.sleep(0.05)
    writer.close()
    assert len(list(tmp_path.glob("events.out.tfevents.*"))) > 2
    command = ["-m", "tensorboard.main", "--logdir", str(tmp_path), "--port", "0", "--load_fast", load_fast]
    with subprocess.Popen([sys.executable, *command], stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            address = next(found[0] for line in server.stderr if (found := re.search(r"http://[^ ]+/", line)))
            points = wait_for_points(f"{address}data/plugin/scalars/scalars?run=.&tag=loss")
        finally:
            server.terminate()
    assert [(point[1], point[2]) for point in points] == [(step, float(np.float32(0.1 * step))) for step in range(100)]


def wait_for_points(address: str) -> Any:
    """Return the points of a tag once TensorBoard has loaded all of them."""
    deadline = time.monotonic() + 60
    points: list[Any] = []
    while len(points) < 100 and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(address) as reply:
                points = json.load(reply)
        except OSError:
            time.sleep(0.2)
    return points


def public_methods(theirs: type) -> list[str]:
    """Return the names of the methods of a writer."""
    return [name for name in dir(theirs) if not name.startswith("_") and callable(getattr(theirs, name))]


@pytest.mark.parametrize("kind", ["torch", "tensorboardX"])
def test_every_method_is_called_by_a_check(kind: str) -> None:
    """No method of the other writers is without a test here or beside the tests of the recorder."""
    folders = Path(__file__).parent, Path(__file__).parents[1] / "recorder" / "tensorboard"
    source = "".join(path.read_text() for folder in folders for path in folder.glob("*.py"))
    assert [name for name in public_methods(WRITERS[kind]) if f".{name}(" not in source] == []


@pytest.mark.parametrize(("kind", "ours"), [("torch", SummaryWriter), ("tensorboardX", TensorboardxWriter)])
def test_every_method_has_the_parameters_of_the_other_writer(kind: str, ours: type) -> None:
    """The first parameters have the names, order and defaults of the writer that ours takes the place of."""
    theirs = WRITERS[kind]
    for name in ["__init__", *public_methods(theirs)]:
        wanted, found = (
            [
                (each.name, each.default)
                for each in signature(getattr(writer, name)).parameters.values()
                if each.name not in ("comet_config", "kwargs")
            ]
            for writer in (theirs, ours)
        )
        assert found[: len(wanted)] == wanted, name


def test_the_directory_is_the_one_that_was_passed(tmp_path: Path) -> None:
    """get_logdir() returns what every writer returns."""
    for kind in ("ours", "torch"):
        with WRITERS[kind](str(tmp_path / kind)) as writer:
            assert writer.get_logdir() == str(tmp_path / kind)
