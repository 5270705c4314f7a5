"""GET /api/histograms: the distribution of a tensor's values at each step."""

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from toposcope.server.api.payloads.payload_query import PayloadList, Point, WindowQuery, list_payloads
from toposcope.server.api.replies.errors import REQUEST_ERRORS
from toposcope.server.api.replies.json_reply import Number, json_number, json_reply
from toposcope.server.api.requests.snapshot import Current
from toposcope.server.values.histogram import Histogram, read_histogram

router = APIRouter(prefix="/api")


class HistogramEntry(BaseModel):
    """The histogram at one step. Fields that the file does not record are null."""

    step: int
    wall_time: Number
    """Seconds since 1970."""
    count: Number
    """Number of values, as counted by the writer."""
    min: Number | None
    """Over the finite values, like max and sum; also null if there are none."""
    max: Number | None
    sum: Number | None
    """0 if no value is finite; null in newer TensorBoard files."""
    nan_count: int | None
    """Null, like those of infinities, in TensorBoard files, whose bucket counts may sum up to less than count."""
    pos_inf_count: int | None
    neg_inf_count: int | None
    buckets: list[tuple[Number, Number, Number]]
    """[left edge, width, count], ascending; at most 2000, as adjacent buckets are merged."""


class Histograms(PayloadList):
    """The histograms of one tag."""

    histograms: list[HistogramEntry]


@router.get("/histograms", response_model=Histograms, responses=REQUEST_ERRORS)
def list_histograms(current: Current, query: Annotated[WindowQuery, Query()]) -> Response:
    """List the histograms of a tag; all encodings are converted to one form."""
    return json_reply(list_payloads(current, "histogram", query, "histograms", _read))


def _read(point: Point, payload: bytes) -> list[dict[str, Any]]:
    return [_entry(read_histogram(payload, point.kind, point.dialect))]


def _entry(histogram: Histogram) -> dict[str, Any]:
    columns = histogram.buckets
    rows: Iterable[tuple[float, ...]] = zip(*(column.tolist() for column in columns), strict=True)
    is_finite = all(np.isfinite(column).all() for column in columns)
    return {
        "count": json_number(histogram.total_count),
        "min": json_number(histogram.min),
        "max": json_number(histogram.max),
        "sum": json_number(histogram.sum),
        "nan_count": histogram.nan_count,
        "pos_inf_count": histogram.pos_inf_count,
        "neg_inf_count": histogram.neg_inf_count,
        "buckets": list(rows) if is_finite else [[json_number(cell) for cell in row] for row in rows],
    }
