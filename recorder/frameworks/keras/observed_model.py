"""Observes the models of Keras: what ends fit(), and which files are saved, as callbacks do not receive that."""

import os
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, Protocol
from weakref import WeakSet

import keras


class ModelObserver(Protocol):
    """Receives what is observed of all models."""

    def fail(self, model: Any, error: BaseException) -> None:
        """Take the exception that ended fit() of a model."""

    def save(self, model: Any, path: str) -> None:
        """Take the path to which a model, or its weights, was saved."""


_observers: WeakSet[Any] = WeakSet()


def observe_models(observer: ModelObserver) -> None:
    """Report to an observer from now on, as long as it exists."""
    _replace_methods()
    _observers.add(observer)


@cache
def _replace_methods() -> None:
    """Put functions around methods of keras.Model, once: fit() runs already when a callback receives its model."""
    keras.Model.fit = _reporting_errors(keras.Model.fit)
    keras.Model.save = _reporting_files(keras.Model.save)
    keras.Model.save_weights = _reporting_files(keras.Model.save_weights)


def _reporting_errors(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def fit(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except BaseException as error:
            for observer in list(_observers):
                observer.fail(self, error)
            raise

    return fit


def _reporting_files(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def save(self: Any, filepath: Any, *args: Any, **kwargs: Any) -> Any:
        result = method(self, filepath, *args, **kwargs)
        if isinstance(filepath, str | os.PathLike):
            for observer in list(_observers):
                observer.save(self, os.fspath(filepath))
        return result

    return save
