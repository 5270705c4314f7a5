"""Reads the rows that were appended to a table, as events."""

import hashlib
from collections.abc import Iterator
from typing import Any

from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.formats.format import StartOver, State, is_settled
from toposcope.server.formats.tables.columns import Columns, choose_columns, is_absolute, is_time, step_of
from toposcope.server.formats.tables.lines import Table, complete_bytes, kind_of, read_header, read_rows
from toposcope.server.places.place import OpenFile, Place

_WINDOW_BYTES = 4 << 20
_LONGEST_LINE = 32 << 20
_CHECKED_BYTES = 256
"""At the beginning of a file and before what is new: if they differ, it was written again."""


def read_table(path: str, place: Place, state: State, output: EventWriter) -> bool:
    """Translate the rows that were appended to a table; return whether there are more at once.

    Raises:
        StartOver: the table was written again.
        OSError, ValueError: it cannot be read.
    """
    file = place.open(path)
    try:
        offset = _check(file, state)
        content = file.read(offset, _WINDOW_BYTES)
        kind = kind_of(path)
        end = complete_bytes(content, kind)
        while not end and offset + len(content) < file.status.size:
            content = file.read(offset, 2 * len(content))
            end = complete_bytes(content, kind)
            if len(content) > _LONGEST_LINE and not end:
                raise ValueError(f"a line is longer than {_LONGEST_LINE} bytes")
        has_more = offset + len(content) < file.status.size
        if not has_more and end < len(content) and (kind == "json" or is_settled(file.status)):
            end = len(content)  # The last line has no line feed, but nobody is writing it.
        if kind == "json" and end == len(content) and not _is_whole(content):
            end = complete_bytes(content, kind)
        _translate(content[:end].decode("utf-8", "replace"), path, file.status.modified, state, output)
        _note(file, offset + end, state)
    finally:
        file.close()
    return has_more


def _is_whole(content: bytes) -> bool:
    """Return whether the last line of JSON lines is complete."""
    last = content[content.rfind(b"\n") + 1 :].decode("utf-8", "replace")
    return not last.strip() or any(True for _ in read_rows(last, Table("json")))


def _check(file: OpenFile, state: State) -> int:
    """Return where the new part begins.

    Raises:
        StartOver: what was read before is no longer there.
    """
    offset: int = state.get("offset", 0)
    if offset and (file.status.size < offset or state["checked"] != _checksum(file, offset)):
        raise StartOver
    if offset and state["is_torn"] and file.status.size > offset and file.read(offset, 1) not in (b"\n", b"\r"):
        raise StartOver  # The last line was longer than it seemed.
    return offset


def _note(file: OpenFile, offset: int, state: State) -> None:
    state["offset"] = offset
    state["checked"] = _checksum(file, offset)
    state["is_torn"] = offset > 0 and file.read(offset - 1, 1) != b"\n"


def _checksum(file: OpenFile, offset: int) -> str:
    length = min(_CHECKED_BYTES, offset)
    content = file.read(0, length) + file.read(offset - length, length)
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _translate(text: str, path: str, modified: float, state: State, output: EventWriter) -> None:
    """Write the rows in complete lines."""
    if kind_of(path) == "csv" and "names" not in state:
        header, _, text = text.partition("\n")
        if not header:
            return
        table = read_header(header, path)
        state["names"], state["delimiter"] = list(table.names), table.delimiter
    table = Table(kind_of(path), state.get("delimiter", ","), tuple(state.get("names", ())))
    _write_rows(read_rows(text, table), modified, state, output)


def _write_rows(rows: Iterator[dict[str, Any]], modified: float, state: State, output: EventWriter) -> None:
    number: int = state.get("row", 0)
    columns = Columns(*state["columns"]) if "columns" in state else None
    for row in rows:
        if columns is None:
            columns = choose_columns(list(state.get("names", row)), row)
            state["columns"] = list(columns)
        step = number if columns.step is None else step_of(row.get(columns.step))
        number += 1
        if step is None:  # Without a step there is no place for its values.
            continue
        wall_time = _wall_time(row.get(columns.time) if columns.time else None, modified, state)
        for name in filter(None, columns):
            row.pop(name, None)
        numbers = [(name, value) for name, value in row.items() if isinstance(value, float)]
        output.scalars(step, wall_time, numbers)
        if len(numbers) < len(row):
            for name, value in row.items():
                if isinstance(value, str):
                    output.text(step, wall_time, name, value)
    state["row"] = number


def _wall_time(time: object, modified: float, state: State) -> float:
    """Return when a row was written, in seconds since 1970: as it says, or else when the file was.

    Times since the start are added to when the file was written first, as far as is known.
    """
    if not is_time(time) or not isinstance(time, float):
        return modified
    if is_absolute(time):
        return time
    start: float = state.setdefault("start", modified - time)
    return start + time
