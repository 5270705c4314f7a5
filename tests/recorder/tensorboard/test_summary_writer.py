"""SummaryWriter: what each method records, read back by the server. The same against TensorBoard: tests/interop."""

import io
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageSequence
from support.recorded_run import run_in, scalars_of
from support.written_events import read_tensorboard_events

from toposcope import server
from toposcope.recorder.tensorboard.summary_writer import SummaryWriter
from toposcope.server.values.text import Text

RANDOM = np.random.default_rng(0)


def event_files(directory: Path) -> list[Path]:
    """Return the event files of a directory in the order of their names."""
    return sorted(directory.glob("events.out.tfevents.*"))


def test_scalars_are_exact_doubles(tmp_path: Path) -> None:
    """A number is a simple_value, and its double is beside it; the server reads the double."""
    values = [0.1, 1e300, -1e-300, 0.5, float("inf"), 2**53 + 1.0]
    with SummaryWriter(tmp_path) as writer:
        for step, value in enumerate(values):
            writer.add_scalar("x", value, step)
    assert list(scalars_of(tmp_path, "x").values()) == values
    (path,) = event_files(tmp_path)
    events = read_tensorboard_events(path)
    assert events[0].file_version == "brain.Event:2"
    simple = [event.summary.value[0].simple_value for event in events if event.HasField("summary")]
    with np.errstate(over="ignore"):
        assert simple == np.array(values).astype(np.float32).tolist()


