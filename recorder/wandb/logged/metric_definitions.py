"""Metric definitions: what define_metric() says about metrics, and the values of step metrics that it inserts."""

import fnmatch
import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from toposcope.recorder.values.arrays.foreign_values import short_repr
from toposcope.recorder.wandb.errors import UsageError

Path = tuple[str, ...]
_AGGREGATIONS = ("min", "max", "mean", "last", "first", "best", "copy", "none")
_GOALS = ("minimize", "maximize")


class MetricDefinition(NamedTuple):
    """What define_metric() has set for a metric; None: nothing. It is also what define_metric() returns."""

    name: str
    """Names in nested mappings are joined by "."; "*" at the end stands for any rest."""
    step_metric: str | None = None
    """The metric that is the x axis of its chart."""
    step_sync: bool | None = None
    """Whether a step that lacks the step metric receives its last value."""
    hidden: bool | None = None
    """Whether a page should not show its chart by itself."""
    summary: tuple[str, ...] | None = None
    """What the summary contains: "min", "max", "mean", "last", "first", "best" or "none"."""
    goal: str | None = None
    """ "minimize" or "maximize", the meaning of "best"."""

    def plain(self) -> dict[str, Any]:
        """Return what is set, without the name, as JSON has it."""
        return {key: value for key, value in self._asdict().items() if key != "name" and value is not None}


def metric_definition(
    name: Any,
    step_metric: Any = None,
    step_sync: Any = None,
    hidden: Any = None,
    summary: Any = None,
    goal: Any = None,
) -> MetricDefinition:
    """Return the definition that the arguments of define_metric() mean.

    Args:
        name: see MetricDefinition, like step_sync, hidden and goal.
        step_metric: the name of a metric, or its definition.
        step_sync: None: True if step_metric is given.
        hidden: a bool.
        summary: aggregations, separated by commas.
        goal: a str.

    Raises:
        UsageError: an argument has the wrong type, an aggregation or the goal is unknown, or "*" is not at the end.
    """
    if isinstance(step_metric, MetricDefinition):
        step_metric = step_metric.name
    texts = {"name": name, "step_metric": step_metric, "summary": summary, "goal": goal}
    for argument, value in texts.items():
        if not (isinstance(value, str) or (value is None and argument != "name")) or value == "":
            raise UsageError(f"define_metric({argument}=...) takes a text, not {short_repr(value)}.")
    for argument, value in {"step_sync": step_sync, "hidden": hidden}.items():
        if not (value is None or isinstance(value, bool)):
            raise UsageError(f"define_metric({argument}=...) takes a bool, not {short_repr(value)}.")
    if "*" in name[:-1]:
        raise UsageError(f"A name of define_metric() may contain '*' at its end only, unlike {name!r}.")
    if goal is not None and goal not in _GOALS:
        raise UsageError(f"The goal of define_metric() must be 'minimize' or 'maximize', not {goal!r}.")
    if step_sync is None and step_metric is not None:
        step_sync = True
    return MetricDefinition(name, step_metric, step_sync, hidden, _aggregations(summary), goal)


def _aggregations(summary: str | None) -> tuple[str, ...] | None:
    if summary is None:
        return None
    parts = tuple(part.strip() for part in summary.split(",") if part.strip())
    for part in parts:
        if part not in _AGGREGATIONS:
            raise UsageError(f"The summary of define_metric() is one of {', '.join(_AGGREGATIONS)}, not {part!r}.")
    return tuple(part for part in parts if part != "copy") or None


class MetricDefinitions:
    """The definitions of a run, and the last values of the metrics that are step metrics."""

    def __init__(self) -> None:
        """Start without definitions."""
        self._definitions: dict[str, MetricDefinition] = {}
        self._last: dict[str, tuple[Path, Any]] = {}

    def add(self, definition: MetricDefinition, *, overwrite: bool = False) -> None:
        """Add a definition; what an earlier one of the same name has set stays, unless overwrite is set."""
        earlier = self._definitions.get(definition.name)
        if earlier is not None and not overwrite:
            newer = {key: value for key, value in definition._asdict().items() if value is not None}
            if earlier.summary and definition.summary:
                newer["summary"] = _joined(earlier.summary, definition.summary)
            definition = earlier._replace(**newer)
        self._definitions[definition.name] = definition

    def find(self, name: str) -> MetricDefinition | None:
        """Return the definition of a metric: of its name, else of the longest pattern that matches it."""
        if not self._definitions or (found := self._definitions.get(name)) is not None:
            return found if self._definitions else None
        patterns = [
            pattern for pattern in self._definitions if pattern.endswith("*") and fnmatch.fnmatchcase(name, pattern)
        ]
        return self._definitions[max(patterns, key=len)] if patterns else None

    def keep(self, path: Path, value: Any) -> None:
        """Remember the last number of a metric, which may be a step metric."""
        if not isinstance(value, str | list):
            self._last[".".join(path)] = path, value

    def missing_steps(self, names: Iterable[str]) -> dict[str, tuple[Path, Any]]:
        """Return the step metrics that a step lacks, with their last values; 0 if they have none.

        Args:
            names: of the metrics that the step has.
        """
        found: dict[str, tuple[Path, Any]] = {}
        if not self._definitions:
            return found
        present = set(names)
        waiting = list(present)
        while waiting:
            definition = self.find(waiting.pop())
            if definition is None or not definition.step_sync or definition.step_metric is None:
                continue
            step_metric = definition.step_metric
            if step_metric not in present and not step_metric.startswith("_"):
                present.add(step_metric)
                waiting.append(step_metric)  # It may have a step metric too.
                found[step_metric] = self._last.get(step_metric, ((step_metric,), 0))
        return found

    def plain(self) -> dict[str, dict[str, Any]]:
        """Return the definitions by name, as JSON has them."""
        return {name: definition.plain() for name, definition in self._definitions.items()}

    def as_json(self) -> str:
        """Return the definitions by name as JSON."""
        return json.dumps(self.plain())

    def restore(self, definitions: Mapping[str, Mapping[str, Any]], summary: Mapping[str, Any]) -> None:
        """Take over the definitions of an earlier run, which plain() has returned, and the last values of metrics."""
        for name, value in summary.items():
            if isinstance(value, int | float):
                self.keep((name,), value)
        for name, plain in definitions.items():
            known = {key: value for key, value in plain.items() if key in MetricDefinition._fields}
            known["summary"] = tuple(known.get("summary") or ()) or None
            self._definitions[name] = MetricDefinition(name, **known)


def _joined(earlier: tuple[str, ...], newer: tuple[str, ...]) -> tuple[str, ...]:
    """Return both; "none" of either is replaced by what the other asks for."""
    both = tuple(dict.fromkeys((*earlier, *newer)))
    return tuple(part for part in both if part != "none") or both
