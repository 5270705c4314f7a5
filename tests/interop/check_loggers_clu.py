"""Values written by clu's writers that are recorded, compared with what was written."""

import warnings
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from support.documentation import examples, run_examples
from support.recorded_run import run_in, scalars_of, tags_of

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
    writer.write_videos(5, {"video": np.zeros((1, 2, 4, 4, 3))})
    writer.write_audios(5, {"audio": np.zeros((1, 8, 1))}, sample_rate=8)
    writer.flush()
    writer.close()

    run = run_in(tmp_path)
    assert scalars_of(tmp_path, "loss") == losses
    assert set(scalars_of(tmp_path, "accuracy").values()) == {0.25}
    assert tags_of(tmp_path, "image") == ["image"]
    assert run.text("text")[0].texts == ["hello"]
    assert run.histograms("weights")[0].total_count == 10
    assert tags_of(tmp_path, "tensor") == ["tensor"]
    assert run.lineage().custom["params/rate"] == 0.5
    assert not [name for name in run.lineage().custom if "token" in name]
    assert run.state.state == "finished"
    assert [record.getMessage().split(": ", 1)[1] for record in caplog.records] == [
        "'video' is not recorded: videos are not recorded.",
        "'audio' is not recorded: audio is not recorded.",
    ]


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
