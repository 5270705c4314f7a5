"""The saved views of a read-only server: none, and none can be stored."""

from collections.abc import Callable
from typing import NoReturn

from toposcope.server.views.views import NO_VIEWS, ViewsSnapshot
from toposcope.server.views.views_folder import NoViewError


class NoViews:
    """Takes the place of Views; reads no file."""

    def start(self, subscriber: Callable[[], None]) -> None:
        """Do nothing: no views change."""

    def stop(self) -> None:
        """Do nothing."""

    def current(self) -> ViewsSnapshot:
        """Return no views."""
        return NO_VIEWS

    def read(self, name: str) -> NoReturn:
        """Raise NoViewError."""
        raise NoViewError(name)
