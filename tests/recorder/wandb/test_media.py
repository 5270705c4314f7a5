"""Video, Audio and curves: values of TensorBoard's dialect in a file beside the run's own."""

import io
import math
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Pillow
from support.recorded_run import run_in, scalars_of, tags_of, text_of

from toposcope.proto.tensorboard_pb2 import Event
from toposcope.proto.tensorboard_plugins_pb2 import Audio
from toposcope.recorder import wandb


def test_videos_are_animated(tmp_path: Path) -> None:
    """Frames, two videos side by side, and a GIF; a file of another format is kept beside the run."""
    frames = np.random.default_rng(0).integers(0, 2, (6, 1, 8, 8), dtype=np.uint8) * 255
    Pillow.fromarray(frames[0, 0]).save(tmp_path / "one.gif")
    (tmp_path / "clip.mp4").write_bytes(b"not really a video")
    with wandb.init(dir=tmp_path / "runs") as run:
        videos = {"one": wandb.Video(frames, fps=5, caption="a clip"), "two": wandb.Video(np.stack([frames, frames]))}
        files = {"gif": wandb.Video(str(tmp_path / "one.gif")), "clip": wandb.Video(str(tmp_path / "clip.mp4"))}
        run.log({"loss": 1.0, **videos, **files})
    assert tags_of(tmp_path, "image") == ["gif", "one", "two"]
    ((image,),) = run_in(tmp_path).images("one")
    gif = Pillow.open(io.BytesIO(image.encoded))
    assert (gif.n_frames, gif.info["duration"]) == (6, 200)  # type: ignore[attr-defined]
    gif.seek(5)
    assert (np.asarray(gif.convert("L")) == frames[5, 0]).all()
    assert [image.width for ((image,),) in (run_in(tmp_path).images(tag) for tag in ("two", "gif"))] == [16, 8]
    assert text_of(tmp_path, "one/caption") == "a clip"
    (copy,) = (Path(run.dir) / "media/videos").glob("*.mp4")
    assert copy.read_bytes() == b"not really a video"
    assert copy.name in text_of(tmp_path, "clip/file")
    assert scalars_of(tmp_path, "loss") == {0: 1.0}
    assert run_in(tmp_path).state.state == "finished"


def test_sounds_are_wav_or_the_file_itself(tmp_path: Path) -> None:
    """Samples in 16 bits, and the bytes of a file."""
    samples = (np.sin(np.arange(800) / 9) * 20000).astype(np.int16)
    (tmp_path / "song.mp3").write_bytes(b"not really a song")
    with wandb.init() as run:
        song = wandb.Audio(str(tmp_path / "song.mp3"))
        run.log({"tone": wandb.Audio(samples, sample_rate=8000, caption="a tone"), "song": song})
    (path,) = Path(run.dir).glob("events.out.tfevents.*")
    tone, song_value = (Audio.FromString(value.audio) for value in _values(path))
    with wave.open(io.BytesIO(tone.encoded_audio_string)) as file:
        assert file.getframerate() == 8000
        assert (np.frombuffer(file.readframes(800), "<i2") == samples).all()
    assert (song_value.content_type, song_value.encoded_audio_string) == ("audio/mpeg", b"not really a song")
    assert tags_of(tmp_path, "audio") == ["song", "tone"]
    assert text_of(tmp_path, "tone/caption") == "a tone"


def _values(path: Path) -> list[Any]:
    """Return the values in an event file of TensorBoard's dialect."""
    content, at = path.read_bytes(), 0
    values: list[Any] = []
    while at < len(content):
        length = int.from_bytes(content[at : at + 8], "little")
        values += Event.FromString(content[at + 12 : at + 12 + length]).summary.value
        at += length + 16
    return values


