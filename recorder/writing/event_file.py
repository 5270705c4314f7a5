"""One event file as its writer sees it: created under a name of its own, appended to, never torn in the middle."""

import errno
import os
import platform
import re
import time
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from toposcope.proto.file_name import event_file_name, parse_file_name
from toposcope.proto.framing import Buffer

# A write of this size shows progress within seconds even on a slow disk.
_WRITE_BYTES = 8 << 20
# What a system call takes; POSIX promises 16, Linux and macOS take 1024.
_WRITE_BUFFERS = 512
_HOST_CHARACTERS = 64
_BINARY = getattr(os, "O_BINARY", 0)  # Windows writes line ends of its own otherwise.
# What file systems answer that cannot bring a file to the disk, as some on a network or in memory.
_NO_FSYNC = frozenset((errno.EINVAL, errno.ENOSYS, errno.ENOTSUP))


class EventFile:
    """An open event file. One thread uses it at a time."""

    def __init__(self, path: str, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    def write(self, buffers: Iterable[Buffer]) -> int:
        """Append the first bytes of buffers; return how many. OSError when not even one can be written."""
        # Unbuffered: after a fork there is no buffer that both processes could write.
        first = list(_first_bytes(buffers))
        written = _write(self._descriptor, first)
        if not written and any(first):
            raise OSError(errno.EIO, "the file system writes nothing", self.path)
        return written

    def is_deleted(self) -> bool:
        """Say whether the file has no name any more: what is appended would go with it."""
        try:
            mine = os.fstat(self._descriptor)
            # Some file systems do not count names.
            return mine.st_nlink == 0 and not os.path.samestat(mine, os.stat(self.path))
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ESTALE):
                return True
            raise

    def close(self) -> None:
        """Bring the file to the disk and close it; OSError when that fails, the file is closed nevertheless."""
        try:
            if self._descriptor >= 0:
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


class Naming(NamedTuple):
    """What the files of one recording have in common."""

    directory: str
    prefix: str
    rank: int
    suffix: str


def create_event_file(naming: Naming, seconds: int = 0, after: int = 0) -> EventFile:
    """Create an event file whose name no other writer has, and that sorts after those in the directory.

    Its name says *seconds* if that is given and free, else the present time or later, later than *after* anyway. The
    directory is created anew if it is gone.

    Raises:
        OSError: it cannot be created.
    """
    os.makedirs(naming.directory, exist_ok=True)
    while True:
        seconds = seconds or max(_next_seconds(naming.directory), after + 1)
        name = event_file_name(naming.prefix, seconds, naming.rank, _host(), naming.suffix)
        path = os.path.join(naming.directory, name)
        try:
            return EventFile(path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666))
        except FileExistsError:
            seconds = 0  # Another writer was faster: its name is in the directory now.


def seconds_of(path: str) -> int:
    """Return the seconds in the name of a file, 0 when it has none."""
    name = parse_file_name(os.path.basename(path))
    return name.seconds if name else 0


def _next_seconds(directory: str) -> int:
    taken = [name.seconds for file in os.listdir(directory) if (name := parse_file_name(file))]
    return max(int(time.time()), 1 + max(taken, default=0))


def _host() -> str:
    """Return the name of this machine as a part of a file name."""
    return re.sub(r"[^0-9A-Za-z_.-]", "-", platform.node())[:_HOST_CHARACTERS] or "localhost"


def _first_bytes(buffers: Iterable[Buffer]) -> Iterable[Buffer]:
    room = _WRITE_BYTES
    for buffer in islice(buffers, _WRITE_BUFFERS):
        yield buffer if len(buffer) <= room else memoryview(buffer)[:room]
        room -= len(buffer)
        if room <= 0:
            return


def _write(descriptor: int, buffers: list[Buffer]) -> int:
    if hasattr(os, "writev"):
        return os.writev(descriptor, buffers)
    return os.write(descriptor, b"".join(buffers))  # Windows.
