"""What requests for scalar series cost, from the numbers of their points."""

from collections.abc import Iterable
from typing import NamedTuple

from toposcope.server.budget.cost import MAX_SECONDS, Cost
from toposcope.server.expressions.program import compiled
from toposcope.server.runs.selection.alignment import position_limits
from toposcope.server.runs.selection.selection import Window, count_inside
from toposcope.server.runs.selection.sources import FoundSeries
from toposcope.server.runs.statistics.smoothing import Median, Requested

# Seconds on a core of 2020; what a request costs need not be known well, only whether it is a hundred times as much.
_SERIES, _CURVE = 60e-6, 40e-6
"""Seconds for a series, and for one that becomes part of a band. A page's request for a thousand series stays light."""
_POINT, _JOINED_POINT, _OPERATION = 5e-9, 20e-9, 2e-9
_SMOOTHED_POINT, _MEDIAN_POINT = 60e-9, 300e-9
_JSON_NUMBER, _CBOR_NUMBER = 100e-9, 4e-9
_CSV_LINE = 1e-6
_CELL = 30e-9
"""Seconds for a position of a band, for each of its series."""
_POINT_BYTES, _OPERAND_BYTES, _RESULT_BYTES, _SMOOTHED_BYTES = 24, 16, 56, 64
_JSON_BYTES, _CBOR_BYTES = 40, 16
"""The bytes of a number, while its column is put together with others."""
_CELL_BYTES, _BAND_BYTES = 16, 32 << 20


class Columns(NamedTuple):
    """What a reply contains of each series."""

    number: int
    is_cbor: bool


def scalars_cost(
    series: Iterable[FoundSeries],
    attempt: int | str | None,
    window: Window,
    smoothing: Requested | None,
    columns: Columns,
) -> Cost:
    """Return the cost of a reply with series, which are computed one after another."""
    seconds, most, numbers = 0.0, 0, 0
    for each in series:
        cost, points = _series_cost(each, attempt, smoothing)
        seconds, most = seconds + cost.seconds, max(most, cost.bytes)
        if not window.points:
            points = count_inside(*each, attempt, window) if each.source.is_plain else points
        numbers += columns.number * min(points, 2 * window.points or points)
    a_number, number_bytes = (_CBOR_NUMBER, _CBOR_BYTES) if columns.is_cbor else (_JSON_NUMBER, _JSON_BYTES)
    return Cost(seconds + numbers * a_number, most + numbers * number_bytes)


def bands_cost(series: Iterable[FoundSeries], attempt: int | str | None, smoothing: Requested | None) -> Cost:
    """Return the cost of the bands of series, which are all in memory together."""
    seconds, most, total, count = 0.0, 0, 0, 0
    for each in series:
        cost, points = _series_cost(each, attempt, smoothing)
        seconds, most = seconds + cost.seconds, max(most, cost.bytes)
        total, count = total + points, count + 1
    positions = min(position_limits(count).positions, total)
    seconds += count * (_CURVE + positions * _CELL)
    aligned = min(positions * count * _CELL_BYTES, _BAND_BYTES)
    return Cost(seconds, most + total * _CELL_BYTES + positions * _RESULT_BYTES + aligned)


def download_cost(series: Iterable[FoundSeries], attempt: int | str | None) -> Cost:
    """Return the cost of a download of series, one of which is in memory at a time; it may take any time."""
    seconds, most = 0.0, 0
    for each in series:
        cost, points = _series_cost(each, attempt, None)
        seconds, most = seconds + cost.seconds + points * _CSV_LINE, max(most, cost.bytes)
    return Cost(min(seconds, MAX_SECONDS), most)


def _series_cost(found: FoundSeries, attempt: int | str | None, smoothing: Requested | None) -> tuple[Cost, int]:
    """Return (the cost of selecting from a series, about how many points it has)."""
    source, run, rank = found
    totals = [run.points(tag, rank, attempt).total for tag in source.tags]
    points = sum(totals) if source.join == "last" else max(totals)
    seconds, size = _SERIES + sum(totals) * _POINT, points * _POINT_BYTES
    if not source.is_plain:
        program = compiled(source.tree)
        rates = len(program.leaves)
        seconds += sum(totals) * _JOINED_POINT + points * len(program.operations) * _OPERATION
        size += sum(totals) * _OPERAND_BYTES + points * _RESULT_BYTES * rates
    if smoothing is not None:
        seconds += points * (_MEDIAN_POINT if isinstance(smoothing, Median) else _SMOOTHED_POINT)
        size += points * _SMOOTHED_BYTES
    return Cost(seconds, size), points
