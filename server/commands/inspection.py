"""Inspection of a logdir: the contents of its event files, with every record verified."""

import contextlib
import os
from typing import Any, NamedTuple

from toposcope.server.formats.formats import Formats, choose
from toposcope.server.installation import InstallationWarning, installation_warnings
from toposcope.server.loading.finding.discovery import FoundFile
from toposcope.server.loading.load_once import Loaded, load_file, load_logdir
from toposcope.server.reading.file_check import next_intact_header
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.recordings.run_state import RunState
from toposcope.server.runs.run import ALL, ASIDE_PLUGINS, RunView


class DamagedPlace(NamedTuple):
    """A position in an event file at which no record could be read."""

    offset: int
    reason: str
    """"payload": wrong checksum or malformed message; "length": reading resumed at the next intact header."""


class InspectedFile(NamedTuple):
    """An event file."""

    file: str
    """Its path below the directory of the run."""
    rank: int | None
    """None for files of TensorBoard, which have no rank."""
    dialect: str
    is_lineage: bool
    size: int
    """Bytes."""
    events: int
    """Intact records but heartbeats, including the version event."""
    first_step: int | None
    last_step: int | None
    first_wall_time: float | None
    """Seconds since 1970."""
    last_wall_time: float | None
    torn_bytes: int
    """Bytes after the last complete record: an incomplete one, which is normal while the file grows."""
    damage: list[DamagedPlace]


class InspectedAttempt(NamedTuple):
    """The files of one attempt of a rank."""

    rank: int
    attempt: int
    """From 1."""
    restart_step: int | None
    """The step at which it continues the previous attempt; None for the first."""
    files: list[str]


class InspectedTag(NamedTuple):
    """A tag of a run."""

    plugin: str
    tag: str
    points: int
    """Points of the lowest rank that has the tag, with attempts stitched, as the dashboard shows them."""
    first_step: int | None
    """The first step of these points, like last_step; None without points."""
    last_step: int | None
    recorded: int
    """Points of every rank and attempt."""
    ranks: list[int]


class InspectedRun(NamedTuple):
    """A run: the event files of one directory."""

    run: str
    """Its directory relative to the logdir; "." for the logdir itself."""
    state: RunState | None
    """At the time of the inspection; None if no file has a complete record."""
    dialect: str | None
    """The dialect of the first file; None if no file has a complete record."""
    started: float | None
    """When the first recording began, in seconds since 1970: the wall_time of its first event."""
    updated: float | None
    first_step: int | None
    last_step: int | None
    ranks: list[int]
    attempts: list[InspectedAttempt]
    events: int
    damaged_records: int
    files: list[InspectedFile]
    tags: list[InspectedTag]


class InspectedSource(NamedTuple):
    """A log in another format."""

    path: str
    format: str
    why: str
    """Why it was taken for this format: the end of a sentence."""


class RefusedFile(NamedTuple):
    """A file that has the name of a log in another format, but is none."""

    path: str
    why: str
    """Why each format with such names refused it."""


class Inspection(NamedTuple):
    """The object that --json prints; NaN and infinities are strings."""

    path: str
    """The path that was given on the command line."""
    damaged_records: int
    ignored_files: int
    """Files that are neither event files nor logs in other formats."""
    problems: dict[str, str]
    """Files and directories that could not be read, with the reason."""
    warnings: list[InstallationWarning]
    """Faults of the installation."""
    runs: list[InspectedRun]
    sources: list[InspectedSource]
    """Logs in other formats; the events that they were translated into are those of `runs`."""
    refused: list[RefusedFile]
    """Files that have the names of such logs, but are none; they are among `ignored_files`."""


