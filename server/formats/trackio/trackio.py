"""Finds and reads trackio's databases: a run for each of a project; only new rows are read."""

import contextlib
import json
import math
import os
import re
import sqlite3
from datetime import datetime
from typing import Any, NamedTuple

from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.formats.files.media_files import read_media, write_image, write_table
from toposcope.server.formats.files.sqlite_file import (
    MAGIC,
    NO_DATABASE,
    columns_of,
    database_stamp,
    has_tables,
    new_rows,
    opened,
)
from toposcope.server.formats.format import Candidate, Output, Source, Stamp, State, safe_part
from toposcope.server.formats.nested import flat, leaves
from toposcope.server.places.place import Place

_MAX_ROWS = 20_000
_COLUMNS = {"run_name", "timestamp", "step", "metrics"}
_COLUMNS_READ = {*_COLUMNS, "run_id", "config", "created_at", "title", "text", "level"}
_TABLES = ("configs", "metrics", "system_metrics", "alerts")
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class Trackio:
    """The format of trackio."""

    name = "trackio"
    names = re.compile(r"\.db$")

    def examine(self, candidate: Candidate) -> Source | str:
        """Return the source that a database is; why it is none if it has other tables."""
        if candidate.head(len(MAGIC)) != MAGIC:
            return NO_DATABASE
        try:
            with opened(candidate.path) as connection:
                is_trackio = has_tables(connection, "metrics") and columns_of(connection, "metrics") >= _COLUMNS
        except ValueError as error:
            return f"it cannot be read: {error}"
        if not is_trackio:
            return f"it does not have a table metrics with the columns {', '.join(sorted(_COLUMNS))}"
        run = os.path.normpath(os.path.join(candidate.run, candidate.name.removesuffix(".db")))
        why = "it is an SQLite database with trackio's table metrics"
        return Source(self.name, candidate.path, run, why, candidate.path, candidate.status.modified)

    def stamp(self, source: Source, place: Place) -> Stamp:
        """Return the stamp of the database."""
        return database_stamp(source.path, place)

    def read(self, source: Source, place: Place, state: State, output: Output) -> bool:
        """Translate the rows that are new of every table."""
        with opened(source.path) as connection:
            tables = {name: _rows(connection, name, state) for name in _TABLES}
        media = os.path.join(os.path.dirname(source.path), "media")
        for name, rows in tables.items():
            for row in rows:
                run = str(row["run_name"])
                writer = output.run(_key_of(row), os.path.join(source.run, safe_part(run)))
                _Row(name, row, writer, state, media, place).write()
        return any(len(rows) == _MAX_ROWS for rows in tables.values())


def _key_of(row: dict[str, Any]) -> str:
    return str(row.get("run_id") or row["run_name"])


def _rows(connection: sqlite3.Connection, table: str, state: State) -> list[dict[str, Any]]:
    """Return the rows of a table after those that were read."""
    if not has_tables(connection, table):
        return []
    columns = sorted(columns_of(connection, table) & _COLUMNS_READ)
    rows = new_rows(connection, table, ", ".join(columns), state, _MAX_ROWS)
    return [dict(zip(columns, row[1:], strict=True)) for row in rows]


class _Row(NamedTuple):
    """A row of a table, and what is needed to translate it."""

    table: str
    row: dict[str, Any]
    writer: EventWriter
    state: State
    media: str
    """The folder of media."""
    place: Place

    def write(self) -> None:
        """Translate it."""
        row = self.row
        wall_time = _seconds(row.get("timestamp") or row.get("created_at"))
        steps: dict[str, int] = self.state.setdefault("steps", {})
        key = _key_of(row)
        if self.table == "configs":
            own = {name: value for name, value in _json(row["config"]).items() if not name.startswith("_")}
            self.writer.parameters(wall_time, flat(own))
        elif self.table == "alerts":
            text = f"**{row['level']}**: {row['title']}\n\n{row['text'] or ''}"
            self.writer.text(row["step"] or steps.get(key, 0), wall_time, "alerts", text)
        elif self.table == "system_metrics":
            self._write_values(steps.get(key, 0), wall_time, "machine/")
        else:
            steps[key] = int(row["step"])
            self._write_values(steps[key], wall_time, "")

    def _write_values(self, step: int, wall_time: float, prefix: str) -> None:
        scalars: list[tuple[str, float]] = []
        for name, value in leaves(_json(self.row["metrics"]), prefix):
            if isinstance(value, int | float):
                scalars.append((name, value))
            elif isinstance(value, str) and value in _NOT_FINITE:
                scalars.append((name, _NOT_FINITE[value]))
            elif isinstance(value, str):
                self.writer.text(step, wall_time, name, value)
            elif isinstance(value, dict):
                self._write_media(step, wall_time, name, value)
        self.writer.scalars(step, wall_time, scalars)

    def _write_media(self, step: int, wall_time: float, name: str, value: dict[str, Any]) -> None:
        """Write an image or a table; one whose file is missing or no such file is left out."""
        with contextlib.suppress(OSError, ValueError, TypeError, LookupError):
            if value["_type"] == "trackio.image":
                encoded = read_media(self.media, value["file_path"], self.place)
                write_image(self.writer, step, wall_time, name, encoded)
            elif value["_type"] == "trackio.table":
                rows = value["_value"]
                columns = list(dict.fromkeys(column for row in rows for column in row))
                cells = ([row.get(column, "") for column in columns] for row in rows)
                write_table(self.writer, step, wall_time, name, columns, cells)


def _json(content: str | bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError, TypeError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _seconds(text: object) -> float:
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


TRACKIO = Trackio()
