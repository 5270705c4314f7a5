"""The Python examples of the documentation run as they are printed."""

import re
from pathlib import Path

import pytest
from support.documentation import DOCS, examples, run_examples
from support.pytorch import needs_torch

from toposcope.recorder import SummaryRecord

# Pages whose examples need only Toposcope and PyTorch. The examples of landscapes.md and mindspore.md are parts of
# programs that examples/ and tests/interop/ run.
PAGES = [
    pytest.param("getting_started.md", marks=needs_torch),
    pytest.param("training.md", marks=needs_torch),
    pytest.param("recording.md", marks=needs_torch),
    pytest.param("callbacks.md", marks=needs_torch),
    "what_belongs_to_a_run.md",
    pytest.param("resuming.md", marks=needs_torch),
    pytest.param("thor.md", marks=needs_torch),
    "mindinsight.md",
    pytest.param("tensorboard.md", marks=needs_torch),
    "wandb.md",
    pytest.param("zh/getting_started.md", marks=needs_torch),
    "zh/mindinsight.md",
    pytest.param("zh/thor.md", marks=needs_torch),
]


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_a_page_run_in_order(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page share one module, as a reader who types them in would."""
    run_examples(examples(page), page, tmp_path, monkeypatch)


def test_a_loop_without_a_framework_is_documented(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The other sections of the page run in `make interop`, where the frameworks are installed."""
    page = "frameworks.md"
    run_examples(examples(page, "NumPy and everything else"), page, tmp_path, monkeypatch)
    assert not caplog.records


def test_questions_in_python_are_documented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are asked about runs that exist."""
    for name in ("first", "second"):
        with SummaryRecord(tmp_path / "runs" / name) as recorder:
            recorder.add_value("scalar", "loss", 0.5)
            recorder.record(1)
    run_examples(examples("command_line.md"), "command_line.md", tmp_path, monkeypatch)


def test_every_page_is_in_a_table_of_contents() -> None:
    """No page of the site is an orphan."""
    listed = set(re.findall(r"^([a-z_/]+)$", (DOCS / "index.md").read_text(encoding="utf-8"), re.MULTILINE))
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}

    assert pages == listed | {"index"}
