"""The Python examples and the commands of a page of the documentation, and a module in which examples run."""

import re
import sys
from collections.abc import Iterator
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


_CONSOLE = re.compile(r"^( *)```(?:console|sh|bash|shell)\n(.*?)^ *```", re.DOTALL | re.MULTILINE)


def commands(page: Path) -> list[str]:
    """Return the commands of a page's console blocks, in order; of a block with prompts, what follows them."""
    return [command for _, block in _CONSOLE.findall(page.read_text(encoding="utf-8")) for command in _of_block(block)]


def _of_block(block: str) -> Iterator[str]:
    lines = [line.strip() for line in block.replace("\\\n", " ").splitlines()]
    prompted = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    for line in prompted or filter(None, lines):
        yield re.sub(r"\s+", " ", line.partition(" #")[0]).strip()
