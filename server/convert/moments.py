"""The points of an event file in the order of their times: what was recorded together is one moment."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.series.series import Payloads, Points
from toposcope.server.reading.tag_table import Tag


class Moment(NamedTuple):
    """Consecutive points with the same time and step."""

    wall_time: float
    """Seconds since 1970."""
    step: int
    scalars: list[tuple[str, float]]
    """Tags and values."""
    others: list[tuple[Tag, int]]
    """Tags of other plugins, and which of their points."""


def moments(file: FileView) -> Iterator[Moment]:
    """Yield all points of a file; those of one series stay in the order of the file, whatever their times are."""
    tags, series = list(file.series), list(file.series.values())
    if not series:
        return
    # A clock that was set back must not change the order in a series.
    keys = np.concatenate([np.maximum.accumulate(each.wall_time) for each in series])
    numbers = np.repeat(np.arange(len(series)), [each.total for each in series])
    rows = np.concatenate([np.arange(each.total) for each in series])
    order = np.argsort(keys, kind="stable")
    columns = [_columns(each) for each in series]
    moment: Moment | None = None
    for number, row in zip(numbers[order].tolist(), rows[order].tolist(), strict=True):
        tag, (steps, wall_times, values) = tags[number], columns[number]
        step, wall_time = steps[row], wall_times[row]
        if moment is None or moment.step != step or moment.wall_time != wall_time:
            if moment is not None:
                yield moment
            moment = Moment(wall_time, step, [], [])
        if values is None:
            moment.others.append((tag, row))
        else:
            moment.scalars.append((tag.name, values[row]))
    if moment is not None:
        yield moment


def _columns(series: Points | Payloads) -> tuple[list[int], list[float], list[float] | None]:
    """Return the steps, the times, and the values of scalars."""
    values = series.value.tolist() if isinstance(series, Points) else None
    return series.step.tolist(), series.wall_time.tolist(), values
