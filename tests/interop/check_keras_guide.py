"""The examples of the documentation for Keras, with the backend that KERAS_BACKEND names."""

from pathlib import Path

import pytest
from support.documentation import examples, run_examples
from support.recorded_run import run_in, tags_of


def test_examples_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Everything is found, and has the documented names."""
    run_examples(examples("frameworks.md", "Keras"), "frameworks.md", tmp_path, monkeypatch)
    layers = [tag.split("/", 1)[1] for tag in tags_of(tmp_path, "histogram")]
    assert [layer.split("/")[-2] for layer in layers] == ["bias", "kernel", "bias", "kernel"]
    assert run_in(tmp_path).scalars("learning_rate").step.tolist() == [*range(1, 21)]
    assert not [record for record in caplog.records if "not collected" in record.getMessage()]
