"""GET /api/histograms: how the values of a tensor were distributed, step by step."""

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from toposcope.server.api.json_reply import Number, json_reply
from toposcope.server.api.payload_query import REFUSED, PayloadList, Point, WindowQuery, list_payloads, number
from toposcope.server.api.snapshot import Current
from toposcope.server.values.histogram import Histogram, read_histogram

router = APIRouter()


class HistogramEntry(BaseModel):
    """The histogram at one step. Null stands for what the file does not say."""

    step: int
    wall_time: Number
    """Seconds since 1970."""
    count: Number
    """All values, as the writer counted them."""
    min: Number | None
    """Over the finite values, like max and sum; null, too, when there are none."""
    max: Number | None
    sum: Number | None
    """0 when no value is finite; null in TensorBoard's newer files."""
    nan_count: int | None
    """Null, like the infinities', in TensorBoard's files: the counts of their buckets may sum up to less than count."""
    pos_inf_count: int | None
    neg_inf_count: int | None
    buckets: list[tuple[Number, Number, Number]]
    """[left edge, width, count], ascending; 2000 at most, neighbours of finer histograms are merged."""


class Histograms(PayloadList):
    """Histograms of one tag."""

    histograms: list[HistogramEntry]


@router.get("/histograms", response_model=Histograms, responses=REFUSED)
def list_histograms(current: Current, query: Annotated[WindowQuery, Query()]) -> Response:
    """List histograms, of whatever encoding, in one form."""
    return json_reply(list_payloads(current, "histogram", query, "histograms", _read))


def _read(point: Point, payload: bytes) -> list[dict[str, Any]]:
    return [_entry(read_histogram(payload, point.kind, point.dialect))]


def _entry(histogram: Histogram) -> dict[str, Any]:
    columns = histogram.buckets
    rows: Iterable[tuple[float, ...]] = zip(*(column.tolist() for column in columns), strict=True)
    is_finite = all(np.isfinite(column).all() for column in columns)
    return {
        "count": number(histogram.total_count),
        "min": number(histogram.min),
        "max": number(histogram.max),
        "sum": number(histogram.sum),
        "nan_count": histogram.nan_count,
        "pos_inf_count": histogram.pos_inf_count,
        "neg_inf_count": histogram.neg_inf_count,
        "buckets": list(rows) if is_finite else [[number(cell) for cell in row] for row in rows],
    }
