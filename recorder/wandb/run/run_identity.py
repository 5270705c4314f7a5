"""RunIdentity: who a run is, and where it is: the properties of W&B's run that say so."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from toposcope.recorder.wandb.run.run_settings import RunSettings

NAMED_SETTINGS = ("name", "project", "entity", "group", "job_type", "tags", "notes")
"""The properties that are recorded, beside the id."""


class RunIdentity:
    """The identity of a run. Its name, notes and tags may change."""

    def __init__(self, settings: RunSettings, directory: Path, on_change: Callable[[], None]) -> None:
        """Take the settings and the directory; on_change is called after a property has changed."""
        self._settings, self._directory, self._on_change = settings, directory, on_change

    @property
    def id(self) -> str:
        """The id, which resume needs."""
        return self._settings.id

    @property
    def name(self) -> str:
        """The name; setting it does not rename the directory."""
        return self._settings.name

    @name.setter
    def name(self, name: str) -> None:
        self._set(name=str(name))

    @property
    def notes(self) -> str | None:
        """The notes."""
        return self._settings.notes

    @notes.setter
    def notes(self, notes: str | None) -> None:
        self._set(notes=notes)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags."""
        return self._settings.tags

    @tags.setter
    def tags(self, tags: Any) -> None:
        self._set(tags=tuple(map(str, tags)))

    @property
    def group(self) -> str | None:
        """The group, whose runs are in one directory."""
        return self._settings.group

    @property
    def job_type(self) -> str | None:
        """The type of the job."""
        return self._settings.job_type

    @property
    def project(self) -> str:
        """The project."""
        return self._settings.project

    @property
    def entity(self) -> str | None:
        """The user or team."""
        return self._settings.entity

    @property
    def path(self) -> str:
        """Entity, project and id, joined by "/"."""
        return "/".join(part for part in (self.entity, self.project, self.id) if part)

    @property
    def dir(self) -> str:
        """The directory of the run, in which the script may store files."""
        return str(self._directory)

    @property
    def sweep_id(self) -> None:
        """None: there are no sweeps."""
        return

    def project_name(self) -> str:
        """Return project."""
        return self.project

    def _set(self, **settings: Any) -> None:
        self._settings = self._settings._replace(**settings)
        self._on_change()
