"""Makes plain docstrings valid reStructuredText: marks indented examples as code and escapes trailing underscores."""

import re
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx

# "on_eval_" would be a reference.
_TRAILING_UNDERSCORE = re.compile(r"(?<![`\w])(\w+)_(?![\w`])")


def _marked(lines: list[str]) -> Iterator[str]:
    """Yield the lines, with a code-block directive before each indented block that follows a paragraph."""
    in_list = False
    for index, line in enumerate(lines):
        before = lines[index - 1] if index else ""
        last_text = next((text for text in reversed(lines[:index]) if text.strip()), "")
        in_list = line.startswith(("* ", "- ")) or (in_list and (line.startswith("  ") or not line.strip()))
        begins = line.startswith("    ") and not before.strip() and last_text and not last_text.startswith(" ")
        if begins and not in_list and not last_text.endswith("::") and not _is_section(last_text):
            yield from [".. code-block:: python", ""]
        yield line


def _is_section(line: str) -> bool:
    return line in {"Args:", "Returns:", "Raises:", "Yields:", "Attributes:", "Example:"} or line.startswith(
        (".. ", ":")
    )


def _process(_app: Sphinx, _what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
    lines[:] = [_TRAILING_UNDERSCORE.sub(r"\1\\_", line) for line in _marked(lines)]


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect to autodoc, before napoleon reads the sections."""
    app.connect("autodoc-process-docstring", _process, priority=400)
    return {"parallel_read_safe": True}
