"""What notes may contain, and changes of them."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from toposcope.server.notes.run_notes import RunNotes

LARGEST_NOTE = 64 << 10
"""Bytes in UTF-8."""
LONGEST_ALIAS = 200
LONGEST_LABEL = 100
MAX_LABELS = 100
_CONTROLS = r"[\x00-\x1f\x7f-\x9f\u2028\u2029]"
"""Including line and paragraph separators, which Unicode does not count as control characters."""


def _line(text: str) -> str:
    """Return one line of text without surrounding spaces."""
    if re.search(_CONTROLS, text):
        raise ValueError("expected one line of text without control characters")
    return text.strip()


def _alias(alias: str | None) -> str | None:
    return (_line(alias) or None) if alias is not None else None


def _note(note: str) -> str:
    if (size := len(note.encode())) > LARGEST_NOTE:
        raise ValueError(f"expected at most {LARGEST_NOTE} bytes of UTF-8, found {size}")
    return note


def _labels(labels: list[str]) -> list[str]:
    lines = map(_line, labels)
    return list(dict.fromkeys(line for line in lines if line))


_ONE_LINE = {"pattern": rf"^[^{_CONTROLS[1:-1]}]*$"}
_Alias = Annotated[
    Annotated[str, Field(max_length=LONGEST_ALIAS, json_schema_extra=_ONE_LINE)] | None, AfterValidator(_alias)
]
_Note = Annotated[str, Field(max_length=LARGEST_NOTE), AfterValidator(_note)]
_Label = Annotated[str, Field(max_length=LONGEST_LABEL, json_schema_extra=_ONE_LINE)]
_Labels = Annotated[list[_Label], Field(max_length=MAX_LABELS), AfterValidator(_labels)]
_Colour = Annotated[
    Annotated[str, Field(pattern=r"^#[0-9A-Fa-f]{6}$"), AfterValidator(str.lower)] | None,
    Field(description="#rrggbb; null: the page chooses"),
]


class NotesFields(BaseModel):
    """What users noted about one run."""

    model_config = ConfigDict(strict=True)

    alias: _Alias = Field(default=None, description="displayed instead of its name, one line; null: none")
    note: _Note = Field(default="", description="Markdown; at most 65536 bytes of UTF-8")
    labels: _Labels = Field(default=[], description="one line each; blank and repeated ones are dropped")
    colour: _Colour = None
    hidden: bool = Field(default=False, description="whether its curves are hidden")
    archived: bool = Field(default=False, description="whether it is listed only on request")


class NotesChange(NotesFields):
    """A change of the notes of a run: the fields that are present replace the old ones, the others are kept."""

    model_config = ConfigDict(extra="forbid")

    def changes(self) -> dict[str, Any]:
        """Return the fields that are present."""
        return self.model_dump(exclude_unset=True)


class NotesEdit(NotesChange):
    """A change of the notes of many runs: labels are added to and removed from those that each run has."""

    add_labels: _Labels = Field(default=[], description="labels that each run gets; one line each")
    remove_labels: _Labels = Field(default=[], description="labels that no run keeps")

    def changes_of(self, notes: RunNotes) -> dict[str, Any]:
        """Return the fields that change in the notes of a run.

        Raises:
            ValueError: the run would have too many labels.
        """
        changes = self.model_dump(exclude_unset=True, exclude={"add_labels", "remove_labels"})
        if self.add_labels or self.remove_labels:
            old = changes.get("labels", notes.labels)
            labels = [label for label in dict.fromkeys([*old, *self.add_labels]) if label not in self.remove_labels]
            if len(labels) > MAX_LABELS:
                raise ValueError(f"the run would have {len(labels)} labels: expected at most {MAX_LABELS}")
            changes["labels"] = labels
        return changes
