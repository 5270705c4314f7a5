"""Where the columns of series are allocated: in memory of this process, or in memory that its workers can read."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Columns = list[npt.NDArray[Any]]
Allocate = Callable[[int, Sequence[np.dtype[Any]]], Columns]
"""Returns uninitialised columns of these types, each with so many rows."""
LEAST_SHARED_BYTES = 2 << 10
"""Columns of fewer bytes are sent to other processes: keeping account of who uses them would take as much memory."""


def allocate_privately(rows: int, types: Sequence[np.dtype[Any]]) -> Columns:
    """Allocate columns in memory of this process."""
    return [np.empty(rows, each) for each in types]


class _Chosen:
    allocate: Allocate = staticmethod(allocate_privately)
    is_shared = False


def share_columns(allocate: Allocate) -> None:
    """Allocate all columns from now on with `allocate`, so that other processes can read them."""
    _Chosen.allocate, _Chosen.is_shared = staticmethod(allocate), True


def new_columns(rows: int, types: Sequence[np.dtype[Any]]) -> Columns:
    """Return uninitialised columns of these types, each with so many rows."""
    return _Chosen.allocate(rows, types)


def must_be_copied(rows: int, types: Sequence[np.dtype[Any]]) -> bool:
    """Return whether columns that were not allocated here must be copied, so that other processes can read them."""
    return _Chosen.is_shared and rows * sum(each.itemsize for each in types) >= LEAST_SHARED_BYTES


def copy_column(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a copy of a column, allocated as others are."""
    (copy,) = new_columns(len(column), [column.dtype])
    copy[:] = column
    return copy
