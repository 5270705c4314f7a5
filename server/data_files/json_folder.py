"""A folder of JSON files, one an entry, which are replaced by renaming while a lock is held."""

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from filelock import FileLock, Timeout

SUFFIX = ".json"
_PART_FILE = "draft"
"""Written while holding the lock only, so one that a crash left behind is overwritten."""
_LOCK_SECONDS, _RETRY_SECONDS = 5.0, 0.01


class DamagedFileError(ValueError):
    """A file does not contain what it should."""


class Stamp(NamedTuple):
    """Changes when a file is replaced."""

    inode: int
    modified: int
    size: int


class JsonFolder:
    """Reads and replaces files. Thread-safe; several servers may use the same folder.

    Args:
        folder: is created with the first change.
        logdir: its path is written to the folder for people who inspect it.
        largest_file: a file of more bytes is damaged.
    """

    def __init__(self, folder: Path, logdir: str, largest_file: int) -> None:
        self.path = folder
        self._logdir = logdir
        self._largest_file = largest_file
        self._lock = FileLock(folder / "lock", timeout=_LOCK_SECONDS, poll_interval=_RETRY_SECONDS)

    def stamps(self) -> dict[str, Stamp]:
        """Return the stamps of all files, by name; none if there is no folder.

        Raises:
            OSError: the folder cannot be listed.
        """
        stamps = {}
        with suppress(FileNotFoundError), os.scandir(self.path) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIX):
                    with suppress(FileNotFoundError):
                        stamps[entry.name] = _stamp(entry.stat())
        return stamps

    def read(self, name: str) -> dict[str, Any]:
        """Return the object in a file.

        Raises:
            OSError: the file cannot be read.
            DamagedFileError: it contains no JSON object, or too many bytes.
        """
        with (self.path / name).open("rb") as file:
            encoded = file.read(self._largest_file + 1)
        if len(encoded) > self._largest_file:
            raise DamagedFileError(f"it has more than {self._largest_file} bytes")
        try:
            content = orjson.loads(encoded)
        except orjson.JSONDecodeError as error:
            raise DamagedFileError(f"it is not JSON: {error}") from None
        if not isinstance(content, dict):
            raise DamagedFileError("it contains no JSON object")
        return content

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock, which every change needs.

        Raises:
            OSError: the folder cannot be written; TimeoutError: another server holds the lock for seconds.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            self._lock.acquire()
        except Timeout:
            raise TimeoutError(errno.ETIMEDOUT, "another server has locked it") from None
        try:
            self._write_logdir()
            yield
        finally:
            self._lock.release()

    def write(self, name: str, content: Mapping[str, Any], *, is_indented: bool = True) -> None:
        """Replace a file atomically, even if the system crashes; indented, it takes many times as many bytes at worst.

        Raises:
            OSError: the folder cannot be written; the file is as before.
        """
        option = orjson.OPT_APPEND_NEWLINE | (orjson.OPT_INDENT_2 if is_indented else 0)
        self._write(name, orjson.dumps(content, option=option))

    def delete(self, name: str) -> None:
        """Delete a file, if there is one."""
        (self.path / name).unlink(missing_ok=True)

    def set_aside(self, name: str) -> None:
        """Keep a damaged file under another name."""
        path = self.path / name
        path.replace(path.with_suffix(".damaged"))

    def _write_logdir(self) -> None:
        if not (self.path / "logdir.txt").exists():
            self._write("logdir.txt", os.fsencode(self._logdir) + b"\n")

    def _write(self, name: str, content: bytes) -> None:
        part_file = self.path / _PART_FILE
        with part_file.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part_file.replace(self.path / name)


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_ino, status.st_mtime_ns, status.st_size)
