"""The notes on the runs of one logdir: one file a run.

A file contains the name of its run and the fields of its notes; its own name is the hash of the run's name. A run
without notes has no file: a change that leaves a run without notes deletes it, nothing else does.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toposcope.server.data_files.data_folder import hashed
from toposcope.server.data_files.json_files import SUFFIX, Content, DamagedFileError, JsonFiles
from toposcope.server.notes.run_notes import NO_NOTES, RunNotes
from toposcope.server.places.place import reason_of

LARGEST_FILE = 1 << 20
Change = Callable[[RunNotes], Mapping[str, Any]]
"""Returns the fields of the notes of a run that are replaced."""


class NotesFolder:
    """Reads and changes the notes. Thread-safe; several servers may use the same folder."""

    def __init__(self, files: JsonFiles) -> None:
        self.files = files

    def read(self, file_name: str) -> tuple[str, RunNotes]:
        """Return the name of a run and its notes.

        Raises:
            OSError: the file cannot be read.
            DamagedFileError: it does not contain the notes of a run.
        """
        run, notes = _run_and_notes(self.files.read(file_name))
        if hashed(run) + SUFFIX != file_name:
            raise DamagedFileError(f"it contains the notes on run {run!r}, whose file has another name")
        return run, notes

    def change(self, run: str, changes: Mapping[str, Any]) -> RunNotes:
        """Replace fields of the notes of a run; return all its notes.

        Fields that this version does not know are preserved. A damaged file is kept under another name.

        Raises:
            OSError: the folder cannot be written; TimeoutError: another server holds the lock for seconds.
        """
        edit = _Edit(run, lambda _: changes)
        self.files.update(hashed(run) + SUFFIX, edit)
        return edit.notes

    def change_many(self, changes: Sequence[tuple[str, Change]]) -> dict[str, str]:
        """Change the notes of many runs, each of them wholly or not at all; see change().

        Returns:
            By the names of the runs whose notes are as before: why.
        """
        names = {hashed(run) + SUFFIX: run for run, _ in changes}
        edits = [(hashed(run) + SUFFIX, _Edit(run, change)) for run, change in changes]
        return {names[name]: reason_of(error) for name, error in self.files.update_many(edits).items()}


class _Edit:
    """A change of the notes of a run, as one of the content of its file."""

    def __init__(self, run: str, change: Change) -> None:
        self.notes = NO_NOTES
        """After the change."""
        self._run = run
        self._change = change

    def __call__(self, content: Content | None) -> Content | None:
        """Return the content after the change.

        Raises:
            DamagedFileError: the content is not that of notes.
        """
        old = NO_NOTES if content is None else _run_and_notes(content)[1]
        changes = self._change(old)
        self.notes = old
        if all(getattr(old, field) == value for field, value in changes.items()):
            return content
        new = {"run": self._run, **(content or {}), **changes}
        self.notes = _notes(new)
        is_empty = self.notes == NO_NOTES and new.keys() <= {"run", *NO_NOTES.values()}
        return None if is_empty else new


def _run_and_notes(content: Content) -> tuple[str, RunNotes]:
    run = content.get("run")
    if not isinstance(run, str):
        raise DamagedFileError("it does not name a run")
    return run, _notes(content)


def _notes(content: Mapping[str, Any]) -> RunNotes:
    # Imported with the first note: it takes a tenth of a second, which commands have not.
    from pydantic import ValidationError

    from toposcope.server.notes.notes_change import NotesFields

    try:
        return RunNotes(**NotesFields.model_validate(content).model_dump())
    except ValidationError as error:
        (first, *_) = error.errors()
        raise DamagedFileError(f"its {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
