"""Groups runs: all together, by a part of their names, by a hyperparameter, or by label."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from toposcope.server.runs.parameters.hyper_parameters import Value
from toposcope.server.runs.run import RunView
from toposcope.server.text.name_patterns import find_in_names

PATTERN = r"^(none|label|regex:[\s\S]{1,200}|param:[\s\S]{1,1000})$"
"""What parse_grouping accepts, for JSON Schema."""
_MAX_EXACT = 2**53


class Grouping(NamedTuple):
    """The property that runs are grouped by."""

    kind: Literal["none", "label", "regex", "param"]
    name: str
    """The regular expression, or the name of the hyperparameter."""


class Group(NamedTuple):
    """Runs that are summarised together."""

    name: str
    runs: list[RunView]


def parse_grouping(text: str | None) -> Grouping:
    """Parse "none", "label", "regex:PATTERN" or "param:NAME"; None is "none".

    Raises:
        ValueError: text has another form.
    """
    if text is None or text == "none":
        return Grouping("none", "")
    if not re.fullmatch(PATTERN, text):
        raise ValueError("expected none, label, regex:PATTERN of at most 200 characters, or param:NAME of at most 1000")
    kind, _, name = text.partition(":")
    if kind == "label":
        return Grouping("label", "")
    return Grouping("regex" if kind == "regex" else "param", name)


def group_runs(
    runs: list[RunView],
    grouping: Grouping,
    hyper_parameters: Callable[[RunView], dict[str, Value]],
    labels: Callable[[RunView], Sequence[str]] = lambda _: (),
) -> tuple[list[Group], list[str]]:
    """Return (groups, names of the runs in none). Groups whose names are numbers come first, sorted by number.

    * "none": all runs are one group, whose name is empty.
    * "label": each label is a group of the runs that have it, so that a run may be in several.
    * "regex": the name of a group is what the expression matches in the names of its runs: the first capture group, or
      the whole match if that did not participate.
    * "param": the name of a group is the value of the hyperparameter; 16, 16.0 and "16" are the same.

    Args:
        runs: the runs to group.
        grouping: the property to group by.
        hyper_parameters: returns the hyperparameters of a run, by name.
        labels: returns the labels of a run.

    Raises:
        ValueError: the regular expression is invalid, or takes too long.
    """
    match grouping.kind:
        case "none":
            return [Group("", runs)] if runs else [], []
        case "label":
            return _gather((run, label) for run in runs for label in labels(run) or (None,))
        case "regex":
            matches = find_in_names(grouping.name, [run.name for run in runs])
            return _gather((run, matches.get(run.name)) for run in runs)
        case "param":
            return _gather((run, _text(hyper_parameters(run).get(grouping.name))) for run in runs)


def _gather(named: Iterable[tuple[RunView, str | None]]) -> tuple[list[Group], list[str]]:
    groups: dict[str, list[RunView]] = {}
    ungrouped = []
    for run, name in named:
        if name is None:
            ungrouped.append(run.name)
        else:
            groups.setdefault(name, []).append(run)
    return [Group(name, groups[name]) for name in sorted(groups, key=_order)], ungrouped


def _order(name: str) -> tuple[bool, float, str]:
    try:
        number = float(name)
    except ValueError:
        number = float("nan")
    return (False, number, name) if number == number else (True, 0.0, name)


def _text(value: Value | None) -> str | None:
    match value:
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < _MAX_EXACT:
            return str(int(value))
        case None:
            return None
        case _:
            return str(value)
