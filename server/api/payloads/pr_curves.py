"""GET /api/pr_curves: the precision-recall curves of a tag."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from toposcope.server.api.payloads.payload_query import PayloadList, Point, WindowQuery, list_payloads
from toposcope.server.api.replies.errors import REQUEST_ERRORS
from toposcope.server.api.replies.json_reply import Number, json_number, json_numbers, json_reply
from toposcope.server.api.requests.snapshot import Current
from toposcope.server.values.pr_curve import read_pr_curve

router = APIRouter(prefix="/api")
_MAX_BYTES = 8 << 20


class PrCurveEntry(BaseModel):
    """The curve at one step. Its lists have one number for each threshold; at most 1000, evenly spaced."""

    step: int
    wall_time: Number
    """Seconds since 1970."""
    thresholds: list[Number]
    """Ascending, evenly spaced from 0 to 1, without the last ones that no prediction reaches."""
    true_positives: list[Number]
    false_positives: list[Number]
    true_negatives: list[Number]
    false_negatives: list[Number]
    precision: list[Number]
    recall: list[Number]
    average_precision: Number
    """The mean of the precision, weighted by the increase of recall from each threshold to the next lower one."""


class PrCurves(PayloadList):
    """The precision-recall curves of one tag."""

    curves: list[PrCurveEntry]


@router.get("/pr_curves", response_model=PrCurves, responses=REQUEST_ERRORS)
def list_pr_curves(current: Current, query: Annotated[WindowQuery, Query()]) -> Response:
    """List the precision-recall curves of a tag."""
    return json_reply(list_payloads(current, "pr_curves", query, "curves", _read, _MAX_BYTES))


def _read(point: Point, payload: bytes) -> list[dict[str, Any]]:
    del point
    *columns, average = read_pr_curve(payload)
    names = list(PrCurveEntry.model_fields)[2:-1]
    numbers = {name: json_numbers(column) for name, column in zip(names, columns, strict=True)}
    return [numbers | {"average_precision": json_number(average)}]
