"""LandscapeSettings: which checkpoints a training saves for loss landscapes, and how these are computed."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from toposcope.recorder.arguments import checked_bool, checked_integer, checked_text
from toposcope.recorder.messages.plain_data import items_of
from toposcope.recorder.values.arrays.foreign_values import short_repr

UNITS = ("step", "epoch")
_KINDS = ("train", "result")
_KEYS = ("landscape_size", "unit", "create_landscape", "num_samples", "intervals")
_LEAST_POINTS = 3


class LandscapeSettings(NamedTuple):
    """The checked values of the dict `collect_landscape`; see SummaryCollector."""

    landscape_size: int = 40
    unit: str = "step"
    create_landscape: Mapping[str, bool] = MappingProxyType(dict.fromkeys(_KINDS, True))
    num_samples: int = 128
    intervals: tuple[tuple[int, ...], ...] | None = None
    """None: one interval, of checkpoints spread evenly over the training."""


def landscape_settings(collect_landscape: object) -> LandscapeSettings | None:
    """Return the settings of a dict collect_landscape; None for None.

    Raises:
        TypeError: it is not a dict, or a value in it is of another type.
        ValueError: it has an unknown key, or a value that is not allowed.
    """
    if collect_landscape is None:
        return None
    settings: dict[str, Any] = dict(items_of("collect_landscape", collect_landscape))
    if unknown := [key for key in settings if key not in _KEYS]:
        raise ValueError(f"collect_landscape has the keys {', '.join(map(repr, _KEYS))}; not {unknown[0]!r}.")
    if "landscape_size" in settings:
        settings["landscape_size"] = checked_integer("landscape_size", settings["landscape_size"], 3, 256)
    if "num_samples" in settings:
        settings["num_samples"] = checked_integer("num_samples", settings["num_samples"], 1)
    if checked_text("unit", settings.get("unit", UNITS[0])) not in UNITS:
        raise ValueError(f"unit must be 'step' or 'epoch', not {short_repr(settings['unit'])}.")
    if "create_landscape" in settings:
        settings["create_landscape"] = _checked_kinds(settings["create_landscape"])
    if "intervals" in settings:
        settings["intervals"] = _checked_intervals(settings["intervals"])
    return LandscapeSettings(**settings)


def _checked_kinds(create_landscape: object) -> Mapping[str, bool]:
    kinds = dict(items_of("create_landscape", create_landscape))
    if unknown := [kind for kind in kinds if kind not in _KINDS]:
        raise ValueError(f"create_landscape has the keys 'train' and 'result', not {unknown[0]!r}.")
    return MappingProxyType(
        {kind: checked_bool(f"create_landscape[{kind!r}]", kinds.get(kind, True)) for kind in _KINDS}
    )


def _checked_intervals(intervals: object) -> tuple[tuple[int, ...], ...]:
    if not isinstance(intervals, list | tuple) or not all(isinstance(interval, list | tuple) for interval in intervals):
        raise TypeError(f"intervals must be a list of lists of integers, not {short_repr(intervals)}.")
    checked = tuple(
        tuple(checked_integer("a point of an interval", point, 1) for point in interval) for interval in intervals
    )
    if not checked or min(len(set(interval)) for interval in checked) < _LEAST_POINTS:
        raise ValueError(
            f"intervals must have lists of at least {_LEAST_POINTS} different steps or epochs each, "
            f"not {short_repr(intervals)}."
        )
    return checked
