"""The formats that are read: the built-in ones, those of installed packages, and which of them the user chose."""

import functools
import importlib.metadata
import logging
import os
import re
from collections.abc import Iterable, Iterator, Sequence

from toposcope.server.formats.format import HEAD_BYTES, Candidate, Format, Source
from toposcope.server.places.place import Entry, Place, Status, reason_of

ENTRY_POINTS = "toposcope.readers"
_NO_NAME = re.compile(r"(?!)")

log = logging.getLogger(__name__)


class Formats:
    """Finds the sources of some formats; remembers which files are none. Not thread-safe.

    Args:
        formats: the first one that takes a file has it. Iterated when there is a file to examine: to import the
            built-in ones and to look for others takes longer than to read a small logdir.
    """

    def __init__(self, formats: Iterable[Format]) -> None:
        self._given = formats
        self._known: dict[str, tuple[Status, Source | str]] = {}
        """The files that were examined, with the status that they had then; a text says why one is no source."""

    @functools.cached_property
    def _formats(self) -> dict[str, Format]:
        return {each.name: each for each in self._given}

    @functools.cached_property
    def _names(self) -> re.Pattern[str]:
        patterns = [f"(?:{each.names.pattern})" for each in self._formats.values()]
        return re.compile("|".join(patterns)) if patterns else _NO_NAME

    def __getitem__(self, name: str) -> Format:
        return self._formats[name]

    @property
    def refused(self) -> dict[str, str]:
        """Why files that have the name of a log are none: the ends of sentences, by path."""
        return {path: found for path, (_, found) in self._known.items() if isinstance(found, str)}

    def find(self, directory: str, run: str, entries: Sequence[Entry], place: Place) -> list[Source]:
        """Return the sources in a directory.

        Args:
            directory: its path.
            run: the same, relative to the logdir.
            entries: the files in it, of which some are no event files.
            place: where it lies.
        """
        matches = self._names.search
        # In an object store, which knows no inodes, each would take a request.
        named = [entry for entry in entries if entry.status and entry.status.inode and matches(entry.name)]
        if not named:
            return []
        siblings = [entry.name for entry in entries]
        found = (self._examine(entry, directory, run, siblings, place) for entry in named)
        return [source for source in found if isinstance(source, Source)]

    def find_one(self, path: str, run: str, place: Place) -> list[Source]:
        """Return the source that one file is; nothing if it is none.

        Args:
            path: of the file.
            run: its directory, relative to the logdir.
            place: where it lies.

        Raises:
            OSError: its directory cannot be listed.
        """
        directory, name = os.path.split(path)
        if self._names.search(name) is None:
            return []
        listed = place.list(directory).entries
        siblings = [entry.name for entry in listed if entry.status is not None]
        named = [entry for entry in listed if entry.name == name and entry.status]
        found = (self._examine(entry, directory, run, siblings, place) for entry in named)
        return [source for source in found if isinstance(source, Source)]

    def _examine(
        self, entry: Entry, directory: str, run: str, siblings: Sequence[str], place: Place
    ) -> Source | str | None:
        """Return the source that a file is, or why it is none; None if it cannot be read at present."""
        status = entry.status
        assert status is not None
        known = self._known.get(entry.path)
        if known is not None and _says_the_same(known[0], status):
            source = known[1]
            return source if isinstance(source, str) else source._replace(modified=status.modified)
        candidate = Candidate(entry.path, entry.name, directory, run, status, siblings, place)
        try:
            source = self._source(candidate)
        except OSError as error:  # Another walk tries again.
            log.warning("cannot look at %s: %s", entry.path, reason_of(error))
            return None
        self._known[entry.path] = (status, source)
        return source

    def _source(self, candidate: Candidate) -> Source | str:
        refusals = []
        for each in self._formats.values():
            if each.names.search(candidate.name):
                found = each.examine(candidate)
                if isinstance(found, Source):
                    return found
                refusals.append(f"{each.name}: {found}")
        return "; ".join(refusals)


def _says_the_same(old: Status, new: Status) -> bool:
    """Return whether a file that was examined needs not be examined again: what has grown has the same beginning."""
    if old.inode != new.inode or new.size < old.size:
        return False
    return new == old or old.size >= HEAD_BYTES


@functools.cache
def available() -> dict[str, Format]:
    """Return all formats by name: the built-in ones, then those of installed packages."""
    from toposcope.server.formats.mlflow.database import MLFLOW_DATABASE
    from toposcope.server.formats.mlflow.folders import MLFLOW_FOLDERS
    from toposcope.server.formats.projector.projector import PROJECTOR_LIST
    from toposcope.server.formats.sacred.sacred import SACRED
    from toposcope.server.formats.swanlab.swanlab import SWANLAB
    from toposcope.server.formats.tables.tables import TABLES
    from toposcope.server.formats.trackio.trackio import TRACKIO
    from toposcope.server.formats.trainer_state.trainer_state import TRAINER_STATE
    from toposcope.server.formats.wandb.wandb import WANDB

    formats: dict[str, Format] = {
        each.name: each
        for each in (
            *(WANDB, SWANLAB, MLFLOW_DATABASE, MLFLOW_FOLDERS, TRACKIO, TRAINER_STATE, SACRED, PROJECTOR_LIST),
            *TABLES,
        )
    }
    for entry_point in importlib.metadata.entry_points(group=ENTRY_POINTS):
        try:
            loaded: Format = entry_point.load()
            formats.setdefault(loaded.name, loaded)
        except Exception as error:  # Whatever another package does, the server starts.
            log.warning("the format %s cannot be loaded: %r", entry_point.name, error)
    return formats


def choose(text: str = "all") -> Formats:
    """Return the formats that a text names: "all", "none" or names separated by commas.

    Raises:
        ValueError: a name is not that of a format.
    """
    if text == "none":
        return Formats(())
    if text == "all":
        return Formats(_all())
    formats = available()
    names = text.split(",")
    for name in names:
        if name not in formats:
            raise ValueError(f"unknown format {name!r}: expected all, none, or some of {', '.join(formats)}")
    return Formats(formats[name] for name in names)


def _all() -> Iterator[Format]:
    yield from available().values()
