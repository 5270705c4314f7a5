"""Which column of a table is the step and which the time, and whether a table is a log at all."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

STEPS = (
    *("step", "global_step", "_step", "steps", "iteration", "iter", "iterations", "num_timesteps", "timesteps"),
    *("trainer/global_step", "time/total_timesteps", "timesteps_total", "training_iteration", "epoch", "epochs"),
)
"""Names of columns with the step, the most exact first, in lower case."""
TIMES = ("wall_time", "_timestamp", "timestamp", "time", "time/time_elapsed", "time_elapsed", "time_total_s", "elapsed")
_ABSOLUTE = 1e9
"""Seconds from which a time is since 1970, and not since the start."""
_LATEST = 1e11
MAX_COLUMNS = 10_000
_LONGEST_NAME = 500
_LARGEST_STEP = 2**62

Row = Mapping[str, object]
"""Values by column; numbers are floats."""


class Columns(NamedTuple):
    """The columns of a table that are no metrics."""

    step: str | None
    """None: the number of the row is the step."""
    time: str | None


def choose_columns(names: Sequence[str], first: Row) -> Columns:
    """Return which columns have the step and the time, according to their names and the first row."""
    by_name = {name.strip().lower(): name for name in reversed(names)}
    step = next(
        (by_name[name] for name in STEPS if name in by_name and step_of(first.get(by_name[name])) is not None), None
    )
    time = next((by_name[name] for name in TIMES if name in by_name and is_time(first.get(by_name[name]))), None)
    return Columns(step, time)


def step_of(value: object) -> int | None:
    """Return a value as a step; None if it is no whole number."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_STEP
    return int(value) if is_whole and isinstance(value, float) else None


def is_time(value: object) -> bool:
    """Return whether a value may be a time in seconds."""
    return isinstance(value, float) and math.isfinite(value) and 0 <= value < _LATEST


def is_absolute(time: float) -> bool:
    """Return whether a time is in seconds since 1970."""
    return time >= _ABSOLUTE


def why_log(names: Sequence[str], rows: Sequence[Row], *, is_known_name: bool) -> str:
    """Return why a table is taken for a log, the end of a sentence.

    Its columns have different names, one of them is a step, an epoch or a time, which does not descend, and another one
    has numbers. The name of the file must be a usual one if there is only a time: many tables of data have that.

    Args:
        names: of the columns.
        rows: the first ones; at least one.
        is_known_name: whether the name of the file is one that logs usually have.

    Raises:
        ValueError: it is none; the message says why.
    """
    if not 2 <= len(names) <= MAX_COLUMNS:
        raise ValueError(f"it does not have 2 to {MAX_COLUMNS:,} columns")
    if len(set(names)) < len(names):
        raise ValueError("two columns have the same name")
    if any(not name.strip() or len(name) > _LONGEST_NAME for name in names):
        raise ValueError("the name of a column is empty or too long")
    columns = choose_columns(names, rows[0])
    position = columns.step or (columns.time if is_known_name else None)
    if position is None:
        raise ValueError("no column is a step, and its name is not that of a log")
    values = [value for row in rows if isinstance(value := row.get(position), float)]
    is_ascending = all(later >= earlier for earlier, later in itertools.pairwise(values))
    if len(values) < len(rows) or not (is_ascending or is_known_name) or values[0] < 0:
        raise ValueError(f"its column {position!r} is empty, is negative, has other values than numbers, or descends")
    metrics = set(names) - set(columns)
    if not any(isinstance(row.get(name), float) for row in rows for name in metrics):
        raise ValueError(f"no column but {position!r} has numbers")
    return f"its column {position!r} is a {'step' if columns.step else 'time'}, and others have numbers"
