"""The notes on one run, as plain data."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class RunNotes:
    """What users noted about one run; NotesFields of notes_change.py says what the fields may contain."""

    alias: str | None = None
    note: str = ""
    labels: list[str] = field(default_factory=list)
    colour: str | None = None
    hidden: bool = False
    archived: bool = False

    def values(self) -> dict[str, Any]:
        """Return the fields, by name."""
        return dataclasses.asdict(self)


NO_NOTES = RunNotes()
