"""Loads all runs of a logdir, or the run of one event file, in one call."""

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

from toposcope.server.formats.format import Source
from toposcope.server.formats.formats import Formats, choose
from toposcope.server.loading.finding.discovery import Discovery, FoundFile, discover, find, find_sources
from toposcope.server.loading.translations import Translations
from toposcope.server.places.addresses import place_of, text_of
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.places.place import Place, reason_of
from toposcope.server.reading.declared_plugins import DeclaredPlugins
from toposcope.server.reading.event_file import EventFile, first_offset
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.index.index import Index
from toposcope.server.reading.windows.parallel_read import WORKERS
from toposcope.server.runs.folding import fold_all
from toposcope.server.runs.run import RunView

NO_EVENT_FILE = "not an event file: expected a file name that contains summary.SECONDS or tfevents"
_BUDGET_BYTES = 64 << 20
_REVISION = 1


class Loaded(NamedTuple):
    """The runs of a logdir at the time it was loaded; never changes."""

    runs: Mapping[str, RunView]
    """The runs, by name, sorted; without runs whose files do not contain a complete record yet."""
    files: list[FoundFile]
    """All event files."""
    ignored_files: int
    """Files that are not event files according to their names or types."""
    problems: Mapping[str, str]
    """The reasons why files and directories could not be read, by path."""
    sources: Sequence[Source] = ()
    """Logs in other formats."""


def load_logdir(
    logdir: str | Mapping[str, str],
    index: Index | None = None,
    verify: bool = False,
    *,
    follow_links: bool = False,
    formats: Formats | None = None,
) -> Loaded:
    """Load all runs of a logdir on all cores; leaves no thread running.

    Args:
        logdir: a directory, or the address of an object store, or several by name; what does not exist has no runs.
        index: what was loaded before; None: read everything, and store nothing.
        verify: whether to verify large records too.
        follow_links: whether to follow links of other users that lead out of the logdir.
        formats: other formats than event files that are read; None: all.
    """
    place = place_of(logdir, follow_links=follow_links)
    root = place.resolve(text_of(logdir))
    formats = choose() if formats is None else formats
    discovery = discover(root, place=place, formats=formats)
    files, failed = _translate(discovery, root, formats, index, place)
    problems = {**discovery.unfollowed, **discovery.unlisted, **failed}
    loaded = _load([*discovery.files, *files], discovery.ignored_files, problems, index, verify, place)
    return loaded._replace(sources=discovery.sources)


def _translate(
    discovery: Discovery, root: str, formats: Formats, index: Index | None, place: Place
) -> tuple[list[FoundFile], dict[str, str]]:
    """Return (the event files that logs in other formats are translated into, the reasons why some cannot be)."""
    translations = Translations(formats, place, None if index is None else index.translations)
    try:
        translations.replace(discovery.sources, {}, root)
        for _ in translations.advance(math.inf):
            pass
        return list(translations.files), {**translations.damage, **translations.problems}
    finally:
        translations.close()


def load_file(path: str, verify: bool = False, *, formats: Formats | None = None) -> Loaded:
    """Load one event file as the only one of a run ".", or one log in another format.

    Args:
        path: of the file.
        verify: as for load_logdir.
        formats: as for load_logdir.

    Raises:
        ValueError: it is not a regular file, or neither an event file according to its name nor a log.
        OSError: its status is not available.
    """
    directory, name = os.path.split(os.path.realpath(path))
    file = find(directory, os.path.join(directory, name))
    if file is not None:
        return _load([file], 0, {}, None, verify, UNCHECKED)
    formats = choose() if formats is None else formats
    sources = (
        find_sources(directory, os.path.join(directory, name), UNCHECKED, formats) if os.path.isdir(directory) else []
    )
    if not sources:
        why = "; ".join(formats.refused.values())
        raise ValueError(f"{path!r} is {NO_EVENT_FILE}{why and f'; nor a log in another format: {why}'}")
    discovery = Discovery([], 0, {}, {}, 0, False, sources)
    files, failed = _translate(discovery, directory, formats, None, UNCHECKED)
    return _load(files, 0, failed, None, verify, UNCHECKED)._replace(sources=sources)


def _load(
    files: list[FoundFile],
    ignored_files: int,
    problems: Mapping[str, str],
    index: Index | None,
    verify: bool,
    place: Place,
) -> Loaded:
    # The largest first, as they take longest.
    order = sorted(files, key=lambda file: -file.status.size)
    declared = {file.run: DeclaredPlugins() for file in files}
    opened = {file.path: EventFile(file.path, file.name, index, declared[file.run], place) for file in order}
    place.expect((file.path, first_offset(_indexed_bytes(index, file), file.status.size)) for file in order)
    with ThreadPoolExecutor(WORKERS, "toposcope-load") as pool:
        read = dict(zip(opened, pool.map(partial(_read, verify), opened.values()), strict=True))
    for file in opened.values():
        file.declare()
    for path in (path for each in declared.values() for path in each.take_contradicted()):
        opened[path].start_over()
        read[path] = _read(verify, opened[path])
    views = {path: view for path, view in read.items() if not isinstance(view, str)}
    failed = {path: reason for path, reason in read.items() if isinstance(reason, str)}
    return Loaded(dict(_runs(files, views)), files, ignored_files, {**problems, **failed})


def _indexed_bytes(index: Index | None, file: FoundFile) -> int:
    return 0 if index is None else index.read_bytes(file.path)


def _read(verify: bool, file: EventFile) -> FileView | str | None:
    """Return the view of an event file, None if it has no complete record yet, or the reason why it cannot be read."""
    try:
        view = _read_all(file)
        while verify and view and view.verified_large_records < view.large_records:
            file.verify(_BUDGET_BYTES)
            view = _read_all(file)
    except OSError as error:
        return reason_of(error)
    file.save(is_quiet=True)
    return view


def _read_all(file: EventFile) -> FileView | None:
    # If verification found damage, this reads the file again, without the damaged records.
    while file.read(_BUDGET_BYTES):
        pass
    return file.view()


def _runs(files: Iterable[FoundFile], views: Mapping[str, FileView | None]) -> Iterator[tuple[str, RunView]]:
    by_run: dict[str, list[FileView]] = {}
    for file in files:
        view = views.get(file.path)
        if view:
            by_run.setdefault(file.run, []).append(view)
    folded = fold_all(by_run)
    for name in sorted(folded):
        yield name, RunView(name, folded[name], _REVISION, live=False)