@pytest.mark.parametrize("step", [np.int64(3), 3.0, np.array(3), True * 3, "3"])
def test_steps_are_what_int_accepts(tmp_path: Path, step: Any) -> None:
    """A step may be an integer of NumPy, a float, or a str; a scalar may be a str, too."""
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("x", "1.0", step)
        writer.add_text("note", "words", step)
    assert scalars_of(tmp_path, "x") == {3: 1.0}
    assert run_in(tmp_path).text("note/text_summary").step.tolist() == [3]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda w: w.add_scalar("", 1.0), TypeError, "tag must be a non-empty str"),
        (lambda w: w.add_scalar("x", "one"), ValueError, "The value of 'x' cannot be recorded. could not convert"),
        (lambda w: w.add_scalar("x", [1.0, 2.0]), TypeError, "A scalar must be"),
        (lambda w: w.add_scalar("x", np.ones(2)), ValueError, "has 2"),
        (lambda w: w.add_scalar("x", 1.0, "one"), ValueError, "global_step must be an integer, not 'one'"),
        (lambda w: w.add_scalar("x", 1.0, 2**63), ValueError, "global_step must fit in 64 bits"),
        (lambda w: w.add_scalar("x", 1.0, float("nan")), ValueError, "global_step must be an integer, not nan"),
        (lambda w: w.add_scalar("x", 1.0, 1, "now"), TypeError, "walltime must be a number of seconds"),
        (lambda w: w.add_scalars("x", [1.0]), TypeError, "tag_scalar_dict must be a dict"),
        (lambda w: w.add_histogram("x", []), ValueError, "must have a value"),
        (lambda w: w.add_histogram("x", [1.0], bins="some"), ValueError, "bins must be 'tensorflow' or one of"),
        (lambda w: w.add_histogram("x", [1.0], bins=0), ValueError, "at least one bucket"),
        (lambda w: w.add_histogram("x", [1.0], bins=[2, 1]), ValueError, "two ascending edges"),
        (lambda w: w.add_histogram("x", [1.0], bins=object()), TypeError, "bins must be a name"),
        (lambda w: w.add_histogram("x", [1.0], max_bins=0), ValueError, "max_bins"),
        (lambda w: w.add_histogram("x", [1j]), TypeError, "real numbers"),
        (lambda w: w.add_histogram_raw("x", 0, 1, 1, 1, 1, [1.0], [1, 2]), ValueError, "of the same length"),
        (lambda w: w.add_image("x", np.ones((5, 4, 4))), ValueError, "1 to 4 channels"),
        (lambda w: w.add_image("x", np.ones((3, 4, 4)), dataformats="CHX"), ValueError, "an order of"),
        (lambda w: w.add_image("x", np.ones((3, 4, 4)), dataformats=3), TypeError, "dataformats must be a str"),
        (lambda w: w.add_image_with_boxes("x", np.ones((3, 4, 4)), np.ones(4)), ValueError, "boxes, 4"),
        (lambda w: w.add_image_with_boxes("x", np.ones((3, 4, 4)), np.ones((1, 4)), rescale=0), ValueError, "rescale"),
        (lambda w: w.add_figure("x", "figure"), TypeError, "matplotlib"),
        (lambda w: w.add_video("x", np.ones((2, 3, 4, 4))), ValueError, "dimensions 'NTCHW'"),
        (lambda w: w.add_video("x", np.ones((1, 2, 3, 4, 4)), fps=0), ValueError, "fps must be positive"),
        (lambda w: w.add_video("x", np.ones((1, 2, 3, 4, 4)), fps="4"), TypeError, "fps must be a number"),
        (lambda w: w.add_video("x", np.ones((1, 2, 3, 4, 4)), dataformats="NTC"), ValueError, "an order of 'NTCHW'"),
        (lambda w: w.add_audio("x", np.ones((3, 3))), ValueError, "one or two channels"),
        (lambda w: w.add_audio("x", np.ones(3), sample_rate=0), ValueError, "sample_rate must be in the range"),
        (lambda w: w.add_audio("x", np.ones(3), sample_rate="8k"), TypeError, "sample_rate must be a number"),
        (lambda w: w.add_text("x", 3), TypeError, "text_string must be a str"),
        (lambda w: w.add_graph(object()), TypeError, "model must be a network"),
        (lambda w: w.add_embedding(np.ones(3)), ValueError, "vectors, dimensions"),
        (lambda w: w.add_embedding(np.ones((3, 2)), ["a"]), ValueError, "one label for each of 3 vectors"),
        (lambda w: w.add_embedding(np.ones((1, 2)), [["a"]], metadata_header=["x", "y"]), ValueError, "each column"),
        (lambda w: w.add_embedding(np.ones((3, 2)), None, np.ones((2, 3, 4, 4))), ValueError, "label_img"),
        (lambda w: w.add_pr_curve("x", [1], [0.5, 1]), ValueError, "must have the same size"),
        (lambda w: w.add_pr_curve("x", [1], [0.5], num_thresholds=1), ValueError, "num_thresholds"),
        (lambda w: w.add_pr_curve_raw("x", [1], [1], [1], [1], [1], [1, 2]), ValueError, "same length"),
        (lambda w: w.add_custom_scalars([]), TypeError, "layout must be"),
        (lambda w: w.add_custom_scalars({"a": {"b": ["Pie", []]}}), ValueError, "'Multiline' or 'Margin', not 'Pie'"),
        (lambda w: w.add_custom_scalars({"a": {"b": ["Margin", ["x"]]}}), ValueError, "value, lower and upper"),
        (lambda w: w.add_custom_scalars({"a": {"b": "x"}}), TypeError, r"must be \[kind, tags\]"),
        (lambda w: w.add_custom_scalars({"a": {"b": ["Multiline", [1]]}}), TypeError, "must be a list of str"),
        (lambda w: w.add_mesh("x", np.ones((4, 3))), ValueError, r"\(batch, number, 3\)"),
        (lambda w: w.add_hparams([], {}), TypeError, "hparam_dict must be a dict"),
        (lambda w: w.add_hparams({5: 1}, {}), TypeError, "names of hyperparameters and metrics must be str, not 5"),
        (lambda w: w.add_hparams({"a": [1, 2]}, {}), ValueError, "hyperparameter 'a'"),
        (lambda w: w.add_hparams({"a": 1}, {}, {"b": [1]}), TypeError, "hparam_domain_discrete"),
        (lambda w: w.add_hparams({"a": 1}, {}, [1]), TypeError, "hparam_domain_discrete must be a dict"),
        (lambda w: w._get_file_writer().add_summary("x"), TypeError, "must be a protobuf message"),
        (lambda w: w._get_file_writer().add_event(3), TypeError, "must be a protobuf message"),
        (lambda w: w._get_file_writer().add_event(b"\xff"), ValueError, "must be an encoded Event"),
        (lambda w: w.add_tensor("x", np.broadcast_to(np.zeros(()), (1 << 29,))), ValueError, "at most"),
    ],
)
def test_bad_input_is_refused_and_loses_nothing(tmp_path: Path, call: Any, error: type[Exception], text: str) -> None:
    """A clear error names the value; what was recorded before and afterwards is in the file."""
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("before", 1.0, 1)
        with pytest.raises(error, match=text):
            call(writer)
        writer.add_scalar("after", 2.0, 1)
    run = server.open(tmp_path).runs["."]
    assert run.tags("scalar") == ["before", "after"]
    assert run.state.state == "finished"


