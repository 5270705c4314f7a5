"""Reports: what differs from W&B is logged once; an error is logged, and raised in strict mode."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from toposcope.recorder import log
from toposcope.recorder.wandb.errors import Error, UsageError

_Parameters = ParamSpec("_Parameters")
_Media = TypeVar("_Media")


class Reports:
    """The reports of the process, and whether errors are raised."""

    def __init__(self) -> None:
        """Start with errors that are logged."""
        self.is_strict = False
        self._logged: set[str] = set()

    def differs(self, text: str, *, strict: bool = False) -> None:
        """Log once that something has no effect here or another one than in W&B.

        Args:
            text: a sentence that names it.
            strict: whether to raise it instead, as in strict mode.

        Raises:
            UsageError: in strict mode.
        """
        if strict or self.is_strict:
            raise UsageError(text)
        self._once(log.warn, text)

    def fails(self, error: Exception) -> None:
        """Log once that a call had no effect or only a part of it.

        Raises:
            Exception: the error, in strict mode.
        """
        if self.is_strict:
            raise error
        text = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}"
        self._once(log.error, text)

    def _once(self, write: Callable[..., None], text: str) -> None:
        if text not in self._logged:
            self._logged.add(text)
            write("wandb: %s", text)


REPORTS = Reports()


def guarded(function: Callable[_Parameters, None]) -> Callable[_Parameters, None]:
    """Return a function whose exceptions are reported, and raised in strict mode only: they never end a script."""

    @functools.wraps(function)
    def call(*arguments: _Parameters.args, **options: _Parameters.kwargs) -> None:
        try:
            function(*arguments, **options)
        except Exception as error:
            REPORTS.fails(error)

    return call


def guarded_media(kind: type[_Media]) -> type[_Media]:
    """Return a class of media whose invalid arguments are reported, and raised in strict mode only.

    Such an object has no items: log() records nothing of it.
    """
    create: Any = kind.__init__

    @functools.wraps(create)
    def initialize(self: Any, *arguments: Any, **options: Any) -> None:
        try:
            create(self, *arguments, **options)
        except Exception as error:
            REPORTS.fails(error)
            self.items = lambda _: {}

    setattr(kind, "__init__", initialize)  # noqa: B010 - an assignment is an error for mypy.
    return kind


def report_ignored(function: str, ignored: dict[str, Any], reasons: dict[str, str] | None = None) -> None:
    """Report the arguments of a function that have no effect, those that are None or False left out."""
    for name, value in ignored.items():
        if value is not None and value is not False:
            reason = (reasons or {}).get(name, "it has no effect here.")
            REPORTS.differs(f"{function}({name}=...): {reason}")
