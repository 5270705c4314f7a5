"""The examples of the documentation for Accelerate."""

from pathlib import Path

import accelerate
import pytest
from support.documentation import examples, run_examples
from support.recorded_run import scalars_of

pytestmark = pytest.mark.filterwarnings("ignore")
IS_REGISTERED = hasattr(accelerate.tracking, "register_tracker_class")


@pytest.mark.skipif(not IS_REGISTERED, reason="register_tracker_class() is newer")
def test_examples_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tracker records what is logged, and watch() the training."""
    run_examples(examples("accelerate.md"), "accelerate.md", tmp_path, monkeypatch)

    assert scalars_of(tmp_path / "runs/first", "loss") == {step: 1 / step for step in range(1, 11)}
    assert list(scalars_of(tmp_path / "runs/watched", "loss/auto")) == [1, 2]
