"""Loads a logdir for questions: once, or as it grows."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from toposcope.server.data_files.data_folder import data_files, default_data_folder
from toposcope.server.formats.formats import choose
from toposcope.server.loading.logdir import Logdir
from toposcope.server.notes.notes import Notes
from toposcope.server.notes.notes_folder import LARGEST_FILE, NotesFolder
from toposcope.server.places.addresses import place_of, text_of
from toposcope.server.questions.opening.opened import Opened, Runs
from toposcope.server.reading.index.index import open_index

_FOLLOWED_SECONDS = 5.0
_LOADING_SECONDS = 60.0
_POLL_SECONDS = 0.02


class Places(NamedTuple):
    """Where the logdir is, and what is known of it."""

    logdir: str | dict[str, str]
    """A directory or an address; or several, by name."""
    index_dir: str | None = None
    """Directory or address of the index; None: the user's own."""
    data_dir: str | None = None
    """Directory or address of the notes; None: the user's own."""
    follow_links: bool = False
    formats: str = "all"
    """Names of the formats of other tools that are read too, as --formats takes them."""


@contextmanager
def loaded(places: Places) -> Iterator[tuple[Opened, Mapping[str, str]]]:
    """Load a logdir once, and bring the index up to date afterwards; give it and what could not be read, with reasons.

    Raises:
        ModuleNotFoundError: an object store needs obstore, which is not installed.
        OSError: the logdir does not exist.
        ValueError: an address is not valid.
    """
    logdir = _logdir(places, 0.0)
    logdir.step()
    if not logdir.snapshot.exists:
        raise FileNotFoundError(f"DIR {logdir.path!r} does not exist")
    runs = logdir.snapshot.runs
    notes = _notes(places, logdir).current().runs
    try:
        yield Opened(lambda: runs, lambda: notes), logdir.snapshot.problems
    finally:
        logdir.stop_loading()


@contextmanager
def followed(places: Places) -> Iterator[Opened]:
    """Follow a logdir; questions wait until it is loaded, for a minute at most.

    Raises:
        ModuleNotFoundError: an object store needs obstore, which is not installed.
        ValueError: an address is not valid.
    """
    logdir = _logdir(places, _FOLLOWED_SECONDS)
    notes = _notes(places, logdir)
    logdir.start()
    try:
        yield Opened(lambda: _loaded_runs(logdir), lambda: notes.current().runs)
    finally:
        logdir.stop()


def _loaded_runs(logdir: Logdir) -> Runs:
    ends = time.monotonic() + _LOADING_SECONDS
    while logdir.snapshot.loading and time.monotonic() < ends:
        time.sleep(_POLL_SECONDS)
    return logdir.snapshot.runs


def _logdir(places: Places, reload_seconds: float) -> Logdir:
    place = place_of(places.logdir, follow_links=places.follow_links)
    return Logdir(text_of(places.logdir), reload_seconds, open_index(places.index_dir), place, choose(places.formats))


def _notes(places: Places, logdir: Logdir) -> Notes:
    folder = places.data_dir or default_data_folder()
    files = data_files(folder, "notes", logdir.path, LARGEST_FILE)
    return Notes(NotesFolder(files), lambda: logdir.snapshot.revision)
