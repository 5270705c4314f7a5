"""Writes to the index what it lacks of the files: each by itself, or many together in a pack."""

import time
from collections.abc import Collection
from concurrent.futures import Executor
from contextlib import suppress

from toposcope.server.loading.files.known_files import KnownFiles
from toposcope.server.loading.files.loaded_file import QUIET_SECONDS
from toposcope.server.loading.files.packing import Packing

_SAVE_SECONDS = 0.1
_MANY_UNPACKED = 1000
"""Files from which on their segments are moved to a pack."""
_VERY_MANY_UNSAVED = 20_000
"""Files from which on they are moved to a pack while others are still being read."""
_MAX_NEW_PACKS = 6
"""Packs of one start; the index merges many packs."""


class Saving:
    """Knows which files the index lacks; without an index, none. Not thread-safe.

    Args:
        files: all files.
        waiting: those with unread bytes.
        pool: writes the packs.
    """

    def __init__(self, files: KnownFiles, waiting: Collection[str], pool: Executor) -> None:
        self._files = files
        self._unsaved: dict[str, float] = {}
        """When to write to the index, by path."""
        self._unpacked: set[str] = set()
        """Files that are in the index, but not in a pack."""
        self._packing = (
            None
            if files.index is None
            else Packing(files.index, files.place, files.by_path, waiting, files.packed_view, pool)
        )

    def note_read(self, path: str) -> None:
        """Note that more of a file was read; it is written when it is due."""
        if self._packing is not None:
            self._unsaved.setdefault(path, 0.0)

    def note_verified(self, path: str) -> None:
        """Note that large records of a file were verified; it is due now."""
        if self._packing is not None:
            self._unsaved[path] = 0.0

    def forget(self, path: str) -> None:
        """Forget a file that no longer exists."""
        self._unsaved.pop(path, None)
        self._unpacked.discard(path)
        if self._packing is not None:
            self._packing.forget(path)

    @property
    def is_due(self) -> bool:
        """Whether there is something to do now."""
        now = time.monotonic()
        is_packed = self._packing is not None and self._packing.is_written
        return is_packed or any(due <= now for due in self._unsaved.values())

    def save_many(self) -> None:
        """Move files that were read to a pack while others are still being read, if they are very many."""
        if self._packing is not None:
            least = max(_VERY_MANY_UNSAVED, len(self._files.by_path) // _MAX_NEW_PACKS)
            self._packing.advance(self._unsaved, time.monotonic() + _SAVE_SECONDS, least)

    def save(self, is_last: bool) -> None:
        """Write to the index what it lacks: for a moment, or, if it is the last time, everything."""
        now = time.monotonic()
        packing = self._packing
        if packing is None or packing.advance(self._unsaved, now + _SAVE_SECONDS, _MANY_UNPACKED, is_last=is_last):
            return
        files = self._files.by_path
        for path, due in list(self._unsaved.items()):
            if due > now and not is_last:
                continue
            is_quiet = is_last or time.time() - files[path].status.modified > QUIET_SECONDS
            self._unsaved[path] = now + QUIET_SECONDS
            with suppress(MemoryError):
                if self._files.open(path).save(is_quiet):
                    del self._unsaved[path]
                    self._unpacked.add(path)
            if not is_last and time.monotonic() - now > _SAVE_SECONDS:
                return
        if len(self._unpacked) >= _MANY_UNPACKED and packing.move(files[path] for path in self._unpacked):
            self._unpacked = set()

    def take_replaced(self) -> set[str]:
        """Return the runs of files whose views contain the same as before, but in a pack of the index."""
        return set() if self._packing is None else self._packing.take_replaced()

    def stop(self) -> None:
        """Leave out the files that are not in a pack yet."""
        if self._packing is not None:
            self._packing.stop()
