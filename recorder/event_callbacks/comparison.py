"""Comparison: decides whether a value of a metric is better than another."""

from collections.abc import Callable
from typing import Any

import numpy as np

from toposcope.recorder.callbacks.monitored_value import likely_direction
from toposcope.recorder.imported import imported
from toposcope.recorder.values.arrays.foreign_values import short_repr

Comparison = Callable[[float, float], bool]

_NAMES = {"greater": False, "gt": False, "less": True, "lt": True}


def comparison(comp: object, monitor: str) -> Comparison:
    """Return the comparison that an argument *comp* stands for.

    Args:
        comp: "greater" or "gt", "less" or "lt" in any case; a function of a value and the value that it is compared
            with, which are tensors without dimensions if the process has imported PyTorch, otherwise and for functions
            of NumPy floats; or None: by the name, see likely_direction().
        monitor: the name of the metric.

    Raises:
        TypeError: comp has another type.
        ValueError: comp is another str.
    """
    if callable(comp):
        function: Callable[[Any, Any], Any] = comp
        operand = float if isinstance(comp, np.ufunc) else _operand
        return lambda value, other: bool(function(operand(value), operand(other)))
    if comp is None:
        is_smaller = likely_direction(monitor, "comp='less' or comp='greater'") == "min"
    elif not isinstance(comp, str):
        raise TypeError(f"comp must be a str, a function of two values or None, not {short_repr(comp)}.")
    elif (name := comp.lower()) in _NAMES:
        is_smaller = _NAMES[name]
    else:
        raise ValueError(f"comp must be 'greater', 'gt', 'less' or 'lt', or a function of two values; not {comp!r}.")
    return _is_less if is_smaller else _is_greater


def _is_less(value: float, other: float) -> bool:
    return value < other


def _is_greater(value: float, other: float) -> bool:
    return value > other


def _operand(value: float) -> Any:
    torch: Any = imported("torch")
    return value if torch is None else torch.tensor(value, dtype=torch.float64)
