"""A metric of many runs as a column, most of which packs of the index contain as one."""

import logging
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from toposcope.server.places.place import reason_of
from toposcope.server.reading.pack import Pack
from toposcope.server.reading.packed_series import PackedSeries
from toposcope.server.reading.segment import DamagedSegmentError
from toposcope.server.reading.series import Float64s
from toposcope.server.reading.series_summary import Statistic
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView

log = logging.getLogger(__name__)


def metric_column(
    overview: Overview, runs: Sequence[RunView], tag: str, which: Statistic
) -> tuple[Float64s, npt.NDArray[np.bool_]]:
    """Return (a statistic of a scalar tag of each run, NaN if there is none; which runs have the tag).

    Args:
        overview: summarises the series that are not in packs.
        runs: any.
        tag: a scalar tag.
        which: the statistic; see SeriesSummary.
    """
    values, present = np.full(len(runs), np.nan), np.zeros(len(runs), np.bool_)
    packed: dict[Pack, tuple[list[int], list[int]]] = {}
    others: list[int] = []
    for row, run in enumerate(runs):
        place = _place_of(run)
        if place is None:
            others.append(row)
        else:
            rows, numbers = packed.setdefault(place[0], ([], []))
            rows.append(row)
            numbers.append(place[1])
    for pack, (rows, numbers) in packed.items():
        try:
            column = pack.summaries(Tag("scalar", tag))
        except (OSError, DamagedSegmentError) as error:
            log.warning("the index in %s cannot be read: %s", pack.path, reason_of(error))
            others += rows
            continue
        if column is not None:
            values[rows], present[rows] = column.statistic(numbers, which)
    for row in others:
        summary = overview.summary(runs[row], tag)
        if summary is not None:
            values[row], present[row] = summary[1].statistic(which), True
    return values, present


def _place_of(run: RunView) -> tuple[Pack, int] | None:
    """Return the pack that contains the scalars of a run, and the number of its file there; None for other runs."""
    file = run.only_file
    series = None if file is None else file.series
    return series.place if isinstance(series, PackedSeries) else None
