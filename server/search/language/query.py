"""A parsed search: conditions on one run, and how they are combined."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Operator = Literal[":", "=", "!=", "<", "<=", ">", ">="]
Function = Literal["", "last", "min", "max", "param"]
"""What a name in a condition refers to; "": a field of the run, else a hyperparameter, else the last value of a tag."""


@dataclass(frozen=True)
class Words:
    """Holds if the name, the alias or a label of a run contains the text, ignoring case; "*" stands for any text."""

    text: str


@dataclass(frozen=True)
class Expression:
    """Holds if a regular expression is found in the name, the alias or a label of a run, ignoring case."""

    pattern: str


@dataclass(frozen=True)
class Condition:
    """Holds if a value of a run compares as stated; a run without the value does not match."""

    name: str
    function: Function
    operator: Operator
    value: str


@dataclass(frozen=True)
class Not:
    """Holds if the operand does not."""

    operand: "Query"


@dataclass(frozen=True)
class Every:
    """Holds if all operands do; without operands, always."""

    operands: tuple["Query", ...]


@dataclass(frozen=True)
class Either:
    """Holds if one of the operands does."""

    operands: tuple["Query", ...]


Query = Words | Expression | Condition | Not | Every | Either


def terms(query: Query) -> Iterator[Words | Expression | Condition]:
    """Iterate over the terms of a search."""
    match query:
        case Not(operand):
            yield from terms(operand)
        case Every(operands) | Either(operands):
            for operand in operands:
                yield from terms(operand)
        case _:
            yield query
