"""What is known of the files of a pack, as columns by the number of the file."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.places.place import Status
from toposcope.server.reading.records.counters import Counters
from toposcope.server.reading.records.version_event import Version
from toposcope.server.reading.series.series import Float64s, Int64s

Mask = npt.NDArray[np.bool_]


class PackColumns(NamedTuple):
    """A row for each file."""

    started: Float64s
    """The first wall_time of its events, in seconds since 1970; NaN: it has no events."""
    updated: Float64s
    """Largest wall_time of its events."""
    modified: Float64s
    """When it was last written, in seconds since 1970."""
    first_step: Float64s
    """Smallest step of its summaries; NaN: it has none."""
    last_step: Float64s
    """Largest step of its summaries."""
    dialect: npt.NDArray[np.object_]
    has_marks: Mask
    """Whether it has a start mark or an end mark."""
    is_finite: Mask
    """Whether all values of its scalar series are finite."""
    damage: Int64s
    """Number of damaged places."""
    tags: Int64s
    """Which of the lists of tags in the pack is its own."""


def make_columns(
    statuses: Sequence[Status],
    versions: Sequence[Version],
    counters: Sequence[Counters],
    damage: Sequence[Sequence[Any]],
    tags: Sequence[int],
    is_finite: Sequence[bool],
) -> PackColumns:
    """Return the columns of files, from what is known of each."""
    started, updated = (
        np.array([getattr(each, name) for each in counters], np.uint64) for name in ("first_wall", "last_wall")
    )
    has_events = started > 0
    first, last = (np.array([getattr(each, name) for each in counters], float) for name in ("min_step", "max_step"))
    has_steps = np.array([each.summaries > 0 for each in counters], np.bool_)
    ended = np.array([each.end is not None for each in counters], np.bool_)
    return PackColumns(
        np.where(has_events, started.view(np.float64), np.nan),
        np.where(has_events, updated.view(np.float64), np.nan),
        np.array([status.modified for status in statuses], np.float64),
        np.where(has_steps, first, np.nan),
        np.where(has_steps, last, np.nan),
        np.array([version.shown_dialect for version in versions], object),
        ended | np.array([version.start is not None for version in versions], np.bool_),
        np.array(is_finite, np.bool_),
        np.array([len(each) for each in damage], np.int64),
        np.array(tags, np.int64),
    )
