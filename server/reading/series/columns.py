"""Where the columns of series are allocated: in memory of this process, or in memory that its workers can read.

A long column is mapped: capacity that is not written yet takes no memory, and a column that is dropped returns all of
its memory to the system. In the C library's heap the columns that are replaced as they grow leave gaps.
"""

import mmap
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[Any]
Allocate = Callable[[int, np.dtype[Any]], Column]
"""Returns an uninitialised column with so many rows."""
LEAST_SHARED_BYTES = 4 << 10
"""Shorter columns are sent to other processes: whole pages, and the account of their users, would take more memory."""
LEAST_MAPPED_BYTES = 64 << 10
"""Whole pages are then at most a sixteenth more than what is written."""


class _Chosen:
    allocate: Allocate | None = None
    """None: in memory of this process."""


def share_columns(allocate: Allocate) -> None:
    """Allocate all but short columns from now on with `allocate`, so that other processes can read them."""
    _Chosen.allocate = allocate


def new_column(rows: int, dtype: np.dtype[Any]) -> Column:
    """Return an uninitialised column."""
    if _Chosen.allocate is not None and rows * dtype.itemsize >= LEAST_SHARED_BYTES:
        return _Chosen.allocate(rows, dtype)
    return _mapped(rows, dtype) if rows * dtype.itemsize >= LEAST_MAPPED_BYTES else np.empty(rows, dtype)


def _mapped(rows: int, dtype: np.dtype[Any]) -> Column:
    try:
        memory = mmap.mmap(-1, rows * dtype.itemsize, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError:
        return np.empty(rows, dtype)  # The system allows only so many mappings.
    return np.frombuffer(memory, dtype)


def copied(column: Column) -> Column:
    """Return a copy of a column."""
    copy = new_column(len(column), column.dtype)
    copy[:] = column
    return copy


def allocated(column: Column) -> Column:
    """Return a column that may come from elsewhere: the same, or a copy if other processes must be able to read it."""
    return column if _Chosen.allocate is None or column.nbytes < LEAST_SHARED_BYTES else copied(column)