def inspect(path: str, *, follow_links: bool = False, formats: Formats | None = None) -> Inspection:
    """Read and verify all event files below a directory, or one event file.

    Args:
        path: of the directory or file.
        follow_links: whether to follow links of other users that lead out of the directory.
        formats: other formats than event files that are read; None: all.

    Raises:
        ValueError: the name of the file is not that of an event file.
    """
    formats = choose() if formats is None else formats
    is_file = os.path.isfile(path)
    if is_file:
        loaded = load_file(path, verify=True, formats=formats)
    else:
        loaded = load_logdir(path, verify=True, follow_links=follow_links, formats=formats)
    read = {file.path for view in loaded.runs.values() for file in view.files}
    unread = [file for file in loaded.files if file.path not in read]
    names = sorted({*loaded.runs, *(file.run for file in unread)})
    runs = [_run(name, loaded, [file for file in unread if file.run == name]) for name in names]
    damaged = sum(each.damaged_records for each in runs)
    sources = [InspectedSource(source.path, source.format, source.why) for source in loaded.sources]
    refused = [RefusedFile(*each) for each in sorted(formats.refused.items())]
    warnings = list(installation_warnings())
    return Inspection(path, damaged, loaded.ignored_files, dict(loaded.problems), warnings, runs, sources, refused)


def _run(name: str, loaded: Loaded, found: list[FoundFile]) -> InspectedRun:
    view = loaded.runs.get(name)
    unread = [
        InspectedFile(
            os.path.basename(listed.path),
            listed.name.rank,
            listed.name.dialect,
            listed.name.is_lineage,
            listed.status.size,
            0,
            None,
            None,
            None,
            None,
            listed.status.size,
            [],
        )
        for listed in found
    ]
    if view is None:
        return InspectedRun(name, None, None, None, None, None, None, [], [], 0, 0, unread, [])
    files = [_file(file) for file in view.files]
    first_step, last_step = view.steps or (None, None)
    return InspectedRun(
        name,
        view.state,
        view.dialect,
        view.started,
        view.updated,
        first_step,
        last_step,
        list(view.attempts),
        _attempts(view),
        sum(file.events for file in files),
        sum(len(file.damage) for file in files),
        files + unread,
        _tags(view),
    )


def _file(file: FileView) -> InspectedFile:
    first_step, last_step = file.steps or (None, None)
    first_wall_time, last_wall_time = file.wall_times or (None, None)
    return InspectedFile(
        file.path_in_run,
        file.rank,
        file.version.dialect,
        file.is_lineage,
        file.size,
        file.counters.events,
        first_step,
        last_step,
        first_wall_time,
        last_wall_time,
        _torn_bytes(file),
        [DamagedPlace(*damage) for damage in sorted(file.damage)],
    )


def _torn_bytes(file: FileView) -> int:
    """Return the number of bytes after the last complete record; 0 if damage extends to the end of the file."""
    last = max(file.damage, default=None)
    if last is not None and last.reason == "length" and file.read_bytes < file.size:
        with contextlib.closing(file.place.open(file.path)) as opened:
            if next_intact_header(opened.read, last.offset + 1, file.size) == file.size:
                return 0
    return file.size - file.read_bytes


def _attempts(view: RunView) -> list[InspectedAttempt]:
    return [
        InspectedAttempt(rank, number, attempt.restart_step, [file.path_in_run for file in attempt.files])
        for rank, attempts in view.attempts.items()
        for number, attempt in enumerate(attempts, 1)
    ]


def _tags(view: RunView) -> list[InspectedTag]:
    return [_tag(view, tag) for tag in sorted({tag for file in view.files for tag in file.series})]


def _tag(view: RunView, tag: Tag) -> InspectedTag:
    ranks = view.ranks_of(tag, ALL)[: 1 if tag.plugin in ASIDE_PLUGINS else None]
    shown = view.ranks_of(tag)
    step = view.series(tag, shown[0]).step if shown else None
    extent: tuple[Any, Any] = (None, None) if step is None else (int(step.min()), int(step.max()))
    recorded = sum(view.series(tag, rank, ALL).total for rank in ranks)
    return InspectedTag(tag.plugin, tag.name, 0 if step is None else len(step), *extent, recorded, ranks)
