"""An event file being written: created exclusively under a new name, and only ever appended to."""

import errno
import os
import platform
import re
import time
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from toposcope.proto.file_name import event_file_name, parse_file_name, tensorboard_file_name
from toposcope.proto.framing import Buffer
from toposcope.recorder.stores.spool import name_token, seal

# Small enough that even a slow disk completes a write, and so makes progress, within seconds.
_WRITE_BYTES = 8 << 20
# Buffers per system call: POSIX guarantees 16, Linux and macOS accept 1024.
_WRITE_BUFFERS = 512
_HOST_CHARACTERS = 64
_BINARY = getattr(os, "O_BINARY", 0)  # Without it Windows translates line ends.
# Errors of file systems without fsync, such as some network and in-memory ones.
_NO_FSYNC = frozenset((errno.EINVAL, errno.ENOSYS, errno.ENOTSUP))


class EventFile:
    """An open event file, used by one thread at a time."""

    def __init__(self, path: str, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._is_entry_synced = False

    def write(self, buffers: Iterable[Buffer]) -> int:
        """Append the first bytes of buffers and return their number; OSError if none can be written."""
        # Unbuffered: after a fork, both processes would write the content of a buffer.
        first = list(_first_bytes(buffers))
        written = _write(self._descriptor, first)
        if not written and any(first):
            raise OSError(errno.EIO, "the file system wrote nothing", self.path)
        return written

    def is_deleted(self) -> bool:
        """Return whether the file has been deleted: bytes appended to it would be lost."""
        try:
            status = os.fstat(self._descriptor)
            # Some file systems do not count links.
            return status.st_nlink == 0 and not os.path.samestat(status, os.stat(self.path))
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ESTALE):
                return True
            raise

    def sync(self) -> None:
        """Sync the file to disk, and, once, its entry in the directory; OSError if that fails."""
        _sync(self._descriptor)
        if not self._is_entry_synced:
            _sync_directory(os.path.dirname(self.path))
            self._is_entry_synced = True

    def close(self) -> None:
        """Sync the file to disk and close it; on OSError it is closed nevertheless."""
        try:
            if self._descriptor >= 0:
                _sync(self._descriptor)
                seal(self.path)
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Close the file as it is. Closing twice has no effect."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


class Naming(NamedTuple):
    """The parts of file names that all files of one recording share."""

    directory: str
    prefix: str
    """Not in the names of TensorBoard's dialect."""
    rank: int
    suffix: str
    dialect: str = "mindspore"
    """"mindspore" or "tensorboard"."""

    def file_name(self, seconds: int) -> str:
        """Return the name of a file that is created at a time, in seconds since 1970."""
        host = _host() + name_token(self.directory)
        if self.dialect == "tensorboard":
            return tensorboard_file_name(seconds, host, os.getpid(), self.rank, self.suffix)
        return event_file_name(self.prefix, seconds, self.rank, host, self.suffix)


def create_event_file(naming: Naming, seconds: int = 0, after: int = 0) -> EventFile:
    """Create an event file under a new name that sorts after those in the directory.

    Args:
        naming: the other parts of the name. The directory is created if it does not exist.
        seconds: the seconds in the name, if that name is free; 0, or not free: the current time or later.
        after: the current time or later is also later than this.

    Raises:
        OSError: the file cannot be created.
    """
    os.makedirs(naming.directory, exist_ok=True)
    while True:
        seconds = seconds or max(_next_seconds(naming.directory), after + 1)
        path = os.path.join(naming.directory, naming.file_name(seconds))
        try:
            return EventFile(path, os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666))
        except FileExistsError:
            seconds = 0  # Another writer has created it meanwhile.


def seconds_of(path: str) -> int:
    """Return the seconds in the name of a file, or 0 if it has none."""
    name = parse_file_name(os.path.basename(path))
    return name.seconds if name else 0


def _sync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FSYNC:
            raise


def _sync_directory(directory: str) -> None:
    if os.name == "nt":  # Windows cannot open directories.
        return
    descriptor = os.open(directory or os.curdir, os.O_RDONLY)
    try:
        _sync(descriptor)
    finally:
        os.close(descriptor)


def _next_seconds(directory: str) -> int:
    used = [name.seconds for file in os.listdir(directory) if (name := parse_file_name(file))]
    return max(int(time.time()), 1 + max(used, default=0))


def _host() -> str:
    """Return the host name, restricted to characters of file names."""
    return re.sub(r"[^0-9A-Za-z_.-]", "-", platform.node())[:_HOST_CHARACTERS] or "localhost"


def _first_bytes(buffers: Iterable[Buffer]) -> Iterable[Buffer]:
    free = _WRITE_BYTES
    for buffer in islice(buffers, _WRITE_BUFFERS):
        yield buffer if len(buffer) <= free else memoryview(buffer)[:free]
        free -= len(buffer)
        if free <= 0:
            return


def _write(descriptor: int, buffers: list[Buffer]) -> int:
    if hasattr(os, "writev"):
        return os.writev(descriptor, buffers)
    return os.write(descriptor, b"".join(buffers))  # Windows.
