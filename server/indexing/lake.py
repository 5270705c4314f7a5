"""Writes the lake of an indexed logdir: its parts on the workers that made the index."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, as_completed
from functools import partial

from toposcope.executors import Workers
from toposcope.server.lake.compaction import LIMITS, Compacted, Limits, NewPart, check_is_lake, compact, write_here
from toposcope.server.lake.folder import Folder, open_folder
from toposcope.server.lake.parts import Part, write_part
from toposcope.server.lake.run_rows import AllRuns
from toposcope.server.lake.runs_table import Notes
from toposcope.server.lake.tables.series import plain_text
from toposcope.server.loading.logdir import Logdir
from toposcope.server.places.addresses import place_of, text_of
from toposcope.server.reading.index.index import open_index

_ATTEMPTS = 3
"""To write a part whose worker ends."""


def write_lake_of(
    logdir: str | Mapping[str, str],
    index: str,
    out: str,
    workers: Workers,
    *,
    notes: Mapping[str, Notes] | None = None,
    follow_links: bool = False,
    limits: Limits = LIMITS,
) -> Compacted:
    """Bring the lake of a logdir up to date with what the index contains. After an interruption, call it again.

    Args:
        logdir: a directory, or the address of an object store, or several by name.
        index: a folder or an address, to which index_logdir() wrote.
        out: a folder, which workers need too, or an address.
        workers: write the parts. If runs move from one to another, this process writes them one after the other.
        notes: what users noted about runs, by name.
        follow_links: whether to follow links of other users that lead out of the logdir.
        limits: the sizes of parts.

    Raises:
        ModuleNotFoundError: pyarrow is not installed.
        OSError: the lake cannot be written.
        RuntimeError: the workers that write a part end again and again.
        ValueError: out contains something else, or the lake of other runs.
    """
    folder = open_folder(out)
    check_is_lake(folder, folder.names())
    loading = Logdir(text_of(logdir), 0, open_index(index), place_of(logdir, follow_links=follow_links))
    loading.step()
    while loading.snapshot.loading:
        loading.step()
    loading.stop_loading()
    found = loading.snapshot
    write = partial(_write, out, workers)
    return compact(folder, found.runs, notes, is_complete=not found.problems, limits=limits, write=write)


def _write(out: str, workers: Workers, folder: Folder, parts: Sequence[NewPart], known: AllRuns) -> Iterator[Part]:
    """Write parts, each as a task unless their order matters."""
    if _runs_move(parts):
        yield from write_here(folder, parts, known)
        return
    left = list(parts)
    for attempt in range(1, _ATTEMPTS + 1):
        lost: list[NewPart] = []
        running: dict[Future[Part], NewPart] = {
            workers.executor.submit(_write_one, out, part, _known_of(part, known)): part for part in left
        }
        for future in as_completed(running):
            try:
                yield future.result()
            except workers.lost as error:
                part = running[future]
                if attempt == _ATTEMPTS:
                    raise RuntimeError(
                        f"{part.name} of the lake was not written: {_ATTEMPTS} workers ended: {type(error).__name__}"
                    ) from error
                lost.append(part)
        left = lost


def _runs_move(parts: Sequence[NewPart]) -> bool:
    """Return whether a run leaves a part for another one, which must be written later: no reader sees it twice."""
    then = {plain_text(run.name): part.name for part in parts for run in part.runs}
    return any(then.get(run, part.name) != part.name for part in parts if part.before for run in part.before.runs)


def _write_one(out: str, part: NewPart, known: AllRuns) -> Part:
    return write_part(open_folder(out), part.name, part.runs, known, before=part.before)


def _known_of(part: NewPart, known: AllRuns) -> AllRuns:
    """Return what is known of the runs of a part, their sessions and their parents, which is much less than all."""
    sessions = {run.name: known.sessions[run.name] for run in part.runs if run.name in known.sessions}
    parents = {run.name: known.parents[run.name] for run in part.runs if run.name in known.parents}
    names = {run.name for run in part.runs} | set(parents.values())
    names |= {session.name for below in sessions.values() for session in below}
    return AllRuns({name: known.runs[name] for name in names if name in known.runs}, sessions, parents)
