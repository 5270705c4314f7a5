"""The notes on the runs of one logdir on disk: one file a run, replaced by renaming while a lock is held.

A file contains the name of its run and the fields of its notes; its own name is the hash of the run's name. A run
without notes has no file: a change that leaves a run without notes deletes it, nothing else does.
"""

import errno
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from filelock import FileLock, Timeout
from pydantic import ValidationError

from toposcope.server.notes.data_folder import hashed
from toposcope.server.notes.run_notes import NO_NOTES, RunNotes
from toposcope.server.places.place import reason_of

_SUFFIX = ".json"
_PART_FILE = "draft"
"""Written while holding the lock only, so one that a crash left behind is overwritten."""
_LOCK_SECONDS, _RETRY_SECONDS = 5.0, 0.01
_LARGEST_FILE = 1 << 20
_RUNS_AT_ONCE = 100
"""Changed while the lock is held: other servers wait for it only for seconds."""
Change = Callable[[RunNotes], Mapping[str, Any]]
"""Returns the fields of the notes of a run that are replaced."""


class DamagedNotesError(ValueError):
    """The file does not contain the notes of a run."""


class Stamp(NamedTuple):
    """Changes when a file is replaced."""

    inode: int
    modified: int
    size: int


class NotesFolder:
    """Reads and changes the notes. Thread-safe; several servers may use the same folder.

    Args:
        folder: is created with the first change.
        logdir: contains the runs; its path is written to the folder for people who inspect it.
    """

    def __init__(self, folder: Path, logdir: str) -> None:
        self.folder = folder
        self._logdir = logdir
        self._lock = FileLock(folder / "lock", timeout=_LOCK_SECONDS, poll_interval=_RETRY_SECONDS)

    def stamps(self) -> dict[str, Stamp]:
        """Return the stamps of all files, by name; none if there is no folder.

        Raises:
            OSError: the folder cannot be listed.
        """
        stamps = {}
        with suppress(FileNotFoundError), os.scandir(self.folder) as entries:
            for entry in entries:
                if entry.name.endswith(_SUFFIX):
                    with suppress(FileNotFoundError):
                        stamps[entry.name] = _stamp(entry.stat())
        return stamps

    def read(self, file_name: str) -> tuple[str, RunNotes]:
        """Return the name of a run and its notes.

        Raises:
            OSError: the file cannot be read.
            DamagedNotesError: it does not contain the notes of a run.
        """
        content = self._content(self.folder / file_name)
        run = content["run"]
        if hashed(run) + _SUFFIX != file_name:
            raise DamagedNotesError(f"it contains the notes on run {run!r}, whose file has another name")
        return run, _notes(content)

    def change(self, run: str, changes: Mapping[str, Any]) -> RunNotes:
        """Replace fields of the notes of a run; return all its notes.

        Fields that this version does not know are preserved. A damaged file is kept under another name.

        Raises:
            OSError: the folder cannot be written; TimeoutError: another server holds the lock for seconds.
        """
        with self._locked():
            return self._change(run, lambda _: changes)

    def change_many(self, changes: Sequence[tuple[str, Change]]) -> dict[str, str]:
        """Change the notes of many runs, each of them wholly or not at all; see change().

        Returns:
            By the names of the runs whose notes are as before: why.
        """
        problems: dict[str, str] = {}
        for start in range(0, len(changes), _RUNS_AT_ONCE):
            part = changes[start : start + _RUNS_AT_ONCE]
            try:
                with self._locked():
                    for run, change in part:
                        try:
                            self._change(run, change)
                        except (OSError, ValueError) as error:
                            problems[run] = reason_of(error)
            except OSError as error:  # The folder cannot be locked.
                problems |= {run: reason_of(error) for run, _ in part}
        return problems

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            self._lock.acquire()
        except Timeout:
            raise TimeoutError(errno.ETIMEDOUT, "another server has locked it") from None
        try:
            yield
        finally:
            self._lock.release()

    def _change(self, run: str, change: Change) -> RunNotes:
        self._write_logdir()
        path = self.folder / (hashed(run) + _SUFFIX)
        try:
            content = self._content(path)
            old = _notes(content)
        except FileNotFoundError:
            content, old = {}, NO_NOTES
        except DamagedNotesError:
            path.replace(path.with_suffix(".damaged"))
            content, old = {}, NO_NOTES
        changes = change(old)
        if all(getattr(old, name) == value for name, value in changes.items()):
            return old
        content = {"run": run, **content, **changes}
        notes = _notes(content)
        if notes == NO_NOTES and content.keys() <= {"run", *RunNotes.model_fields}:
            path.unlink(missing_ok=True)
        else:
            self._write(path, orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        return notes

    def _content(self, path: Path) -> dict[str, Any]:
        with path.open("rb") as file:
            encoded = file.read(_LARGEST_FILE + 1)
        try:
            content = orjson.loads(encoded) if len(encoded) <= _LARGEST_FILE else None
        except orjson.JSONDecodeError as error:
            raise DamagedNotesError(f"it is not JSON: {error}") from None
        if not isinstance(content, dict) or not isinstance(content.get("run"), str):
            raise DamagedNotesError("it does not name a run")
        return content

    def _write_logdir(self) -> None:
        """Write the path of the logdir, for people who inspect the folder."""
        path = self.folder / "logdir.txt"
        if not path.exists():
            self._write(path, os.fsencode(self._logdir) + b"\n")

    def _write(self, path: Path, content: bytes) -> None:
        """Replace a file atomically, even if the system crashes."""
        part_file = self.folder / _PART_FILE
        with part_file.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part_file.replace(path)


def _notes(content: Mapping[str, Any]) -> RunNotes:
    try:
        return RunNotes.model_validate(content)
    except ValidationError as error:
        (first, *_) = error.errors()
        raise DamagedNotesError(f"its {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_ino, status.st_mtime_ns, status.st_size)
