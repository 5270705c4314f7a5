"""All runs of a logdir, or the run of one event file, loaded at once, for those who do not wait for more."""

import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

from toposcope.server.loading.discovery import FoundFile, discover, find
from toposcope.server.reading.event_file import WORKERS, EventFile
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.index import Index
from toposcope.server.runs.run import RunView

NO_EVENT_FILE = "no event file by its name: expected one with summary.SECONDS or tfevents in it"
_BUDGET_BYTES = 64 << 20
_REVISION = 1


class Loaded(NamedTuple):
    """What is known of a logdir at the moment it was loaded; never changes."""

    runs: Mapping[str, RunView]
    """In the order of their names; those whose files hold no complete record yet are missing."""
    files: list[FoundFile]
    """All event files."""
    ignored_files: int
    """Files that are no event files by their names or their kind."""
    problems: Mapping[str, str]
    """Files and directories that could not be read, with the reason."""


def load_logdir(logdir: str, index: Index | None = None, verify: bool = False) -> Loaded:
    """Load all runs of a logdir on all cores; no thread of its own is left.

    Args:
        logdir: a directory; one that is missing holds nothing.
        index: what was loaded before; None: everything is read, and nothing is kept.
        verify: whether to verify records too large to be verified while they are loaded, too.
    """
    root = os.path.realpath(logdir)
    found = discover(root)
    return _load(found.files, found.ignored_files, found.problems, index, verify)


def load_file(path: str, verify: bool = False) -> Loaded:
    """Load one event file as the only one of a run ".".

    Args:
        path: of the event file.
        verify: as for load_logdir.

    Raises:
        ValueError: there is no regular file, or it is no event file by its name.
    """
    found = find(os.path.dirname(os.path.realpath(path)), os.path.realpath(path))
    if found is None:
        raise ValueError(f"{path!r} is {NO_EVENT_FILE}")
    return _load([found], 0, {}, None, verify)


def _load(
    files: list[FoundFile], ignored_files: int, problems: Mapping[str, str], index: Index | None, verify: bool
) -> Loaded:
    # The largest first: they take longest.
    order = sorted(files, key=lambda found: -found.status.st_size)
    with ThreadPoolExecutor(WORKERS, "toposcope-load") as pool:
        read = dict(zip([found.path for found in order], pool.map(partial(_read, index, verify), order), strict=True))
    views = {path: view for path, view in read.items() if not isinstance(view, str)}
    failed = {path: reason for path, reason in read.items() if isinstance(reason, str)}
    return Loaded(dict(_runs(files, views)), files, ignored_files, {**problems, **failed})


def _read(index: Index | None, verify: bool, found: FoundFile) -> FileView | str | None:
    """Return what an event file holds, None when it holds no complete record yet, or why it cannot be read."""
    file = EventFile(found.path, found.name, index)
    try:
        view = _read_all(file)
        while verify and view and view.verified_large_records < view.large_records:
            file.verify(_BUDGET_BYTES)
            view = _read_all(file)
    except OSError as error:
        return error.strerror or str(error)
    file.save(is_quiet=True)
    return view


def _read_all(file: EventFile) -> FileView | None:
    # When damage was found since, this reads the file again, without the damaged records.
    while file.read(_BUDGET_BYTES):
        pass
    return file.view()


def _runs(files: Iterable[FoundFile], views: Mapping[str, FileView | None]) -> Iterator[tuple[str, RunView]]:
    by_run: dict[str, list[FileView]] = {}
    for found in files:
        view = views.get(found.path)
        if view:
            by_run.setdefault(found.run, []).append(view)
    for name in sorted(by_run):
        yield name, RunView(name, by_run[name], _REVISION, live=False)
