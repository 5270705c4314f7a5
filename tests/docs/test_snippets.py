"""The Python examples of the documentation run as they are printed."""

import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
# Pages whose examples need only Toposcope and PyTorch. The examples of landscapes.md and mindspore.md are parts of
# programs that examples/ and tests/interop/ run.
PAGES = [
    "getting_started.md",
    "training.md",
    "recording.md",
    "callbacks.md",
    "resuming.md",
    "mindinsight.md",
    "zh/getting_started.md",
    "zh/mindinsight.md",
]


@pytest.mark.parametrize("page", PAGES)
def test_examples_of_a_page_run_in_order(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page share one module, as a reader who types them in would."""
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert blocks
    monkeypatch.chdir(tmp_path)
    module = type(sys)("documentation")
    monkeypatch.setitem(sys.modules, module.__name__, module)

    for block in blocks:
        exec(compile(block, page, "exec"), module.__dict__)


def test_every_page_is_in_a_table_of_contents() -> None:
    """No page of the site is an orphan."""
    listed = set(re.findall(r"^([a-z_/]+)$", (DOCS / "index.md").read_text(encoding="utf-8"), re.MULTILINE))
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}

    assert pages == listed | {"index"}
