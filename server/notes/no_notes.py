"""The notes of a read-only server: none, and none can be stored."""

from collections.abc import Callable
from types import MappingProxyType

from toposcope.server.notes.notes import NotesSnapshot

_NONE = NotesSnapshot(0, -1, MappingProxyType({}), [])


class NoNotes:
    """Takes the place of Notes; reads no file."""

    def start(self, subscriber: Callable[[list[str]], None]) -> None:
        """Do nothing: no notes change."""

    def stop(self) -> None:
        """Do nothing."""

    def current(self) -> NotesSnapshot:
        """Return no notes."""
        return _NONE
