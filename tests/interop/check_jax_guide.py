"""The examples of the documentation for JAX and the libraries on it."""

from pathlib import Path

import pytest
from support.documentation import examples, run_examples
from support.recorded_run import run_in, tags_of

NAMES = {
    "JAX and Optax": ["dense/bias", "dense/kernel"],
    "Flax linen": ["params/bias", "params/kernel"],
    "Flax nnx": ["bias", "kernel"],
    "Equinox": ["layers/0/bias", "layers/0/weight", "layers/1/bias", "layers/1/weight"],
}


@pytest.mark.parametrize("section", NAMES)
def test_examples_of_a_section_run_in_order(
    section: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Everything is found, and has the documented names."""
    run_examples(examples("frameworks.md", section), "frameworks.md", tmp_path, monkeypatch)
    assert tags_of(tmp_path, "histogram") == [f"{name}/auto" for name in NAMES[section]]
    assert run_in(tmp_path).scalars("learning_rate").step.tolist() == [*range(1, 21)]
    assert not [record for record in caplog.records if "not collected" in record.getMessage()]
