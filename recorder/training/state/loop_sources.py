"""LoopSources: functions of a user-written loop that return what its model and its optimizer do not have."""

import inspect
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from toposcope.recorder.adapters import is_module
from toposcope.recorder.values.arrays.foreign_values import short_repr


class LoopSources(NamedTuple):
    """The functions that the user passed to watch(); None: not passed."""

    parameters: Callable[[], Any] | None = None
    """Returns a network, or arrays by name: a mapping, a pytree, or pairs of a name and an array."""
    gradients: Callable[[], Any] | None = None
    """Returns the gradients of the newest step, in the form of the parameters."""
    learning_rate: Callable[[int], Any] | None = None
    """Returns the learning rate, or a list of them, after this number of finished steps."""


def checked_sources(parameters: object, gradients: object, learning_rate: object) -> LoopSources:
    """Return the checked functions; TypeError naming the one that cannot be called as documented."""
    return LoopSources(
        _checked_function("parameters", parameters),
        _checked_function("gradients", gradients),
        _checked_rate(learning_rate),
    )


def _checked_function(name: str, function: object) -> Callable[[], Any] | None:
    if function is None:
        return None
    if not callable(function) or is_module(function) or _required(function):
        raise TypeError(
            f"{name} must be a function without arguments that returns the current {name}, such as "
            f"`lambda: {name}`; not {short_repr(function)}."
        )
    return function


def _checked_rate(rate: Any) -> Callable[[int], Any] | None:
    """Return a function of the number of finished steps."""
    if rate is None:
        return None
    if isinstance(rate, int | float) and not isinstance(rate, bool):
        return lambda _: rate
    required = _required(rate) if callable(rate) else 2
    if required > 1:
        raise TypeError(
            "learning_rate must be a number, a function without arguments, or a function of the number of finished "
            f"steps; not {short_repr(rate)}."
        )
    return _compiled(rate) if required else lambda _: rate()


def _compiled(schedule: Callable[[int], Any]) -> Callable[[int], Any]:
    """Return a schedule of Optax, which consists of many small operations, as one; another one unchanged."""
    if not str(getattr(schedule, "__module__", "")).startswith("optax."):
        return schedule
    jax: Any = sys.modules["jax"]
    try:
        jax.eval_shape(schedule, 0)
    except Exception:  # It contains a function of the user that cannot be traced.
        return schedule
    compiled: Callable[[int], Any] = jax.jit(schedule)
    return compiled


def _required(function: Callable[..., Any]) -> int:
    """Return how many arguments a function requires; 0 if that is unknown, 2 if one of them has to be named."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # Functions in C need not have a signature.
        return 0
    required = [each for each in parameters if each.default is each.empty and "VAR" not in each.kind.name]
    return 2 if any(each.kind is each.KEYWORD_ONLY for each in required) else len(required)