@pytest.mark.parametrize("suffix", ["/a", "\0"])
def test_suffixes_are_parts_of_names(tmp_path: Path, suffix: str) -> None:
    """A suffix that names another directory is refused."""
    with pytest.raises(ValueError, match="filename_suffix"):
        SummaryWriter(tmp_path, filename_suffix=suffix)


def test_invalid_arguments(tmp_path: Path) -> None:
    """An address of another kind is refused: it would become a directory of that name."""
    with pytest.raises(ValueError, match=r"'hdfs://bucket/run'.*begins with s3:"):
        SummaryWriter("hdfs://bucket/run")
    with pytest.raises(TypeError, match="flush_secs"):
        SummaryWriter(tmp_path, flush_secs="often")  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64", "uint8", "bool"])
@pytest.mark.parametrize("size", [1, 10, 200_000])
def test_histograms_have_the_counts_of_numpy(tmp_path: Path, dtype: str, size: int) -> None:
    """Buckets, extremes, sum and number of values are those of numpy.histogram() with TensorBoard's limits."""
    with np.errstate(all="ignore"):
        values = (RANDOM.normal(size=size) * 10.0 ** RANDOM.integers(-4, 3, size)).astype(dtype)
    with SummaryWriter(tmp_path) as writer:
        writer.add_histogram("h", values, 1)
        limits = writer.default_bins
    (read,) = run_in(tmp_path).histograms("h")
    counts, _ = np.histogram(values.astype(np.float64), limits)
    filled = np.flatnonzero(counts)
    assert read.buckets.counts.tolist() == counts[filled[0] : filled[-1] + 1].tolist()
    assert (read.total_count, read.nan_count, read.pos_inf_count, read.neg_inf_count) == (size, 0, 0, 0)
    assert (read.min, read.max) == (values.min(), values.max())
    assert read.sum == pytest.approx(values.astype(np.float64).sum())


def test_histograms_of_limits_and_extreme_values(tmp_path: Path) -> None:
    """Values at a limit belong to the bucket on the right; those beyond ±1e20 are counted, NaN and infinities apart."""
    with SummaryWriter(tmp_path) as writer:
        limits = np.array(writer.default_bins)
        writer.add_histogram("limits", limits, 1)
        writer.add_histogram("below", np.nextafter(limits, -np.inf), 1)
        writer.add_histogram("extreme", [1e25, -1e300, 0.0, -0.0, 5e-324, np.nan, np.inf, np.inf, -np.inf], 1)
        writer.add_histogram("nothing", [np.nan, np.inf], 1)
        writer.add_histogram("singles", limits.astype(np.float32)[np.abs(limits) < 1e19], 1)
    run = run_in(tmp_path)
    (at_limits,), (below,), (extreme,), (nothing,) = (
        run.histograms(tag) for tag in ("limits", "below", "extreme", "nothing")
    )
    assert set(at_limits.buckets.counts.tolist()) == {1}
    assert set(below.buckets.counts.tolist()) == {1}
    assert extreme.total_count == 9
    assert (extreme.nan_count, extreme.pos_inf_count, extreme.neg_inf_count) == (1, 2, 1)
    assert (extreme.min, extreme.max, extreme.buckets.counts.sum()) == (-1e300, 1e25, 5)
    assert (nothing.total_count, nothing.min, nothing.buckets.counts.tolist()) == (2, None, [])
    singles = limits.astype(np.float32)[np.abs(limits) < 1e19]
    counts, _ = np.histogram(singles.astype(np.float64), limits)
    (read,) = run.histograms("singles")
    assert read.buckets.counts.tolist() == counts[np.flatnonzero(counts)[0] : np.flatnonzero(counts)[-1] + 1].tolist()


