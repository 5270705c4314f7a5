"""Docstrings of the packages."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("proto", "recorder", "server")
_FRAGMENT = re.compile(r'"""(?:Of|By|As|It|Likewise)\b')


def test_docstrings_name_what_they_describe() -> None:
    """None is a fragment that completes the name of an attribute, such as "Of the axis"."""
    lines = (
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
    )

    assert [line for line in lines if _FRAGMENT.search(line)] == []
