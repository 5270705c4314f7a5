"""What was known of an event file when it was read, which shows whether it is still the same file."""

import time

from toposcope.server.places.place import OpenFile, Status
from toposcope.server.reading.index.index import CHECKED_BYTES, identify
from toposcope.server.reading.index.segment import Identity

_SETTLED_SECONDS = 2.0


class FileState:
    """The state of a file at its last read, and a change since then that does not follow from growth."""

    def __init__(self) -> None:
        self.status: Status | None = None
        """None: it was not read yet."""
        self.identity: Identity | None = None
        """None: its bytes are not known."""
        self._identified_bytes = 0
        """How far the file was read when it had this identity."""
        self._changed: Status | None = None
        """Its new times, without a new size: a file that grows just now may have its new time before its new size."""
        self._since = 0.0
        """When these were seen first, in seconds of time.monotonic()."""

    def was_replaced(self, status: Status) -> bool:
        """Return whether there is another file at the path, or less of it."""
        old = self.status
        return old is not None and (status.inode != old.inode or status.size < old.size)

    def was_rewritten(self, status: Status) -> bool:
        """Return whether the file was written without growth, so that bytes may have changed that are not compared."""
        old = self.status
        return old is not None and status.size == old.size and status.modified != old.modified

    def was_overwritten(self, file: OpenFile, end: int) -> bool:
        """Return whether the first bytes of the file have changed, or those before `end`, up to which it was read."""
        return self.identity is not None and self.identity != identify(file, end, self.identity)

    def was_changed(self, status: Status) -> bool:
        """Return whether the file was written or its times were set, without growth, and stayed so for a while."""
        old = self.status
        if old is None or status.size != old.size or status[1:] == old[1:]:
            self._changed = None
            return False
        if self._changed != status:
            self._changed, self._since = status, time.monotonic()
        return time.monotonic() - self._since >= _SETTLED_SECONDS

    @property
    def is_unsettled(self) -> bool:
        """Whether was_changed() must be asked again."""
        return self._changed is not None

    def identify(self, file: OpenFile, end: int) -> None:
        """Note the identity of the file, which was read up to `end`.

        Raises:
            OSError: it cannot be read; its identity is not known then.
        """
        known = self.identity if self._identified_bytes >= CHECKED_BYTES else None
        self.identity, self._identified_bytes = None, end
        self.identity = identify(file, end, known)

    def restore(self, identity: Identity, end: int) -> None:
        """Take the identity that the index contains of the file, which was read up to `end`."""
        self.identity, self._identified_bytes = identity, end
