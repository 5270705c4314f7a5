"""The formats that are tables: those of Lightning, Ultralytics and Keras by their file names, and any other log."""

import os
import re
from typing import Any

from toposcope.server.formats.files.settings_file import LARGEST_FILE, read_yaml, settings_stamp
from toposcope.server.formats.format import (
    Candidate,
    Output,
    Source,
    Stamp,
    State,
    file_stamp,
)
from toposcope.server.formats.tables.columns import Columns, choose_columns, why_log
from toposcope.server.formats.tables.lines import Table, complete_bytes, kind_of, read_header, read_rows
from toposcope.server.formats.tables.reading import read_table
from toposcope.server.places.place import Place

_LARGEST_UNKNOWN = 256 << 20
"""Bytes of a table whose name is not that of a log; larger ones are data."""
_USUAL = re.compile(
    r"(^|[^a-z])(logs?|log_history|metrics?|results?|progress|history|train(ing)?|loss(es)?|scalars?)([^a-z]|$)"
)
"""In the names of logs, in lower case."""
_OF_DATA = re.compile(r"(^|/)(\.[^/]+|datasets?|data|site-packages|dist-packages|node_modules)(/|$)")
"""In the paths of directories in which tables are data."""


class TableFormat:
    """A kind of table.

    Args:
        name: of the format.
        names: matches the names of its files.
        first: a column with which its header begins, or which it has; empty: any that the rules for tables allow.
        settings: the name of the file with hyperparameters that lies beside it; empty: there is none.
    """

    def __init__(self, name: str, names: str, first: str = "", settings: str = "") -> None:
        self.name = name
        self.names = re.compile(names)
        self._first = first
        self._settings = settings

    def examine(self, candidate: Candidate) -> Source | str:
        """Return the source that a file is; if it is no log, why."""
        is_known = bool(self._first)
        if self._settings and self._settings not in candidate.siblings:
            return f"there is no {self._settings!r} beside it"
        if not is_known and candidate.status.size > _LARGEST_UNKNOWN:
            return f"it is larger than {_LARGEST_UNKNOWN >> 20} MB"
        if not is_known and (of_data := _OF_DATA.search(candidate.run)):
            return f"it lies in a folder {of_data[2]!r}, which usually has data"
        if any("tfevents" in name or ".out.events.summary." in name for name in candidate.siblings):
            return "there are event files beside it, which usually contain the same"
        try:
            why = self._why(candidate)
        except ValueError as error:
            return str(error)
        run = candidate.run if is_known else os.path.normpath(os.path.join(candidate.run, candidate.name))
        return Source(self.name, candidate.path, run, why, candidate.path, candidate.status.modified)

    def _why(self, candidate: Candidate) -> str:
        """Return why a file is taken for a log; raise ValueError, which says why not, if it is none."""
        content = candidate.head()
        if b"\0" in content:
            raise ValueError("it is no text")
        content = content[: complete_bytes(content, kind_of(candidate.name))]
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError("it is no text in UTF-8") from None
        table, rows = _first_rows(text, candidate.name)
        names = table.names or tuple(dict.fromkeys(name for row in rows for name in row))
        if self._first and self._first not in names:
            raise ValueError(f"it has no column {self._first!r}")
        is_usual = bool(self._first) or _USUAL.search(candidate.name.lower()) is not None
        return f"its name is {candidate.name!r}, {why_log(names, rows, is_known_name=is_usual)}"

    def stamp(self, source: Source, place: Place) -> Stamp:
        """Return the stamp of the table and of its settings."""
        return [*file_stamp(source.path, place), self._settings and settings_stamp(self._settings_of(source), place)]

    def read(self, source: Source, place: Place, state: State, output: Output) -> bool:
        """Translate the rows that are new, and the settings if they are."""
        if self._settings:
            self._read_settings(source, place, state, output)
        return read_table(source.path, place, state, output.run())

    def _settings_of(self, source: Source) -> str:
        return os.path.join(os.path.dirname(source.path), self._settings)

    def _read_settings(self, source: Source, place: Place, state: State, output: Output) -> None:
        path = self._settings_of(source)
        stamp = settings_stamp(path, place)
        if stamp is None or stamp == state.get("settings"):
            return
        state["settings"] = stamp
        file = place.open(path)
        try:
            parameters: dict[str, Any] = read_yaml(file.read(0, LARGEST_FILE + 1))
        except ValueError:  # It is written just now, or something else: the table matters more.
            return
        finally:
            file.close()
        output.run().parameters(file.status.modified, parameters)


def _first_rows(text: str, name: str) -> tuple[Table, list[dict[str, Any]]]:
    """Return how a table is written, and its first rows.

    Raises:
        ValueError: it is no table, has no rows, or the first one has neither a step nor a time.
    """
    table = Table("json")
    if kind_of(name) == "csv":
        header, _, text = text.partition("\n")
        table = read_header(header, name)
    rows = read_rows(text, table)
    first = next(rows, None)
    if first is None:
        raise ValueError("it has no complete row")
    if choose_columns(list(first), first) == Columns(None, None):
        raise ValueError("no column is a step or a time")
    return table, [first, *rows]


TABLES = (
    TableFormat("lightning", r"^metrics\.csv$", "step", "hparams.yaml"),
    TableFormat("ultralytics", r"^results\.csv$", "epoch", "args.yaml"),
    TableFormat(
        "keras",
        r"^(train|training|train_log|training_log|history)\.log$|^(training|training_log|train_log|history)\.csv$",
        "epoch",
    ),
    TableFormat("table", r"\.(csv|tsv|jsonl|ndjson)$"),
)