def test_histograms_with_other_buckets(tmp_path: Path) -> None:
    """Buckets may be named, numbered, given by their edges, joined, or counted elsewhere."""
    values = RANDOM.normal(size=500)
    with SummaryWriter(tmp_path) as writer:
        writer.add_histogram("named", values, bins="sqrt")
        writer.add_histogram("number", values, bins=7)
        writer.add_histogram("edges", values, bins=[-1.0, 0.0, 1.0])
        writer.add_histogram("joined", values, max_bins=20)
        writer.add_histogram_raw("raw", -1.0, 2.0, 6, 1.5, 9.0, [0.0, 1.0, 2.0], [1, 2, 3])
    run = run_in(tmp_path)
    for tag, bins in (("named", "sqrt"), ("number", 7), ("edges", [-1.0, 0.0, 1.0])):
        (read,) = run.histograms(tag)
        assert read.buckets.counts.tolist() == np.histogram(values, bins)[0].tolist()
    (joined,) = run.histograms("joined")
    assert len(joined.buckets.counts) <= 22
    assert joined.buckets.counts.sum() == 500
    (raw,) = run.histograms("raw")
    assert (raw.total_count, raw.min, raw.max, raw.sum) == (6, -1.0, 2.0, 1.5)
    assert raw.buckets.counts.tolist() == [1, 2, 3]


def pixels_of(directory: Path, tag: str) -> np.ndarray:
    """Return the pixels of the only image of a tag."""
    ((image,),) = run_in(directory).images(tag)
    return np.asarray(Image.open(io.BytesIO(image.encoded)))


@pytest.mark.parametrize("dataformats", ["HWC", "CHW", "whc", "CWH"])
def test_images_of_every_layout(tmp_path: Path, dataformats: str) -> None:
    """The dimensions may have any order; floats are cut to bytes, integers are bytes."""
    image = RANDOM.random((5, 7, 3)).astype(np.float32)
    image[0, 0] = (-1.0, 2.0, np.nan)
    axes = ["HWC".index(axis) for axis in dataformats.upper()]
    expected = (np.nan_to_num(image) * np.float32(255)).clip(0, 255).astype(np.uint8)
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("floats", image.transpose(axes), dataformats=dataformats)
        writer.add_image("integers", expected.astype(np.int64).transpose(axes), dataformats=dataformats)
        writer.add_image("bool", (image > 0.5).transpose(axes), dataformats=dataformats)
    np.testing.assert_array_equal(pixels_of(tmp_path, "floats"), expected)
    np.testing.assert_array_equal(pixels_of(tmp_path, "integers"), expected)
    np.testing.assert_array_equal(pixels_of(tmp_path, "bool"), (image > 0.5) * np.uint8(255))


def test_batches_of_images_are_tiled(tmp_path: Path) -> None:
    """A batch, or a list of images, is one image with rows of eight."""
    batch = RANDOM.integers(0, 256, (10, 4, 3, 3), dtype=np.uint8)
    with SummaryWriter(tmp_path) as writer:
        writer.add_images("batch", batch, dataformats="NHWC")
        writer.add_images("list", list(batch), dataformats="HWC")
    expected = np.zeros((8, 24, 3), np.uint8)
    for number, image in enumerate(batch):
        row, column = divmod(number, 8)
        expected[4 * row : 4 * row + 4, 3 * column : 3 * column + 3] = image
    np.testing.assert_array_equal(pixels_of(tmp_path, "batch"), expected)
    np.testing.assert_array_equal(pixels_of(tmp_path, "list"), expected)


