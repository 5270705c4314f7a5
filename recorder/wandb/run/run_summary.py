"""Summary: the results of a run: the last value of each metric, or what define_metric() asks for."""

import math
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from toposcope.recorder.values.arrays.deferred_scalar import DeferredScalar
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError
from toposcope.recorder.wandb.logged.metric_definitions import MetricDefinitions, Path


class _Nested(dict[str, Any]):
    """A mapping in the summary, whose items are attributes too."""

    def __getattr__(self, name: str) -> Any:
        try:
            return _read(self[name])
        except KeyError:
            raise AttributeError(name) from None

    def __getitem__(self, name: str) -> Any:
        return _read(super().__getitem__(name))


class _Aggregate:
    """The numbers of a metric so far. NaN is the minimum, the maximum and the mean from its first occurrence on."""

    def __init__(self, earlier: Any) -> None:
        """Begin with the result of an earlier process, but for the mean: how many numbers it is of is not known."""
        known = earlier if isinstance(earlier, Mapping) else {}
        self.count, self.sum = 0, 0.0
        self.first, self.last = known.get("first"), known.get("last")
        self.min, self.max = known.get("min", known.get("best")), known.get("max", known.get("best"))

    def add(self, number: Any) -> None:
        self.first = number if self.first is None else self.first
        self.min = number if self.min is None else self.min
        self.max = number if self.max is None else self.max
        self.count, self.sum, self.last = self.count + 1, self.sum + number, number
        if number != number:
            self.min = self.max = number
        self.min, self.max = (number if number < self.min else self.min), (number if number > self.max else self.max)

    def value(self, aggregation: str, goal: str | None) -> Any:
        match aggregation:
            case "mean":
                return self.sum / self.count
            case "best":
                return self.max if goal == "maximize" else self.min
        return getattr(self, aggregation)


class Summary(MutableMapping[str, Any]):
    """Results by name, with access by item and by attribute.

    A metric that the script sets itself is, from then on, what the script has set or logged last: its definition counts
    no more, as in W&B.
    """

    def __init__(self, definitions: MetricDefinitions | None = None) -> None:
        """Create an empty summary, in which metrics are aggregated as they are defined."""
        state: dict[str, Any] = {"_values": _Nested(), "_aggregates": {}, "_set": set()}
        self.__dict__.update(state, _definitions=definitions or MetricDefinitions())

    def __getitem__(self, name: str) -> Any:
        """Return a result; KeyError if there is none. A number on a device is read now."""
        return self._values[name]

    def __setitem__(self, name: str, value: Any) -> None:
        """Set a result."""
        self._set.add(name)
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

    def put(self, results: Mapping[str, Any]) -> None:
        """Set results that the script has not set: those of an earlier run, and W&B's own."""
        for name, value in results.items():
            self._values[name] = _nested(value)

    def add(self, path: Path, value: Any) -> None:
        """Add a logged value, whose names in nested mappings are path."""
        definition = self._definitions.find(".".join(path))
        aggregations = (definition and definition.summary) or ()
        is_number = not isinstance(value, str | list | bool)
        if is_number and (aggregations or not isinstance(value, DeferredScalar)):
            # Numbers count that were logged before the definition, unless they are on a device: reading them waits.
            if (aggregate := self._aggregates.get(path)) is None:
                aggregate = self._aggregates[path] = _Aggregate(self._at(path))
            number = _read(value)
            aggregate.add(math.nan if number is None else number)
        if path[0] in self._set or not aggregations or isinstance(value, str | list):
            self._put(path, value)
        elif "none" not in aggregations and is_number:
            goal = definition.goal if definition else None
            self._put(path, _Nested({name: aggregate.value(name, goal) for name in aggregations}))

    def _at(self, path: Path) -> Any:
        """Return the result of a metric; None if there is none."""
        values: Any = self._values
        for name in path:
            values = dict.get(values, name) if isinstance(values, _Nested) else None
        return values

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
