"""Keeps a lake up to date: which parts have to be written, and writing them."""

import bisect
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from toposcope.server.lake.folder import Folder
from toposcope.server.lake.parts import Part, delete_part, is_state_file, read_parts, write_part, write_state
from toposcope.server.lake.run_rows import AllRuns, all_runs, files_of, state_columns
from toposcope.server.lake.runs_table import Notes, write_runs
from toposcope.server.lake.tables.schema import VERSION
from toposcope.server.lake.tables.series import count_points, plain_text
from toposcope.server.runs.run import RunView

_ALIVE = ("running", "stalled")


class Limits(NamedTuple):
    """The sizes of parts."""

    points: int = 4_000_000
    """A part takes no more runs when it has as many points (about 25 MB) ..."""
    runs: int = 5000
    """... or as many runs. With twice as many of either, it is split; with less than half of both, it is small."""
    small_parts: int = 8
    """If more parts are small, they are merged."""


LIMITS = Limits()


class Compacted(NamedTuple):
    """What a call of compact() did."""

    runs: int
    """In the lake."""
    points: int
    parts: int
    written_parts: int
    deleted_parts: int
    kept: list[str]
    """Runs that were not found, or lack a file, and are left as they are, as not all of the logdir could be read."""


class Plan(NamedTuple):
    """The parts that are to be changed."""

    write: dict[str, list[str]]
    """The names of all runs of each part, in the order in which the parts are to be written."""
    delete: list[str]
    """Names of parts."""


class NewPart(NamedTuple):
    """A part that is to be written."""

    name: str
    runs: Sequence[RunView]
    before: Part | None
    """What it covers at present."""


WriteParts = Callable[[Folder, Sequence[NewPart], AllRuns], Iterable[Part]]
"""Writes parts into a folder, and returns them. The last argument has all runs of the logdir."""


def write_here(folder: Folder, parts: Sequence[NewPart], known: AllRuns) -> Iterator[Part]:
    """Write parts in this process, one after the other."""
    for part in parts:
        yield write_part(folder, part.name, part.runs, known, before=part.before)


def compact(
    folder: Folder,
    runs: Mapping[str, RunView],
    notes: Mapping[str, Notes] | None = None,
    *,
    is_complete: bool = True,
    limits: Limits = LIMITS,
    write: WriteParts = write_here,
) -> Compacted:
    """Bring a lake up to date: only parts with runs that changed, are new or are gone are written.

    Args:
        folder: of the lake; empty, or with one that this function or write_part() wrote.
        runs: all runs of the logdir, by name.
        notes: what users noted about runs, by name.
        is_complete: whether all of the logdir was read. If not, runs that are missing or lack files are kept.
        limits: the sizes of parts.
        write: writes parts.

    Raises:
        ModuleNotFoundError: pyarrow is not installed.
        OSError: the folder cannot be written, or another process writes it.
        ValueError: the folder contains something else, or a lake of other runs.
    """
    check_is_lake(folder, folder.names())  # Before there is a lock in it.
    with folder.locked():
        known = all_runs(runs)
        by_name = {plain_text(name): run for name, run in runs.items()}
        parts = {part.name: part for part in _read(folder, by_name)}
        kept = [] if is_complete else sorted(_lacking(parts.values(), by_name, known))
        changes = plan(parts.values(), by_name, known, frozenset(kept), limits)
        for name in changes.delete:
            delete_part(folder, name)
            del parts[name]
        new = [NewPart(name, [by_name[run] for run in names], parts.get(name)) for name, names in changes.write.items()]
        parts.update((part.name, part) for part in write(folder, new, known))
        for part in parts.values():
            if part.name not in changes.write and (current := _with_states(part, by_name)) != part:
                write_state(folder, current)
                parts[part.name] = current
        write_runs(folder, list(parts.values()), notes or {})
        return Compacted(
            sum(len(part.runs) for part in parts.values()),
            sum(part.points for part in parts.values()),
            len(parts),
            len(changes.write),
            len(changes.delete),
            kept,
        )


def write_lake(folder: Folder, runs: Sequence[RunView], known: AllRuns, tags: frozenset[str] = frozenset()) -> int:
    """Write a lake that is not kept up to date; runs.parquet last. Return the number of points.

    Args:
        folder: empty.
        runs: the runs to write.
        known: all runs of the logdir, to find the sessions of these.
        tags: names of the scalar tags to write; none: all.

    Raises:
        ModuleNotFoundError: pyarrow is not installed.
        OSError: the folder cannot be written.
        ValueError: the folder is not empty.
    """
    if folder.names():
        raise ValueError(f"{folder.address!r} is not empty: choose a new directory, nothing is overwritten")
    by_name = {plain_text(run.name): run for run in runs}
    parts = [
        write_part(folder, name, [by_name[run] for run in names], known, tags)
        for name, names in plan([], by_name, known).write.items()
    ]
    write_runs(folder, parts, {})
    for part in parts:
        folder.delete(part.state_file)
    return sum(part.points for part in parts)


def _read(folder: Folder, runs: Mapping[str, RunView]) -> list[Part]:
    names = folder.names()
    check_is_lake(folder, names)
    parts = read_parts(folder, names)
    files = set(names)
    parts = [part if files.issuperset(part.files) else part._replace(schema=0) for part in parts]
    covered = {run for part in parts for run in part.runs}
    if covered and runs and covered.isdisjoint(runs):
        raise ValueError(
            f"{folder.address!r} is a lake of other runs, {min(covered)!r} for example: choose another one"
        )
    return parts