def test_boxes_are_drawn_and_the_image_is_enlarged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Boxes are red, also on a grey image; labels that do not match the boxes are left out, with a log line."""
    with SummaryWriter(tmp_path) as writer:
        writer.add_image_with_boxes("one", np.zeros((1, 20, 30)), [[2, 3, 20, 15]], rescale=2, labels=["a", "b"])
        writer.add_image_with_boxes("label", np.zeros((3, 40, 60)), [[2, 3, 50, 35]], labels="cat")
    drawn = pixels_of(tmp_path, "one")
    assert drawn.shape == (40, 60, 3)
    assert (drawn[:, :, 0] > 200).any()
    assert not drawn[:, :, 1:].any()
    assert "has 2 labels for 1 boxes" in caplog.text
    assert (pixels_of(tmp_path, "label")[25:35, 5:20, 0] == 255).any()


def test_videos_are_animated(tmp_path: Path) -> None:
    """Videos are side by side in a GIF with one frame for each time, without moviepy."""
    video = RANDOM.integers(0, 4, (3, 5, 1, 6, 4), dtype=np.uint8) * 80
    with SummaryWriter(tmp_path) as writer:
        writer.add_video("grey", video, 2, fps=10)
        writer.add_video("frames first", video.transpose(1, 0, 3, 4, 2), dataformats="TNHWC")
    for tag in ("grey", "frames first"):
        ((image,),) = run_in(tmp_path).images(tag)
        with Image.open(io.BytesIO(image.encoded)) as gif:
            assert gif.info["duration"] == (100 if tag == "grey" else 250)
            frames = [np.asarray(frame.convert("L")) for frame in ImageSequence.Iterator(gif)]
        assert len(frames) == 5
        for at, frame in enumerate(frames):
            np.testing.assert_array_equal(frame[:6, :8], np.concatenate([video[0, at, 0], video[1, at, 0]], axis=1))
            np.testing.assert_array_equal(frame[:6, 8:12], video[2, at, 0])


@pytest.mark.parametrize("shape", [(100,), (1, 100), (100, 2), (2, 100)])
def test_audio_of_one_or_two_channels(tmp_path: Path, shape: tuple[int, ...]) -> None:
    """Samples are clipped to -1..1 and stored in 16 bits; int16 is stored unchanged."""
    sound = RANDOM.uniform(-1.2, 1.2, shape)
    samples = RANDOM.integers(-(2**15), 2**15, shape, dtype=np.int16)
    with SummaryWriter(tmp_path) as writer:
        writer.add_audio("floats", sound, sample_rate=8000)
        writer.add_audio("integers", samples)
    (path,) = event_files(tmp_path)
    read = {}
    for event in read_tensorboard_events(path):
        for value in event.summary.value:
            start = value.audio.index(b"RIFF")
            with wave.open(io.BytesIO(value.audio[start:])) as file:
                read[value.tag] = file.getframerate(), np.frombuffer(file.readframes(file.getnframes()), "<i2")
    frames = sound.T if shape == (2, 100) else sound
    assert read["floats"][0] == 8000
    np.testing.assert_array_equal(read["floats"][1], (frames.clip(-1, 1) * 32767).astype(np.int16).ravel())
    np.testing.assert_array_equal(read["integers"][1], (samples.T if shape == (2, 100) else samples).ravel())
    assert run_in(tmp_path).plugins == {"audio": 2}


def test_texts_tensors_and_layouts(tmp_path: Path) -> None:
    """The server reads texts and tensors, and names what it does not draw."""
    tensor = RANDOM.normal(size=(2, 3))
    with SummaryWriter(tmp_path) as writer:
        writer.add_text("note", "# ü \udcff", 4)
        writer.add_tensor("tensor", tensor, 5)
        writer.add_custom_scalars_multilinechart(["a", "b"])
        writer.add_pr_curve("curve", [0, 1, 1], [0.1, 0.8, 0.4])
        writer.add_mesh("mesh", RANDOM.random((1, 4, 3)), faces=[[[0, 1, 2]]])
    run = run_in(tmp_path)
    ((text,),) = ([value for value in run.text("note/text_summary")],)
    assert isinstance(text, Text)
    assert "# ü" in str(text)
    (read,) = run.tensors("tensor")
    np.testing.assert_array_equal(read.values, tensor)
    assert run.plugins == {"text": 1, "tensor": 1, "custom_scalars": 1, "pr_curves": 1, "mesh": 2}


def test_hyper_parameters_are_a_session(tmp_path: Path) -> None:
    """Hyperparameters and metrics are in a run of their own, which the server lists with its parent."""
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", 1.0, 1)
        hyper_parameters = {"lr": 0.1, "layers": np.int64(3), "name": "adam", "bias": True, "act": np.tanh, "no": None}
        writer.add_hparams(hyper_parameters, {"accuracy": 0.9}, {"lr": [0.1, 0.2]}, "session")
    run = server.open(tmp_path).runs["session"]
    session = run.hparams()
    assert session is not None
    assert {name: each.value for name, each in session.hparams.items()} == {
        "lr": 0.1,
        "layers": 3.0,
        "name": "adam",
        "bias": True,
        "act": "tanh",
    }
    assert run.scalars("accuracy").value.tolist() == [0.9]


def test_scalars_of_one_chart(tmp_path: Path) -> None:
    """add_scalars() records each number in a directory beside the run's files, all at the same time."""
    with SummaryWriter(tmp_path) as writer:
        for step in range(3):
            writer.add_scalars("a/loss", {"train": 0.1 * step, "test": np.float32(1)}, step)
        assert sorted(writer.all_writers or {}) == sorted(
            [str(tmp_path), f"{tmp_path}/a_loss_train", f"{tmp_path}/a_loss_test"]
        )
    opened = server.open(tmp_path).runs
    assert scalars_of(tmp_path / "a_loss_train", "a/loss") == {0: 0.0, 1: 0.1, 2: 0.2}
    assert {run.state.state for run in opened.values()} == {"finished"}


