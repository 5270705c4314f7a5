"""Guards the hooks of adapters: an error of the recording is logged, and never ends the training of another library."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from toposcope.recorder import log
from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.training.events.callback_errors import callback_that_raised

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
_Class = TypeVar("_Class", bound=type)

_logged: set[str] = set()


def guarded(method: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result | None]:
    """Return a method that returns None instead of raising an Exception, which is logged once.

    The exceptions of callbacks that the user has added are raised: they end a training by design.
    """

    @functools.wraps(method)
    def hook(*arguments: _Parameters.args, **options: _Parameters.kwargs) -> _Result | None:
        try:
            return method(*arguments, **options)
        except Exception as error:
            _log_or_raise(method, error)
            return None

    return hook


def guarded_hooks(*prefixes: str) -> Callable[[_Class], _Class]:
    """Return a decorator of classes that guards the methods whose names begin with one of the prefixes."""

    def guard(kind: _Class) -> _Class:
        for name, method in list(vars(kind).items()):
            if name.startswith(prefixes) and callable(method):
                setattr(kind, name, guarded(method))
        return kind

    return guard


def _log_or_raise(method: Callable[..., Any], error: Exception) -> None:
    callback = callback_that_raised(error)
    if callback is not None and not issubclass(callback, SummaryCollector):
        raise error
    text = f"{method.__qualname__} failed, and the training continues: {type(error).__name__}: {error}"
    if text not in _logged:
        _logged.add(text)
        log.error("%s", text)
