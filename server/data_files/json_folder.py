"""A folder of JSON files on a disk, which are replaced by renaming while a lock is held."""

import errno
import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from toposcope.server.data_files.json_files import (
    SUFFIX,
    Change,
    Content,
    Item,
    Result,
    Stamp,
    apply,
    encode,
    parse,
)
from toposcope.server.places.private_folders import make_private
from toposcope.server.places.writable import why_unwritable

if TYPE_CHECKING:
    from filelock import BaseFileLock

_PART_FILE = "draft"
"""Written while holding the lock only, so one that a crash left behind is overwritten."""
_LOCK_SECONDS, _RETRY_SECONDS = 5.0, 0.01
_FILES_AT_ONCE = 100
"""Updated while the lock is held: other servers wait for it only for seconds."""


class JsonFolder:
    """Implements JsonFiles.

    Args:
        folder: is created with the first change.
        logdir: its path is written to the folder for people who inspect it.
        largest_file: a file of more bytes is damaged.
    """

    def __init__(self, folder: Path, logdir: str, largest_file: int) -> None:
        self._folder = folder
        self._logdir = logdir
        self._largest_file = largest_file

    @cached_property
    def _lock(self) -> "BaseFileLock":
        from filelock import FileLock  # It takes long, and reading needs no lock.

        return FileLock(self._folder / "lock", timeout=_LOCK_SECONDS, poll_interval=_RETRY_SECONDS)

    @property
    def address(self) -> str:
        """The path of the folder."""
        return str(self._folder)

    @property
    def is_slow(self) -> bool:
        """False."""
        return False

    def problem(self) -> str | None:
        """Return why nothing can be written to the folder, as far as is known without trying; None: it can."""
        return why_unwritable(self.address)

    def modified(self) -> int:
        """Return when the folder was modified, in nanoseconds since 1970; 0 if there is none."""
        try:
            return os.stat(self._folder).st_mtime_ns
        except OSError:
            return 0

    def stamps(self) -> dict[str, Stamp]:
        """Return the stamps of all files, by name."""
        stamps = {}
        with suppress(FileNotFoundError), os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIX):
                    with suppress(FileNotFoundError):
                        stamps[entry.name] = _stamp(entry.stat())
        return stamps

    def read(self, name: str) -> Content:
        """Return the object in a file."""
        return parse(self._read(name), self._largest_file)

    def update(self, name: str, change: Change, *, is_indented: bool = True) -> None:
        """Replace the content of a file by what a change makes of it, even if the system crashes."""
        with self._locked():
            self._update(name, change, is_indented)

    def update_many(self, changes: Iterable[tuple[str, Change]]) -> dict[str, Exception]:
        """Update many files, some of them each time the lock is held."""
        problems: dict[str, Exception] = {}
        for part in _parts(changes, _FILES_AT_ONCE):
            try:
                with self._locked():
                    for name, change in part:
                        try:
                            self._update(name, change, is_indented=True)
                        except (OSError, ValueError) as error:
                            problems[name] = error
            except OSError as error:  # The folder cannot be locked.
                problems |= {name: error for name, _ in part}
        return problems

    def _update(self, name: str, change: Change, is_indented: bool) -> None:
        try:
            encoded = self._read(name)
        except FileNotFoundError:
            encoded = None
        update = apply(change, encoded, self._largest_file)
        if update.is_damaged:
            self._keep_damaged(self._folder / name)
        if update.new is None:
            self.delete(name)
        elif update.new != update.old:
            self._write(name, encode(update.new, is_indented=is_indented))

    def _keep_damaged(self, path: Path) -> None:
        """Rename a damaged file; earlier ones stay."""
        numbers = itertools.chain([""], map(".{}".format, itertools.count(2)))
        path.rename(next(kept for each in numbers if not (kept := path.with_suffix(f"{each}.damaged")).exists()))

    def _read(self, name: str) -> bytes:
        with (self._folder / name).open("rb") as file:
            return file.read(self._largest_file + 1)

    def touch(self, name: str) -> None:
        """Make a file the one that was modified last."""
        os.utime(self._folder / name)

    def delete(self, name: str) -> None:
        """Delete a file, if there is one."""
        (self._folder / name).unlink(missing_ok=True)

    def map(self, read: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Return the results of reading items, one after the other."""
        return map(read, items)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock, which every update needs.

        Raises:
            OSError: the folder cannot be written; TimeoutError: another server holds the lock for seconds.
        """
        data_folder = self._folder.parents[1]
        if not data_folder.exists():
            make_private(data_folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            self._lock.acquire()
        except TimeoutError:
            raise TimeoutError(errno.ETIMEDOUT, "another server has locked it") from None
        try:
            self._write_logdir()
            yield
        finally:
            self._lock.release()

    def _write_logdir(self) -> None:
        if not (self._folder / "logdir.txt").exists():
            self._write("logdir.txt", os.fsencode(self._logdir) + b"\n")

    def _write(self, name: str, content: bytes) -> None:
        part_file = self._folder / _PART_FILE
        with part_file.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part_file.replace(self._folder / name)


def _parts(changes: Iterable[tuple[str, Change]], size: int) -> Iterator[list[tuple[str, Change]]]:
    everything = list(changes)
    return (everything[start : start + size] for start in range(0, len(everything), size))


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_ino, status.st_mtime_ns, status.st_size)