def test_embeddings_are_files(tmp_path: Path) -> None:
    """Vectors, labels and images are files in the run's directory; the same embedding is listed once."""
    vectors, images = RANDOM.random((3, 2)), RANDOM.random((3, 1, 4, 4))
    with SummaryWriter(tmp_path) as writer:
        for _ in range(2):
            writer.add_embedding(vectors, ["a", "tab\t", "ü"], images, 7, "some/tag")
    folder = tmp_path / "00007" / "some%2ftag"
    assert np.loadtxt(folder / "tensors.tsv").tolist() == vectors.tolist()
    assert (folder / "metadata.tsv").read_text(encoding="utf-8") == "a\ntab \nü\n"
    with Image.open(folder / "sprite.png") as sprite:
        assert sprite.size == (8, 8)
    config = (tmp_path / "projector_config.pbtxt").read_text()
    assert config.count("embeddings {") == 1
    assert 'tensor_path: "00007/some%2ftag/tensors.tsv"' in config


def test_an_embedding_that_cannot_be_written(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A failure to write the files is logged, and the training goes on."""
    with SummaryWriter(tmp_path) as writer:
        (tmp_path / "00000").write_text("in the way")
        writer.add_embedding(np.ones((2, 2)))
        writer.add_scalar("x", 1.0, 1)
    assert "default is not recorded" in caplog.text
    assert scalars_of(tmp_path, "x") == {1: 1.0}


class Unreadable:
    """A tensor on a device that has failed."""

    shape = (2,)

    def __array__(self, *_: object) -> np.ndarray:
        raise RuntimeError("the device is lost")


def test_values_that_cannot_be_read_are_skipped(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A value whose own methods fail is logged once per tag and skipped."""
    with SummaryWriter(tmp_path) as writer:
        for step in range(3):
            writer.add_histogram("broken", Unreadable(), step)
            writer.add_scalar("x", 1.0, step)
    assert caplog.text.count("broken skipped, its value cannot be read: RuntimeError: the device is lost") == 1
    assert list(scalars_of(tmp_path, "x")) == [0, 1, 2]


def test_pixels_of_16_bits_are_scaled(tmp_path: Path) -> None:
    """A depth image or a scan has more values than a byte; those within 0 to 255 are as they are."""
    depths = np.linspace(1000, 60000, 16).astype(np.uint16).reshape(4, 4)
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("depth", depths, 1, dataformats="HW")
        writer.add_image("small", np.arange(16, dtype=np.uint16).reshape(4, 4), 1, dataformats="HW")
    run = run_in(tmp_path)
    shown = {tag: np.array(Image.open(io.BytesIO(run.images(tag)[0][0].encoded))) for tag in ("depth", "small")}
    assert shown["depth"].ravel().tolist() == list(range(0, 256, 17))
    assert shown["small"].ravel().tolist() == list(range(16))


def test_two_channels_are_grey_and_alpha(tmp_path: Path) -> None:
    """As Pillow and PyTorch take them."""
    pixels = np.stack([np.full((4, 4), 200, np.uint8), np.arange(16, dtype=np.uint8).reshape(4, 4)])
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("masked", pixels, 1)
    (image,) = run_in(tmp_path).images("masked")[0]
    assert (np.array(Image.open(io.BytesIO(image.encoded))) == pixels.transpose(1, 2, 0)).all()


def test_hyperparameters_contain_no_secrets(tmp_path: Path) -> None:
    """The options of a command line may contain tokens: their values are hidden by name and by form."""
    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams(
            {"hf_token": "S3CRET", "url": "https://me:S3CRET@host", "lr": 0.1}, {"loss": 1.0}, run_name="s"
        )
    (path,) = (tmp_path / "s").glob("*tfevents*")
    assert b"S3CRET" not in path.read_bytes()
    assert b"hf_token" in path.read_bytes()
