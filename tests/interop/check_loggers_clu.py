"""Values written by clu's writers that are recorded, compared with what was written."""

import io
import pickle
import subprocess
import sys
import warnings
import wave
from pathlib import Path
from typing import Any

import cloudpickle
import jax.numpy as jnp
import numpy as np
import PIL.Image
import PIL.ImageSequence
import pytest
from support.documentation import examples, run_examples
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.recorder.callbacks import LambdaCallback

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from clu import metric_writers

    from toposcope.recorder.frameworks.clu import ToposcopeWriter

QUIET: dict[str, Any] = {"collect_specified_data": {"collect_machine": False, "collect_code": False}}


def test_all_kinds_of_values(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Through a MultiWriter, as clu's users combine writers."""
    ours = ToposcopeWriter(tmp_path, **QUIET)
    writer = metric_writers.MultiWriter([ours])
    writer.write_hparams({"rate": 0.5, "api_token": "abc"})
    losses = {step: 1 / step for step in range(1, 6)}
    for step, loss in losses.items():
        writer.write_scalars(step, {"loss": loss, "accuracy": jnp.float32(0.25)})
    writer.write_images(5, {"image": np.zeros((2, 4, 4, 3), np.uint8)})
    writer.write_texts(5, {"text": "hello"})
    writer.write_histograms(5, {"weights": jnp.arange(10.0)}, {"weights": 3})
    writer.write_summaries(5, {"tensor": np.eye(3)})
    clip = np.random.default_rng(0).integers(0, 2, (3, 4, 5, 3), dtype=np.uint8) * 255
    writer.write_videos(5, {"video": clip, "videos": np.stack([clip, clip])})
    sound = np.linspace(-1, 1, 16).reshape(2, 8, 1)
    writer.write_audios(5, {"audio": sound}, sample_rate=8)
    writer.flush()
    writer.close()

    run = run_in(tmp_path)
    assert scalars_of(tmp_path, "loss") == losses
    assert set(scalars_of(tmp_path, "accuracy").values()) == {0.25}
    assert tags_of(tmp_path, "image") == ["image", "video", "videos"]
    (video,), (videos,) = run.images("video")[0], run.images("videos")[0]
    assert np.array_equal(frames_of(video.encoded), clip)
    assert np.array_equal(frames_of(videos.encoded), np.concatenate([clip, clip], axis=2))
    names = [f"media/audio/audio_5_{number}.wav" for number in (0, 1)]
    assert run.text("audio")[0].texts == ["\n".join(f"Audio: `{name}`" for name in names)]
    for name, samples in zip(names, sound, strict=True):
        with wave.open(str(tmp_path / name)) as file:
            assert (file.getframerate(), file.getnchannels()) == (8, 1)
            read = np.frombuffer(file.readframes(99), np.int16)
        assert read / 32767 == pytest.approx(samples[:, 0], abs=1e-4)
    assert run.text("text")[0].texts == ["hello"]
    assert run.histograms("weights")[0].total_count == 10
    assert tags_of(tmp_path, "tensor") == ["tensor"]
    assert run.lineage().custom["params/rate"] == 0.5
    assert not [name for name in run.lineage().custom if "token" in name]
    assert run.state.state == "finished"
    assert not caplog.records


def frames_of(encoded: bytes) -> Any:
    """Return the frames of a GIF as [T, H, W, C]."""
    with PIL.Image.open(io.BytesIO(encoded)) as video:
        return np.asarray([np.asarray(frame.convert("RGB")) for frame in PIL.ImageSequence.Iterator(video)])


@pytest.mark.parametrize("module", [pickle, cloudpickle])
def test_a_copy_records(tmp_path: Path, module: Any) -> None:
    """A writer that is pickled while it records continues the run; one that is pickled before begins it."""
    writer = module.loads(module.dumps(ToposcopeWriter(tmp_path, **QUIET)))
    writer.write_hparams({"rate": 0.5})
    writer.write_scalars(1, {"loss": 1.0})
    copy = module.loads(module.dumps(writer))
    writer.close()
    copy.write_scalars(2, {"loss": 2.0})
    copy.close()

    assert scalars_of(tmp_path, "loss") == {1: 1.0, 2: 2.0}
    assert run_in(tmp_path).lineage().custom["params/rate"] == 0.5
    assert run_in(tmp_path).attempts == 1


def test_values_that_cannot_be_recorded_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The others are recorded, and nothing is raised."""
    writer = ToposcopeWriter(tmp_path, **QUIET)
    for step in (1, 2):
        writer.write_scalars(step, {"loss": 1.0, "many": np.zeros(3)})
        writer.write_videos(step, {"video": np.zeros((2, 4, 4, 7))})
        writer.write_audios(step, {"audio": np.zeros(3)}, sample_rate=8)
    writer.close()

    assert scalars_of(tmp_path, "loss") == {1: 1.0, 2: 1.0}
    messages = "\n".join(record.getMessage() for record in caplog.records)
    assert [messages.count(name) for name in ("'many'", "'video'")] == [1, 1]
    assert "Audio must have the shape [N, T, C], not (3,)" in messages
    assert run_in(tmp_path).state.state == "finished"


def test_an_exception_that_ends_the_program_is_recorded(tmp_path: Path) -> None:
    """Although close() is not called."""
    program = """
import sys; sys.path[:0] = ["tests", "tests/interop"]
from check_loggers_clu import *
writer = ToposcopeWriter(sys.argv[1], **QUIET)
for step in range(1, 4):
    writer.write_scalars(step, {"loss": 1 / step})
raise ValueError("a full disk")
"""
    subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, check=False)
    state = run_in(tmp_path).state
    assert (state.state, state.error.type, state.error.text) == ("failed", "ValueError", "a full disk")
    assert len(scalars_of(tmp_path, "loss")) == 3


def test_other_ranks_record_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that a launcher started."""
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    writer = ToposcopeWriter(tmp_path, **QUIET)
    writer.write_scalars(1, {"loss": 1.0})
    writer.write_audios(1, {"audio": np.zeros((1, 8, 1))}, sample_rate=8)
    writer.close()
    assert not list(tmp_path.iterdir())


def test_our_callbacks_work(tmp_path: Path) -> None:
    """A step ends where values of a later step are written."""
    steps: list[int] = []
    callback = LambdaCallback(on_train_step_end=lambda context: steps.append(context.original_args().cur_step_num))
    writer = ToposcopeWriter(tmp_path, callbacks=[callback], **QUIET)
    for step in (10, 20, 30):
        writer.write_scalars(step, {"loss": 1.0})
        writer.write_scalars(step, {"accuracy": 1.0})
    writer.close()
    assert steps == [10, 20, 30]


def test_later_process_continues_the_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """From the step at which it begins."""
    for first, last, value in ((1, 6, 0.0), (4, 9, 1.0)):
        writer = ToposcopeWriter(tmp_path, **QUIET)
        for step in range(first, last):
            writer.write_scalars(step, {"loss": value})
        writer.close()
    assert scalars_of(tmp_path, "loss") == dict.fromkeys(range(1, 4), 0.0) | dict.fromkeys(range(4, 9), 1.0)
    assert not caplog.records


def test_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They record what the page says."""
    run_examples(examples("clu.md"), "clu.md", tmp_path, monkeypatch)
    assert len(scalars_of(tmp_path / "runs/first", "loss")) == 10
