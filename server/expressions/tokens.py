"""Tokens of expressions."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["number", "name", "quoted", "symbol", "end"]
# A name contains "/" and "-", as tags do: to divide or subtract, these are surrounded by spaces.
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number> (?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)? )
    | (?P<name> [^\W\d][\w./:-]* )
    | (?P<quoted> `(?:[^`]|``)+` )
    | (?P<symbol> \*\*|[-+*/^(),] )
    )""",
    re.VERBOSE,
)


class ExpressionError(ValueError):
    """An expression is invalid; the message says what was found where, and what was expected."""


class Token(NamedTuple):
    """A number, a name, or a symbol."""

    kind: Kind
    text: str
    at: int
    """Index of its first character."""


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of an expression; the last one is of kind "end".

    Raises:
        ExpressionError: a character begins no token.
    """
    end = len(text.rstrip())
    at = 0
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            raise invalid(text, at, repr(text[at]), _closing_hint(text[at]))
        kind: Kind = match.lastgroup  # type: ignore[assignment] # The groups are named like the kinds.
        yield Token(kind, match[kind], match.start(kind))
        at = match.end()
    yield Token("end", "", end)


def invalid(text: str, at: int, found: str, expected: str) -> ExpressionError:
    """Return the error for a place of an expression."""
    return ExpressionError(f"invalid expression {text!r}: found {found} at character {at + 1}, expected {expected}")


def _closing_hint(character: str) -> str:
    if character == "`":
        return "a tag between two backquotes"
    return "a number, a tag, a function or an operator; other names of tags are put in backquotes"
