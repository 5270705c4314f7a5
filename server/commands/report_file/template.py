"""The parts of a template: Markdown, and lines that are directives."""

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

DEFAULT = """# Report

::runs

::charts
"""
_DIRECTIVE = re.compile(r"::([a-z]+)(?:\s+(.*))?$")
_FENCE = re.compile(r" {0,3}(```|~~~)")


class Markdown(NamedTuple):
    """Text between directives."""

    text: str


class Directive(NamedTuple):
    """A line `::NAME ARGUMENT...`, whose arguments are quoted as in a shell."""

    name: str
    arguments: list[str]
    line: int
    """Its number, from 1 on."""


def parts_of(template: str) -> Iterator[Markdown | Directive]:
    """Yield the parts of a template; lines of fenced code are never directives.

    Raises:
        ValueError: a quotation mark is missing; the message names directive and line.
    """
    lines: list[str] = []
    fence = ""
    for number, line in enumerate(template.splitlines(), 1):
        if opened := _FENCE.match(line):
            fence = "" if fence == opened[1] else fence or opened[1]
        found = None if fence else _DIRECTIVE.match(line)
        if found is None:
            lines.append(line)
            continue
        yield Markdown("\n".join(lines))
        lines = []
        try:
            arguments = shlex.split(found[2] or "")
        except ValueError as error:
            raise ValueError(f"line {number}, ::{found[1]}: {error}") from None
        yield Directive(found[1], arguments, number)
    yield Markdown("\n".join(lines))