def _lacking(parts: Iterable[Part], runs: Mapping[str, RunView], known: AllRuns) -> set[str]:
    """Return the runs in some parts that are missing now, or lack a file that was there."""
    lacking = set()
    for part in parts:
        for name, covered in part.runs.items():
            present = {file[0] for file in files_of(runs[name], known)} if name in runs else set()
            if name not in runs or any(file[0] not in present for file in covered.files or ()):
                lacking.add(name)
    return lacking


def check_is_lake(folder: Folder, names: Sequence[str]) -> None:
    """Check that a folder is that of a lake which is kept up to date, or empty; `names` are its files.

    Raises:
        ValueError: it contains something else.
    """
    if names and not any(is_state_file(name) for name in names):
        raise ValueError(
            f"{folder.address!r} is not empty, and no lake: choose a new directory, nothing is overwritten"
        )


def plan(
    parts: Iterable[Part],
    runs: Mapping[str, RunView],
    known: AllRuns,
    kept: frozenset[str] = frozenset(),
    limits: Limits = LIMITS,
) -> Plan:
    """Return which parts are to be written with which runs.

    A run stays in its part. New runs are added to the last part until it is full, those that began first before others,
    so that the runs that grow are in few parts. What a part has beyond twice its points goes to new parts, and so do
    the runs of small parts if there are many.

    Args:
        parts: of the lake.
        runs: all runs, by name.
        known: the same runs.
        kept: runs that are missing or lack files, and are kept; a part with one of them is left as it is.
        limits: the sizes of parts.
    """
    parts = sorted(parts)
    unchanged = {
        name: covered.recorded
        for part in parts
        for name, covered in part.runs.items()
        if name in runs and covered.files == files_of(runs[name], known)
    }
    points = {name: unchanged[name] if name in unchanged else count_points(run) for name, run in runs.items()}
    content: dict[str, list[str]] = {}  # The runs that stay in each part.
    placed: set[str] = set()
    frozen = {part.name for part in parts if not kept.isdisjoint(part.runs)}
    for part in parts:
        names = [name for name in part.runs if name in points and name not in placed]
        content[part.name] = list(part.runs) if part.name in frozen else _limited(names, points, limits)
        placed |= set(content[part.name])
    small = [name for name in content if name not in frozen and _is_small(content[name], points, limits)]
    for name in small if len(small) > limits.small_parts else ():
        placed -= set(content[name])
        content[name] = []
    delete = [name for name, names in content.items() if not names]
    write = {
        part.name: content[part.name]
        for part in parts
        if content[part.name] and part.name not in frozen and _has_changed(part, content[part.name], unchanged)
    }
    new = sorted(points.keys() - placed, key=lambda name: (runs[name].started or 0.0, name))
    last = next((name for name in reversed(content) if content[name] and name not in frozen), None)
    filled = _filled(new, (last, content[last]) if last else None, _next_number(parts), points, limits)
    return Plan({name: names for name, names in write.items() if name not in filled} | filled, delete)


def _has_changed(part: Part, names: list[str], unchanged: Mapping[str, int]) -> bool:
    return part.schema != VERSION or names != list(part.runs) or not unchanged.keys() >= part.runs.keys()


def _is_small(names: list[str], points: Mapping[str, int], limits: Limits) -> bool:
    return 2 * sum(points[name] for name in names) < limits.points and 2 * len(names) < limits.runs


def _limited(names: list[str], points: Mapping[str, int], limits: Limits) -> list[str]:
    """Return the first runs of a part, those that fill it, if all of them fill it twice."""
    totals = list(itertools.accumulate(points[name] for name in names))
    if not totals or (totals[-1] < 2 * limits.points and len(names) < 2 * limits.runs):
        return names
    return names[: min(bisect.bisect_left(totals, limits.points) + 1, limits.runs)]


def _filled(
    new: list[str], last: tuple[str, list[str]] | None, number: int, points: Mapping[str, int], limits: Limits
) -> dict[str, list[str]]:
    """Add new runs to the last part, and to further ones from a number on; return the runs of these parts."""
    filled: dict[str, list[str]] = {}
    name, names = last or ("", [])
    total = sum(points[run] for run in names)
    for run in new:
        if not name or total >= limits.points or len(names) >= limits.runs:
            name, names, total = f"part-{number:05}", [], 0
            number += 1
        if name not in filled:
            filled[name] = names = list(names)
        names.append(run)
        total += points[run]
    return filled


def _next_number(parts: Sequence[Part]) -> int:
    """Return the smallest number that is larger than those in the names of all parts."""
    numbers = [int(digits) for part in parts if (digits := part.name.rpartition("-")[2]).isdecimal()]
    return max(numbers, default=-1) + 1


def _with_states(part: Part, runs: Mapping[str, RunView]) -> Part:
    """Return a part with the states that its runs have now; only those of runs that were alive can have changed."""
    covered = {
        name: run._replace(row=run.row | state_columns(runs[name]))
        if name in runs and run.row.get("state") in _ALIVE
        else run
        for name, run in part.runs.items()
    }
    return part._replace(runs=covered)
