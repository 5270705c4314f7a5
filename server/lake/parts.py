"""The parts of a lake: each contains some runs, and is written without looking at the others.

A part has three files: points in scalars/, statistics of the series in tags/, and in _state/ what it covers. The last
one is written last. Before a part gets more runs, they are named there: whatever kills a writer, every run that is in
the files of a part is in its state too.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import orjson

from toposcope.server.lake.folder import Folder
from toposcope.server.lake.run_rows import AllRuns, CoveredRun, all_runs, cover
from toposcope.server.lake.tables.points_table import write_points
from toposcope.server.lake.tables.schema import VERSION
from toposcope.server.lake.tables.series import plain_text, series_of
from toposcope.server.lake.tables.tags_table import write_tags
from toposcope.server.runs.run import RunView

_SCALARS, _TAGS, _STATE = "scalars/{}.parquet", "tags/{}.parquet", "_state/{}.json"
_STATES = "_state/"
CONNECTIONS = 16
"""To an object store."""


class Part(NamedTuple):
    """What a part of a lake covers."""

    name: str
    schema: int
    """The version of the tables with which it was written; 0: they are incomplete."""
    runs: Mapping[str, CoveredRun]

    @property
    def points(self) -> int:
        """The number of points."""
        return sum(run.points for run in self.runs.values())

    @property
    def state_file(self) -> str:
        """The name of the file that says what it covers."""
        return _STATE.format(self.name)

    @property
    def tags_file(self) -> str:
        """The name of the file with the statistics of its series."""
        return _TAGS.format(self.name)

    @property
    def files(self) -> list[str]:
        """The names of its files."""
        return [file.format(self.name) for file in (_SCALARS, _TAGS, _STATE)]


def write_part(
    folder: Folder,
    name: str,
    runs: Sequence[RunView],
    known: AllRuns | None = None,
    tags: frozenset[str] = frozenset(),
    before: Part | None = None,
) -> Part:
    """Write a part of a lake, or replace it; several processes may write different parts at the same time.

    Args:
        folder: of the lake.
        name: of the part, as "part-00007"; the names of its files.
        runs: all runs that the part is to contain. No other part may contain one of them.
        known: all runs of the logdir, to find the sessions of these; None: there are no others.
        tags: names of the scalar tags to write; none: all.
        before: what the part covers at present; None: it is new.

    Raises:
        ModuleNotFoundError: pyarrow is not installed.
        OSError: the folder cannot be written, or event files cannot be read.
    """
    known = known or all_runs({run.name: run for run in runs})
    names = {plain_text(run.name) for run in runs}
    if before is None or not names <= before.runs.keys():
        present = dict(before.runs) if before else {}
        expected = {each: CoveredRun(None, 0, 0, {"run": each}) for each in names - present.keys()}
        write_state(folder, Part(name, 0, present | expected))
    series = series_of(runs, tags)
    with folder.create(_SCALARS.format(name)) as file:
        write_points(file, series)
    with folder.create(_TAGS.format(name)) as file:
        write_tags(file, series)
    totals = Counter[str]()
    for each in series:
        totals[each.run] += each.points.total
    covered = {plain_text(run.name): cover(run, known, totals[plain_text(run.name)]) for run in runs}
    part = Part(name, VERSION, covered)
    write_state(folder, part)
    return part


def write_state(folder: Folder, part: Part) -> None:
    """Write what a part covers."""
    content = {"schema": part.schema, "runs": {name: run._asdict() for name, run in part.runs.items()}}
    with folder.create(_STATE.format(part.name)) as file:
        file.write(orjson.dumps(content))


def delete_part(folder: Folder, name: str) -> None:
    """Delete a part, its state last."""
    for file in (_SCALARS, _TAGS, _STATE):
        folder.delete(file.format(name))


def read_parts(folder: Folder, names: Iterable[str] | None = None) -> list[Part]:
    """Return what the parts of a lake cover, sorted by name.

    Args:
        folder: of the lake.
        names: of all its files; None: they are listed.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file is damaged.
    """
    names = folder.names() if names is None else names
    stems = [name.removeprefix(_STATES).removesuffix(".json") for name in sorted(names) if is_state_file(name)]
    with ThreadPoolExecutor(CONNECTIONS, "toposcope-lake") as pool:
        return list(pool.map(lambda stem: _read(folder, stem), stems))


def is_state_file(name: str) -> bool:
    """Return whether a file of a lake says what a part covers."""
    return name.startswith(_STATES)


def _read(folder: Folder, name: str) -> Part:
    content = folder.read(_STATE.format(name))
    try:
        state: dict[str, Any] = orjson.loads(content)
        return Part(name, state["schema"], {run: CoveredRun(**each) for run, each in state["runs"].items()})
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{_STATE.format(name)} of {folder.address!r} is damaged: {error}; "
            "delete the folder and run compact again, which writes everything from the event files"
        ) from None
