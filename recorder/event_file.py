"""One event file as its writer sees it: created under a name of its own, appended to, never torn in the middle."""

import errno
import os
import platform
import re
import time

from toposcope.proto.file_name import event_file_name, parse_file_name

# A write of this size shows progress within seconds even on a slow disk.
_WRITE_BYTES = 8 << 20
_HOST_CHARACTERS = 64
# What file systems answer that cannot bring a file to the disk, as some on a network or in memory.
_NO_FSYNC = frozenset((errno.EINVAL, errno.ENOSYS, errno.ENOTSUP))


class EventFile:
    """An open event file and the bytes that it still owes to the disk.

    What a write could not place stays owed and is written first by the next one: the file is at all times a prefix of
    what was appended. One thread uses it at a time.
    """

    def __init__(self, path: str, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._owed = memoryview(b"")

    @property
    def owes(self) -> bool:
        """True while appended bytes are not in the file."""
        return bool(self._owed)

    def append(self, records: bytes) -> None:
        """Owe records to the disk; only when nothing else is owed."""
        assert not self._owed, "append() before everything owed was written"
        self._owed = memoryview(records)

    def write_some(self) -> None:
        """Write what is owed, or a part of it; OSError when nothing of it can be written."""
        # Unbuffered: after a fork there is no buffer that both processes could write.
        written = os.write(self._descriptor, self._owed[:_WRITE_BYTES])
        self._owed = self._owed[written:]

    def close(self) -> None:
        """Bring the file to the disk and close it; OSError when that fails, the file is closed nevertheless."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            if error.errno not in _NO_FSYNC:
                raise
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Close the file as it is; nothing when it is closed."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def create_event_file(directory: str, prefix: str, rank: int, suffix: str) -> EventFile:
    """Create an event file whose name no other writer has, and that sorts after those in directory; OSError if not."""
    while True:
        name = event_file_name(prefix, _next_seconds(directory), rank, _host(), suffix)
        path = os.path.join(directory, name)
        try:
            return EventFile(path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        except FileExistsError:
            continue  # Another writer was faster: its name is in the directory now.


def _next_seconds(directory: str) -> int:
    taken = [name.seconds for file in os.listdir(directory) if (name := parse_file_name(file))]
    return max(int(time.time()), 1 + max(taken, default=0))


def _host() -> str:
    """Return the name of this machine as a part of a file name."""
    return re.sub(r"[^0-9A-Za-z_.-]", "-", platform.node())[:_HOST_CHARACTERS] or "localhost"