def test_a_resumed_run_replaces_its_videos(tmp_path: Path) -> None:
    """From the step of resume_from on, like all values."""
    frames = np.zeros((2, 3, 8, 8), np.uint8)
    with wandb.init(id="x") as run:
        for _ in range(4):
            run.log({"video": wandb.Video(frames), "loss": 1.0})
    with wandb.init(resume_from="x?_step=1") as run:
        run.log({"video": wandb.Video(frames), "loss": 1.0})
    assert run_in(tmp_path).images("video").step.tolist() == [0, 1, 2]


def test_pr_curves_are_recorded_as_curves_and_as_a_table(tmp_path: Path) -> None:
    """The curve of each class has the counts at each threshold, the table W&B's points."""
    truth, scores = [0, 0, 1, 1, 1], np.array([0.9, 0.6, 0.7, 0.2, 0.1])
    with wandb.init() as run:
        plot = wandb.plot.pr_curve(truth, np.stack([scores, 1 - scores], axis=1), labels=["no", "yes"], interp_size=3)
        run.log({"pr": plot})
    assert tags_of(tmp_path, "pr_curves") == ["pr/no", "pr/yes"]
    (path,) = Path(run.dir).glob("events.out.tfevents.*")
    (value,) = (value for value in _values(path) if value.tag == "pr/yes")
    curve = np.frombuffer(value.tensor.tensor_content, "<f4").reshape(6, 127)
    assert curve[:4, 0].tolist() == [3, 2, 0, 0]
    assert plot.columns == ["class", "precision", "recall"]
    assert plot.data == [
        *(["no", 0.667, 1.0], ["no", 1.0, 0.5], ["no", 1.0, 0.0]),
        *(["yes", 0.75, 1.0], ["yes", 1.0, 0.5], ["yes", 1.0, 0.0]),
    ]


def test_roc_curves_are_tables() -> None:
    """Without points between two others on a line; NaN where a class has all samples."""
    plot = wandb.plot.roc_curve([0, 0, 1, 1], [[0.9, 0.1], [0.4, 0.6], [0.6, 0.4], [0.2, 0.8]], classes_to_plot=[1])
    assert plot.columns == ["class", "fpr", "tpr"]
    assert plot.data == [[1, 0.0, 0.0], [1, 0.0, 0.5], [1, 0.5, 0.5], [1, 0.5, 1.0], [1, 1.0, 1.0]]
    only = wandb.plot.roc_curve([1, 1], [[0.5], [0.7]])
    assert math.isnan(only.data[0][1])


def test_no_plot_raises(caplog: pytest.LogCaptureFixture) -> None:
    """Invalid arguments are logged, and what is returned can be logged."""
    run = wandb.init()
    for name in ("pr_curve", "roc_curve", "confusion_matrix", "line"):
        run.log({"plot": getattr(wandb.plot, name)(None, None, None)})
    run.log({"chart": wandb.plot_table("wandb/lineplot/v0", wandb.Table(columns=["a"], data=[[1]]), {"x": "a"})})
    assert "plot_table(): its table is recorded; the plot is not drawn." in caplog.text
    assert "plot.line() takes a Table, not NoneType" in caplog.text


def test_invalid_media_are_reported_and_the_rest_is_recorded(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A missing file, a wrong shape, a row with too many values: no constructor ends a script, but in strict mode."""
    table = wandb.Table(columns=["a"], data=[[1], [2, 3]])
    with wandb.init() as run:
        missing, wrong = wandb.Image("missing.png"), wandb.Video(np.zeros(3))
        run.log({"image": missing, "video": wrong, "list": [missing, missing], "table": table, "loss": 1.0})
    assert scalars_of(tmp_path, "loss") == {0: 1.0}
    assert text_of(tmp_path, "table") == '{"a": 1}'
    assert tags_of(tmp_path, "image") == []
    for part in ("no file 'missing.png'", "A video has the shape", "has 1 values"):
        assert part in caplog.text
    wandb.reports.REPORTS.is_strict = True
    with pytest.raises(ValueError, match="A video has the shape"):
        wandb.Video(np.zeros(3))
