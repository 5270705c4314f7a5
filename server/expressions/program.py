"""An expression as a list of operations on arrays: common subexpressions are computed once."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from toposcope.server.expressions.syntax import Call, Number, TagName, Tree
from toposcope.server.reading.series.series import Float64s

_OPERATORS: Mapping[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.float_power,
    "min": np.minimum,
    "max": np.maximum,
}
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "-": np.negative,
    "abs": np.abs,
    "exp": np.exp,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sqrt": np.sqrt,
}
_IDEMPOTENT = ("min", "max")


class Operation(NamedTuple):
    """A function of earlier values, by their numbers."""

    compute: Callable[..., Any]
    operands: tuple[int, ...]


class Program(NamedTuple):
    """Values have numbers: first those of the leaves, then the constants, then the results of the operations."""

    leaves: tuple[Tree, ...]
    """Tags, and rates, which are not computed point by point."""
    constants: tuple[float, ...]
    operations: tuple[Operation, ...]
    result: int
    """The number of the value of the expression."""

    def run(self, leaves: Sequence[Float64s]) -> Float64s:
        """Return the values of the expression, given those of its leaves, at the same points."""
        values: list[Any] = [*leaves, *self.constants]
        for compute, operands in self.operations:
            values.append(compute(*(values[number] for number in operands)))
        result: Float64s = values[self.result]
        return result


@lru_cache(1024)
def compiled(tree: Tree) -> Program:
    """Return the program of an expression."""
    leaves, constants = (
        tuple(dict.fromkeys(_found(tree, _is_leaf))),
        tuple(each for each in dict.fromkeys(_found(tree, _is_number)) if isinstance(each, Number)),
    )
    numbers: dict[Tree, int] = {each: number for number, each in enumerate((*leaves, *constants))}
    operations: list[Operation] = []

    def add(compute: Callable[..., Any], *operands: int) -> int:
        operation = Operation(compute, operands)
        if operation not in operations:
            operations.append(operation)
        return len(leaves) + len(constants) + operations.index(operation)

    def number_of(part: Tree) -> int:
        if part in numbers:
            return numbers[part]
        assert isinstance(part, Call)
        distinct = dict.fromkeys(part.operands) if part.function in _IDEMPOTENT else part.operands
        first, *others = [number_of(operand) for operand in distinct]
        if part.function in _FUNCTIONS and not others:
            number = add(_FUNCTIONS[part.function], first)
        else:
            number = first
            for other in others:
                number = add(_OPERATORS[part.function], number, other)
        numbers[part] = number
        return number

    result = number_of(tree)
    return Program(leaves, tuple(each.value for each in constants), tuple(operations), result)


def _is_leaf(part: Tree) -> bool:
    """Return whether a part of an expression is not computed point by point from its operands."""
    return isinstance(part, TagName) or (isinstance(part, Call) and part.function == "rate")


def _is_number(part: Tree) -> bool:
    return isinstance(part, Number)


def _found(tree: Tree, matches: Callable[[Tree], bool]) -> list[Tree]:
    """Return the parts that match, outside of leaves."""
    if matches(tree):
        return [tree]
    if _is_leaf(tree) or isinstance(tree, Number):
        return []
    assert isinstance(tree, Call)
    return [part for operand in tree.operands for part in _found(operand, matches)]
