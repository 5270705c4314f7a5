"""Conditions of rules: `state:failed`, `stalled`, `nan(loss)`, `loss > 1.2 * min(loss) for 500 steps`, `alert`.

A comparison of expressions of metrics is watched at every point; there min(x) and max(x) of one argument are the
smallest and largest value so far. Other texts are searches.
"""

import re
from typing import Literal, NamedTuple, get_args

from toposcope.server.expressions.syntax import Call, Number, TagName, Tree, tags_of
from toposcope.server.expressions.syntax import parse as parse_expression
from toposcope.server.expressions.tokens import ExpressionError
from toposcope.server.runs.recordings.run_state import State
from toposcope.server.search.fields import NUMBER_FIELDS
from toposcope.server.search.language import literals, syntax
from toposcope.server.search.language.query import Query

Operator = Literal[">", ">=", "<", "<="]
_SIDE = r"(?:`(?:[^`]|``)+`|[^<>=!`])+"
"""A tag in backquotes may contain any character."""
_COMPARISON = re.compile(rf"(?P<left>{_SIDE}?)\s*(?P<operator>>=|<=|>|<)\s*(?P<right>{_SIDE})")
_DURATION = re.compile(r"(?P<condition>.*\S)\s+for\s+(?:(?P<steps>\d+)\s+steps?|(?P<time>\d+(?:\.\d+)?[smhd]))")
_NAN = re.compile(r"nan\((?P<expression>.*)\)")
_FORMS = "a comparison such as `loss > 1.2 * min(loss) for 500 steps`, nan(loss), a state such as stalled, or a search"


class Extreme(NamedTuple):
    """The smallest or the largest value of an expression so far."""

    name: str
    """The name of the series that stands for it in another expression; no tag has it."""
    function: Literal["min", "max"]
    operand: Tree


class Side(NamedTuple):
    """One side of a comparison: an expression, or a number."""

    text: str
    tree: Tree


class Comparison(NamedTuple):
    """Holds at the points of a run at which two values compare as stated."""

    left: Side
    operator: Operator
    right: Side
    extremes: tuple[Extreme, ...]
    """Those that the sides contain; the operand of one may contain those before it."""
    tags: tuple[str, ...]
    """The tags of all of these."""
    steps: int
    """How many steps it must hold without a point at which it does not, until the condition does."""
    seconds: float
    """The same as a time."""


class NotFinite(NamedTuple):
    """Holds at the points of a run at which a value is NaN or infinite."""

    value: Side
    extremes: tuple[Extreme, ...]
    tags: tuple[str, ...]


class Search(NamedTuple):
    """Holds for the runs that a search finds."""

    query: Query


class Recorded(NamedTuple):
    """Holds for each alert that a training records."""


Condition = Comparison | NotFinite | Search | Recorded


def parse(text: str) -> Condition:
    """Return a parsed condition.

    Raises:
        ValueError: it is none; the message says what was expected.
    """
    if text == "alert":
        return Recorded()
    if text in get_args(State):
        return Search(syntax.parse(f"state:{text}"))
    if found := _NAN.fullmatch(text):
        value, extremes = _sides(found["expression"])
        return NotFinite(value[0], extremes, _tags(value, extremes))
    duration = _DURATION.fullmatch(text)
    plain = duration["condition"] if duration else text
    if (found := _COMPARISON.fullmatch(plain)) and found["left"] not in NUMBER_FIELDS:
        try:
            sides, extremes = _sides(found["left"], found["right"])
        except ExpressionError as error:
            problem: ValueError = error
        else:
            steps = int(duration["steps"] or 0) if duration else 0
            seconds = literals.duration(duration["time"] or "0s") if duration else 0.0
            operator: Operator = found["operator"]  # type: ignore[assignment] # The pattern has these alone.
            tags = _tags(sides, extremes)
            return Comparison(sides[0], operator, sides[1], extremes, tags, steps, seconds or 0.0)
        if duration:
            raise problem
    if duration:
        raise ValueError(f"`for` follows a comparison of metrics, but {plain!r} is none: expected {_FORMS}")
    return _search(text)


def _search(text: str) -> Search:
    if not text.strip():
        raise ValueError(f"it is empty: expected {_FORMS}")
    try:
        return Search(syntax.parse(text))
    except ValueError as error:
        raise ValueError(f"{error}; {text!r} is none of: {_FORMS}") from None


def _sides(*texts: str) -> tuple[list[Side], tuple[Extreme, ...]]:
    extremes: list[Extreme] = []
    sides = [Side(text.strip(), _without_extremes(_tree(text), extremes)) for text in texts]
    if not (extremes or any(_has_tag(side.tree) for side in sides)):
        raise ExpressionError(f"{' and '.join(texts)}: expected at least one metric")
    return sides, tuple(extremes)


def _tree(text: str) -> Tree:
    value = literals.number(text)
    return parse_expression(text) if value is None else Number(value)


def _without_extremes(tree: Tree, extremes: list[Extreme]) -> Tree:
    """Return a tree in which a series stands for each min(x) and max(x), which are added to a list."""
    if not isinstance(tree, Call):
        return tree
    operands = tuple(_without_extremes(operand, extremes) for operand in tree.operands)
    if tree.function not in ("min", "max") or len(operands) > 1:
        return Call(tree.function, operands)
    function: Literal["min", "max"] = "min" if tree.function == "min" else "max"
    name = f"\0{function} {len(extremes)}"
    extremes.append(Extreme(name, function, operands[0]))
    return TagName(name)


def _tags(sides: list[Side], extremes: tuple[Extreme, ...]) -> tuple[str, ...]:
    """Return the tags of a condition, without the series that stand for extremes."""
    trees = [*(side.tree for side in sides), *(extreme.operand for extreme in extremes)]
    names = {extreme.name for extreme in extremes}
    return tuple(dict.fromkeys(tag for tree in trees for tag in tags_of(tree) if tag not in names))


def _has_tag(tree: Tree) -> bool:
    return isinstance(tree, TagName) or (isinstance(tree, Call) and any(map(_has_tag, tree.operands)))
