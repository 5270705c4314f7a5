"""FailureGuard: disables a collection that raises and logs it once, so that the training continues."""

from collections.abc import Callable
from typing import Any, TypeVar

from toposcope.recorder import log

_T = TypeVar("_T")


class FailureGuard:
    """Remembers which collections have failed."""

    def __init__(self, owner: str) -> None:
        """Enable all collections; owner names the collector in log lines."""
        self._owner = owner
        self._disabled: set[str] = set()

    def attempt(self, name: str, collect: Callable[..., _T], *arguments: Any) -> _T | None:
        """Return the result of collect(*arguments); None if it raises, or has raised before under this name."""
        if name in self._disabled:
            return None
        try:
            return collect(*arguments)
        except Exception as error:
            self._disabled.add(name)
            log.warn("%s: %s: no longer collected: %s: %s", self._owner, name, type(error).__name__, error)
            return None
