"""MLflow's database: each run that is not deleted, in folders of experiments; only new rows of metrics are read."""

import math
import os
import re
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.formats.files.sqlite_file import MAGIC, NO_DATABASE, database_stamp, has_tables, new_rows, opened
from toposcope.server.formats.format import Candidate, Output, Source, Stamp, StartOver, State
from toposcope.server.formats.mlflow.described_run import DescribedRun, run_name, write_description
from toposcope.server.places.place import Place

_MAX_ROWS = 100_000
"""The rows of metrics that are read at a time: a fraction of a second, in which a writer waits."""
_LARGEST = 1.7976931348623157e308
"""What MLflow stores for an infinity."""
_COLUMNS = "run_uuid, key, step, timestamp, value, is_nan"
_TABLES = ("experiments", "runs", "metrics", "params", "tags")


class MlflowDatabase:
    """The format of MLflow's SQLite databases."""

    name = "mlflow"
    names = re.compile(r"\.(db|sqlite3?)$")

    def examine(self, candidate: Candidate) -> Source | str:
        """Return the source that a database is; why it is none if it has other tables."""
        if candidate.head(len(MAGIC)) != MAGIC:
            return NO_DATABASE
        try:
            with opened(candidate.path) as connection:
                if not has_tables(connection, *_TABLES):
                    return f"it does not have the tables {', '.join(_TABLES)}"
        except ValueError as error:
            return f"it cannot be read: {error}"
        why = f"it is an SQLite database with the tables {', '.join(_TABLES)}"
        return Source(self.name, candidate.path, candidate.run, why, candidate.path, candidate.status.modified)

    def stamp(self, source: Source, place: Place) -> Stamp:
        """Return the stamp of the database."""
        return database_stamp(source.path, place)

    def read(self, source: Source, place: Place, state: State, output: Output) -> bool:
        """Translate the rows of metrics that are new, then what has changed of the descriptions of runs."""
        with opened(source.path) as connection:
            runs = _read_runs(connection)
            if not runs.keys() >= state.get("runs", {}).keys():
                raise StartOver  # Runs were deleted.
            rows = new_rows(connection, "metrics", _COLUMNS, state, _MAX_ROWS)
        writers = {run.run_id: output.run(run.run_id, _name_in(source.run, run, runs)) for run in runs.values()}
        for run in runs.values():
            writers[run.run_id].start(run.start)
        _write_metrics(rows, writers)
        has_more = len(rows) == _MAX_ROWS
        states: dict[str, State] = state.setdefault("runs", {})
        for run in runs.values() if not has_more else ():
            write_description(run, states.setdefault(run.run_id, {}), writers[run.run_id])
        return has_more


def _name_in(folder: str, run: DescribedRun, runs: Mapping[str, DescribedRun]) -> str:
    return os.path.normpath(os.path.join(folder, run_name(run, runs)))


def _read_runs(connection: sqlite3.Connection) -> dict[str, DescribedRun]:
    """Return the runs that are not deleted, by id."""
    params, tags = (_by_run(connection, table) for table in ("params", "tags"))
    rows = connection.execute(
        "SELECT run_uuid, runs.name, experiments.name, status, start_time, end_time FROM runs"
        " JOIN experiments ON runs.experiment_id = experiments.experiment_id"
        " WHERE runs.lifecycle_stage = 'active' AND experiments.lifecycle_stage = 'active'"
    )
    return {
        run_id: DescribedRun(
            run_id,
            name or tags[run_id].get("mlflow.runName", ""),
            experiment,
            status,
            (start or 0) / 1000,
            None if end is None else end / 1000,
            params[run_id],
            tags[run_id],
        )
        for run_id, name, experiment, status, start, end in rows
    }


def _by_run(connection: sqlite3.Connection, table: str) -> dict[str, dict[str, str]]:
    by_run: dict[str, dict[str, str]] = defaultdict(dict)
    for run_id, key, value in connection.execute(f"SELECT run_uuid, key, value FROM {table}"):
        by_run[run_id][key] = "" if value is None else str(value)
    return by_run


def _write_metrics(rows: list[tuple[Any, ...]], writers: Mapping[str, EventWriter]) -> None:
    for _, run_id, key, step, timestamp, value, is_nan in rows:
        writer = writers.get(run_id)
        if writer is not None:  # Otherwise the run is deleted.
            writer.scalars(step, timestamp / 1000, [(key, math.nan if is_nan else unbounded(value))])


def unbounded(value: float) -> float:
    """Return a value, with infinities in place of the largest numbers, which MLflow's databases have for them."""
    return math.copysign(math.inf, value) if abs(value) >= _LARGEST else float(value)


MLFLOW_DATABASE = MlflowDatabase()
