"""Summary: the results of a run: the last value of each metric, or what define_metric() asks for."""

import fnmatch
import math
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, NamedTuple

from toposcope.recorder.values.deferred_scalar import DeferredScalar
from toposcope.recorder.values.foreign_values import UnreadableValueError
from toposcope.recorder.wandb.reports import REPORTS

Path = tuple[str, ...]
_AGGREGATIONS = ("min", "max", "mean", "last", "first", "none")


class _Nested(dict[str, Any]):
    """A mapping in the summary, whose items are attributes too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return _read(self[name])
        except KeyError:
            raise AttributeError(name) from None

    def __getitem__(self, name: str) -> Any:
        return _read(super().__getitem__(name))


class _Definition(NamedTuple):
    """What define_metric() has set for a name, or for names that match a pattern."""

    name: str
    aggregations: tuple[str, ...]
    goal: str


class _Aggregate:
    """The numbers of a metric so far, as far as the aggregations need them."""

    def __init__(self) -> None:
        self.count, self.sum = 0, 0.0
        self.first = self.last = self.min = self.max = math.nan

    def add(self, number: float) -> None:
        if not self.count:
            self.first = number
        self.count, self.sum, self.last = self.count + 1, self.sum + number, number
        self.min, self.max = min(number, self.min), max(number, self.max)
        if self.min != self.min and number == number:
            self.min = self.max = number

    def value(self, aggregation: str) -> float:
        return self.sum / self.count if aggregation == "mean" else float(getattr(self, aggregation))


class Summary(MutableMapping[str, Any]):
    """Results by name, with access by item and by attribute."""

    def __init__(self) -> None:
        """Create an empty summary."""
        state: dict[str, Any] = {"_values": _Nested(), "_definitions": [], "_aggregates": {}, "_is_set": set()}
        self.__dict__.update(state)

    def __getitem__(self, name: str) -> Any:
        """Return a result; KeyError if there is none. A number on a device is read now."""
        return self._values[name]

    def __setitem__(self, name: str, value: Any) -> None:
        """Set a result."""
        self._values[name] = _nested(value)

    def __delitem__(self, name: str) -> None:
        """Remove a result."""
        del self._values[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._values)

    def __len__(self) -> int:
        """Return the number of results."""
        return len(self._values)

    def __getattr__(self, name: str) -> Any:
        """Return a result; AttributeError if there is none."""
        return getattr(self.__dict__["_values"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a result."""
        self[name] = value

    def __repr__(self) -> str:
        """Return the results as a dict."""
        return repr(dict(self))

    def define(self, name: str, summary: str | None, goal: str | None, *, overwrite: bool = False) -> None:
        """Set what the summary of a metric contains.

        Args:
            name: of the metric, nested names joined by "."; "*" at its end stands for any rest.
            summary: "min", "max", "mean", "last", "first" or "none", or several of them, separated by commas; "best" is
                "min" or "max" by goal. None: unchanged.
            goal: "minimize" or "maximize".
            overwrite: whether None replaces an earlier definition.
        """
        if summary is None and not overwrite:
            return
        best = "max" if goal == "maximize" else "min"
        wanted = [best if part == "best" else part for part in map(str.strip, (summary or "").split(",")) if part]
        for unknown in (part for part in wanted if part not in _AGGREGATIONS):
            REPORTS.differs(f"define_metric({name!r}, summary={unknown!r}) is unknown: the last value is kept.")
        known = tuple(part for part in wanted if part in _AGGREGATIONS)
        self._definitions[:] = [definition for definition in self._definitions if definition.name != name]
        if known:
            self._definitions.append(_Definition(name, known, goal or ""))

    def add(self, path: Path, value: Any) -> None:
        """Add a logged value, whose names in nested mappings are path."""
        aggregations = self._aggregations(".".join(path))
        if aggregations and not isinstance(value, str | list):
            result = _read(value)
            number = math.nan if result is None else float(result)
            aggregate = self._aggregates.setdefault(path, _Aggregate())
            aggregate.add(number)
            if "none" not in aggregations:
                self._put(path, _Nested({name: aggregate.value(name) for name in aggregations}))
        else:
            self._put(path, value)

    def _aggregations(self, name: str) -> tuple[str, ...]:
        definitions: list[_Definition] = self._definitions
        for definition in definitions:
            if definition.name == name:
                return definition.aggregations
        for definition in definitions:
            if definition.name.endswith("*") and fnmatch.fnmatchcase(name, definition.name):
                return definition.aggregations
        return ()

    def _put(self, path: Path, value: Any) -> None:
        values = self._values
        for name in path[:-1]:
            inner = dict.get(values, name)
            if not isinstance(inner, _Nested):
                inner = values[name] = _Nested()
            values = inner
        values[path[-1]] = value

    def plain(self) -> dict[str, Any]:
        """Return a copy of the results as plain dicts; numbers on a device are read."""
        return _plain(self._values)


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(value) if isinstance(value, Mapping) else _read(value) for name, value in dict(values).items()}


def _read(value: Any) -> Any:
    """Return a result; a number on a device is read, and None if that fails."""
    if not isinstance(value, DeferredScalar):
        return value
    try:
        return value.read()
    except UnreadableValueError:
        return None


def _nested(value: Any) -> Any:
    return _Nested({str(k): _nested(v) for k, v in value.items()}) if isinstance(value, Mapping) else value
