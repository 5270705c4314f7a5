"""The notes on the runs of a logdir, kept up to date when this or another server changes them."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from toposcope.server.data_files.watching.watched_files import WatchedFiles
from toposcope.server.notes.notes_folder import Change, NotesFolder
from toposcope.server.notes.run_notes import NO_NOTES, RunNotes

_NEVER = 2**63

MAX_TOGETHER = 16 << 20
"""Characters of the notes on all runs: each page loads them."""

Subscriber = Callable[[list[str]], None]


class TooLongTogetherError(ValueError):
    """The notes on all runs would be too long."""


class NotesSnapshot(NamedTuple):
    """All notes at some moment; never changes."""

    revision: int
    """Increases with each change that this server noticed."""
    changed_at: int
    """Revision of the logdir at the last change."""
    runs: Mapping[str, RunNotes]
    """The notes, by run, sorted; including runs that no longer exist."""
    problems: list[str]
    """The reasons why notes could not be read, one sentence each."""


class Notes:
    """Watches a folder and publishes by replacing one reference.

    Args:
        folder: contains the notes.
        revision: returns the revision of the logdir.
    """

    def __init__(self, folder: NotesFolder, revision: Callable[[], int]) -> None:
        self._folder = folder
        self._revision = revision
        self._length = 0
        """Characters of all notes."""
        self._snapshot = NotesSnapshot(0, -1, MappingProxyType({}), [])
        self._files = WatchedFiles("notes", folder.files, folder.read, self._publish)

    @property
    def path(self) -> str:
        """The folder."""
        return self._files.path

    def start(self, subscriber: Subscriber) -> None:
        """Start watching; subscriber is called, in any thread, with the runs whose notes changed."""
        self._files.start(subscriber)

    def stop(self) -> None:
        """Stop watching; returns when the thread has ended."""
        self._files.stop()

    def current(self) -> NotesSnapshot:
        """Return all notes as they are now."""
        self._files.look()
        return self._snapshot

    def change(self, run: str, changes: Mapping[str, Any]) -> RunNotes:
        """Replace fields of the notes of a run; return all its notes.

        Raises:
            OSError: the folder cannot be written.
            TooLongTogetherError: the notes on all runs would be too long.
        """
        old = self._snapshot.runs.get(run, NO_NOTES)
        self._check_growth(old, changes, 0)
        notes = self._folder.change(run, changes)
        self._files.refresh(is_changed=True)
        return notes

    def change_many(self, changes: Sequence[tuple[str, Change]]) -> dict[str, str]:
        """Change the notes of many runs; return why some could not be changed, by run. See NotesFolder."""
        accepted: list[tuple[str, Change]] = []
        problems: dict[str, str] = {}
        growth = 0
        for run, change in changes:
            old = self._snapshot.runs.get(run, NO_NOTES)
            try:
                growth += self._check_growth(old, change(old), growth)
                accepted.append((run, change))
            except ValueError as error:
                problems[run] = str(error)
        problems |= self._folder.change_many(accepted)
        self._files.refresh(is_changed=True)
        return problems

    def _check_growth(self, old: RunNotes, changes: Mapping[str, Any], before: int) -> int:
        """Return by how many characters a change makes a note longer.

        Args:
            old: the notes on the run.
            changes: of its fields.
            before: by how many characters other changes make notes longer.

        Raises:
            TooLongTogetherError: the notes on all runs would be too long.
        """
        growth = len(changes.get("note", old.note)) - len(old.note)
        if growth > 0 and self._length + before + growth > MAX_TOGETHER:
            raise TooLongTogetherError(f"the notes on all runs would have more than {MAX_TOGETHER:,} characters")
        return growth

    def _publish(self, entries: list[tuple[str, RunNotes]], problems: list[str]) -> list[str]:
        old = self._snapshot
        runs = dict(sorted(entries, key=lambda entry: entry[0]))
        self._length = sum(len(notes.note) for notes in runs.values())
        changed = sorted(run for run in old.runs.keys() | runs.keys() if old.runs.get(run) != runs.get(run))
        if changed or problems != old.problems:
            new = NotesSnapshot(old.revision + 1, _NEVER, MappingProxyType(runs), problems)
            # First without a revision of the logdir, as one published meanwhile may be served without this change.
            self._snapshot = new
            self._snapshot = new._replace(changed_at=self._revision())
        return changed
