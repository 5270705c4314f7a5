"""SQLite databases that other programs write: opened so that they are never changed, blocked or left with other files.

A database that is not in use, without a write-ahead log, is read as an immutable file; nothing is locked or created.
One with a log is read beside its writer, as SQLite does, if the writer has the shared memory of the log open. A log
without shared memory is what a program left that did not end properly: what is in it is not read, since SQLite would
create a file to read it.
"""

import contextlib
import hashlib
import os
import sqlite3
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from toposcope.server.formats.format import Stamp, StartOver, State, is_settled
from toposcope.server.places.place import Place, Status, is_gone

MAGIC = b"SQLite format 3\0"
NO_DATABASE = "it is no SQLite database"
_WAIT_SECONDS = 0.2
"""For a writer that has locked the database."""
_LARGEST_VALUE = 64 << 20
"""Bytes of a value or row."""


@contextlib.contextmanager
def opened(path: str) -> Iterator[sqlite3.Connection]:
    """Open a database for reading.

    Raises:
        OSError: it cannot be read at present: it is locked, or was changed meanwhile.
        ValueError: it is no database, or has other tables.
    """
    log_is_open = os.path.exists(f"{path}-wal") and os.path.exists(f"{path}-shm")
    is_written = os.path.exists(f"{path}-journal")
    options = "mode=ro" if log_is_open or is_written else "mode=ro&immutable=1"
    before = _version(path)
    try:
        with contextlib.closing(
            sqlite3.connect(f"file:{quote(path)}?{options}", timeout=_WAIT_SECONDS, uri=True)
        ) as connection:
            connection.execute("PRAGMA trusted_schema=OFF")  # No functions in views or triggers.
            connection.execute("PRAGMA query_only=ON")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
            yield connection
    except sqlite3.OperationalError as error:
        if "locked" in str(error) or _version(path) != before:
            raise OSError(f"the database is in use: {error}") from None
        raise ValueError(str(error)) from None
    except sqlite3.DatabaseError as error:
        if _version(path) != before:
            raise OSError(f"the database was written meanwhile: {error}") from None
        raise ValueError(str(error)) from None
    if "immutable" in options and _version(path) != before:
        raise OSError("the database was written meanwhile")


def _version(path: str) -> tuple[int, int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns, status.st_ino


def has_tables(connection: sqlite3.Connection, *names: str) -> bool:
    """Return whether a database has tables, not views, of some names."""
    found = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return found.issuperset(names)


def columns_of(connection: sqlite3.Connection, table: str) -> set[str]:
    """Return the names of the columns of a table."""
    return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}


def new_rows(
    connection: sqlite3.Connection, table: str, columns: str, state: State, most: int
) -> list[tuple[Any, ...]]:
    """Return the rows of a table after those that were read before: their row ids, then the columns.

    Args:
        connection: to the database.
        table: of which rows are only added.
        columns: their names, separated by commas.
        state: remembers the last row.
        most: maximum number of rows.

    Raises:
        StartOver: the last row that was read is another one now: rows were deleted, or the database was replaced.
    """
    query = f"SELECT rowid, {columns} FROM {table} WHERE rowid"
    last: int = state.get(f"{table} row", 0)
    if last:
        row = connection.execute(f"{query} = ?", (last,)).fetchone()
        if row is None or _digest(row) != state[f"{table} digest"]:
            raise StartOver
    rows = connection.execute(f"{query} > ? ORDER BY rowid LIMIT ?", (last, most)).fetchall()
    if rows:
        state[f"{table} row"], state[f"{table} digest"] = rows[-1][0], _digest(rows[-1])
    return rows


def _digest(row: tuple[Any, ...]) -> str:
    return hashlib.blake2b(repr(row).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def database_stamp(path: str, place: Place) -> Stamp:
    """Return the stamp of a database and of its write-ahead log."""
    statuses = [place.stat(path), *_statuses(f"{path}-wal", place)]
    modified = max(status.modified for status in statuses)
    return [modified, *([status.size, status.modified, status.inode] for status in statuses), is_settled(statuses[0])]


def _statuses(path: str, place: Place) -> list[Status]:
    try:
        return [place.stat(path)]
    except OSError as error:
        if is_gone(error):
            return []
        raise
