"""FailureGuard: a collection that fails is switched off and told of once; the training goes on."""

from collections.abc import Callable
from typing import Any, TypeVar

from toposcope.recorder import log

_T = TypeVar("_T")


class FailureGuard:
    """Remembers which collections have failed."""

    def __init__(self, owner: str) -> None:
        """Begin with all collections on; owner is what the log calls the one who collects."""
        self._owner = owner
        self._off: set[str] = set()

    def attempt(self, name: str, collect: Callable[..., _T], *arguments: Any) -> _T | None:
        """Return what collect returns; None when it raises, or has raised before under this name."""
        if name in self._off:
            return None
        try:
            return collect(*arguments)
        except Exception as error:
            self._off.add(name)
            log.warn("%s: %s: not collected any more: %s: %s", self._owner, name, type(error).__name__, error)
            return None
