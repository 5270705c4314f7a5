"""The notes on the runs of one logdir on disk: a file for each run, replaced by rename under a lock.

A file says the name of its run and holds the fields of its notes; its own name is the hash of the run's. A run without
notes has no file. Nothing here is ever deleted but by a change that leaves a run without notes.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from pydantic import ValidationError

from toposcope.server.notes.data_folder import hashed
from toposcope.server.notes.folder_lock import locked
from toposcope.server.notes.run_notes import NO_NOTES, RunNotes

_SUFFIX = ".json"
_DRAFT = "draft"
"""Only the holder of the lock writes it, so one that a crash left behind is overwritten."""
_LARGEST_FILE = 1 << 20


class DamagedNotesError(ValueError):
    """A file that does not hold the notes of a run."""


class Stamp(NamedTuple):
    """What tells that a file was replaced."""

    inode: int
    modified: int
    size: int


class NotesFolder:
    """Safe for threads, and for other servers that use the folder too.

    Args:
        folder: is made with the first change.
        logdir: whose runs the notes are on; stands in the folder for people who look at it.
    """

    def __init__(self, folder: Path, logdir: str) -> None:
        self.folder = folder
        self._logdir = logdir

    def stamps(self) -> dict[str, Stamp]:
        """Return the files there are, by name; none when there is no folder.

        Raises:
            OSError: the folder cannot be listed.
        """
        found = {}
        with suppress(FileNotFoundError), os.scandir(self.folder) as entries:
            for entry in entries:
                if entry.name.endswith(_SUFFIX):
                    with suppress(FileNotFoundError):
                        found[entry.name] = _stamp(entry.stat())
        return found

    def read(self, file_name: str) -> tuple[str, RunNotes]:
        """Return the name of a run and its notes.

        Raises:
            OSError: the file cannot be read.
            DamagedNotesError: it does not hold the notes of a run.
        """
        content = self._content(self.folder / file_name)
        run = content["run"]
        if hashed(run) + _SUFFIX != file_name:
            raise DamagedNotesError(f"it is on the run {run!r}, whose file would have another name")
        return run, _notes(content)

    def change(self, run: str, changes: Mapping[str, Any]) -> RunNotes:
        """Replace fields of the notes of a run by others; return all its notes.

        What stands in the file that this version does not know stays. A damaged file is put aside.

        Raises:
            OSError: the folder cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / (hashed(run) + _SUFFIX)
        with locked(self.folder):
            self._tell_logdir()
            try:
                content = self._content(path)
                _notes(content)
            except FileNotFoundError:
                content = {}
            except DamagedNotesError:
                path.replace(path.with_suffix(".damaged"))
                content = {}
            content = {"run": run, **content, **changes}
            notes = _notes(content)
            if notes == NO_NOTES and content.keys() <= {"run", *RunNotes.model_fields}:
                path.unlink(missing_ok=True)
            else:
                self._write(path, orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        return notes

    def _content(self, path: Path) -> dict[str, Any]:
        with path.open("rb") as opened:
            encoded = opened.read(_LARGEST_FILE + 1)
        try:
            content = orjson.loads(encoded) if len(encoded) <= _LARGEST_FILE else None
        except orjson.JSONDecodeError as error:
            raise DamagedNotesError(f"it is no JSON: {error}") from None
        if not isinstance(content, dict) or not isinstance(content.get("run"), str):
            raise DamagedNotesError("it does not name a run")
        return content

    def _tell_logdir(self) -> None:
        """Say, for people, which logdir the folder is on."""
        path = self.folder / "logdir.txt"
        if not path.exists():
            self._write(path, os.fsencode(self._logdir) + b"\n")

    def _write(self, path: Path, content: bytes) -> None:
        """Replace a file; after a crash it is there as it was or as it is."""
        draft = self.folder / _DRAFT
        with draft.open("wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        draft.replace(path)


def _notes(content: Mapping[str, Any]) -> RunNotes:
    try:
        return RunNotes.model_validate(content)
    except ValidationError as error:
        (first, *_) = error.errors()
        raise DamagedNotesError(f"its {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_ino, status.st_mtime_ns, status.st_size)
