"""The notes on the runs of one logdir on disk: one file a run.

A file contains the name of its run and the fields of its notes; its own name is the hash of the run's name. A run
without notes has no file: a change that leaves a run without notes deletes it, nothing else does.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from toposcope.server.data_files.data_folder import hashed
from toposcope.server.data_files.json_folder import SUFFIX, DamagedFileError, JsonFolder
from toposcope.server.notes.run_notes import NO_NOTES, RunNotes
from toposcope.server.places.place import reason_of

_LARGEST_FILE = 1 << 20
_RUNS_AT_ONCE = 100
"""Changed while the lock is held: other servers wait for it only for seconds."""
Change = Callable[[RunNotes], Mapping[str, Any]]
"""Returns the fields of the notes of a run that are replaced."""


class NotesFolder:
    """Reads and changes the notes. Thread-safe; several servers may use the same folder.

    Args:
        folder: is created with the first change.
        logdir: contains the runs; its path is written to the folder for people who inspect it.
    """

    def __init__(self, folder: Path, logdir: str) -> None:
        self.files = JsonFolder(folder, logdir, _LARGEST_FILE)

    def read(self, file_name: str) -> tuple[str, RunNotes]:
        """Return the name of a run and its notes.

        Raises:
            OSError: the file cannot be read.
            DamagedFileError: it does not contain the notes of a run.
        """
        content = self._content(file_name)
        run = content["run"]
        if hashed(run) + SUFFIX != file_name:
            raise DamagedFileError(f"it contains the notes on run {run!r}, whose file has another name")
        return run, _notes(content)

    def change(self, run: str, changes: Mapping[str, Any]) -> RunNotes:
        """Replace fields of the notes of a run; return all its notes.

        Fields that this version does not know are preserved. A damaged file is kept under another name.

        Raises:
            OSError: the folder cannot be written; TimeoutError: another server holds the lock for seconds.
        """
        with self.files.locked():
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
                with self.files.locked():
                    for run, change in part:
                        try:
                            self._change(run, change)
                        except (OSError, ValueError) as error:
                            problems[run] = reason_of(error)
            except OSError as error:  # The folder cannot be locked.
                problems |= {run: reason_of(error) for run, _ in part}
        return problems

    def _change(self, run: str, change: Change) -> RunNotes:
        name = hashed(run) + SUFFIX
        try:
            content = self._content(name)
            old = _notes(content)
        except FileNotFoundError:
            content, old = {}, NO_NOTES
        except DamagedFileError:
            self.files.set_aside(name)
            content, old = {}, NO_NOTES
        changes = change(old)
        if all(getattr(old, field) == value for field, value in changes.items()):
            return old
        content = {"run": run, **content, **changes}
        notes = _notes(content)
        if notes == NO_NOTES and content.keys() <= {"run", *RunNotes.model_fields}:
            self.files.delete(name)
        else:
            self.files.write(name, content)
        return notes

    def _content(self, file_name: str) -> dict[str, Any]:
        content = self.files.read(file_name)
        if not isinstance(content.get("run"), str):
            raise DamagedFileError("it does not name a run")
        return content


def _notes(content: Mapping[str, Any]) -> RunNotes:
    try:
        return RunNotes.model_validate(content)
    except ValidationError as error:
        (first, *_) = error.errors()
        raise DamagedFileError(f"its {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
