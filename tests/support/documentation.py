"""The Python examples of a page of the documentation, and a module in which they run."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def examples(page: str, section: str | None = None) -> list[str]:
    """Return the examples of a page, or of the section with this heading."""
    text = (DOCS / page).read_text(encoding="utf-8")
    if section is not None:
        (text,) = [part for part in re.split(r"^## ", text, flags=re.MULTILINE) if part.startswith(f"{section}\n")]
    return _BLOCK.findall(text)


def run_examples(blocks: list[str], page: str, directory: Path, monkeypatch: pytest.MonkeyPatch, **names: Any) -> None:
    """Run examples in order in one module that has these names, as a reader who types them in would."""
    assert blocks
    monkeypatch.chdir(directory)
    module = type(sys)("documentation")
    module.__dict__.update(names)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for block in blocks:
        exec(compile(block, page, "exec"), module.__dict__)
