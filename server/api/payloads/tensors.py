"""GET /api/tensors: the tensors of a tag with statistics; GET /api/tensors/data: the elements of one tensor."""

import hashlib
import re
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Header, HTTPException, Query, Response
from pydantic import BaseModel, Field

from toposcope.server.api.payloads.payload_query import (
    PayloadList,
    PayloadQuery,
    Point,
    Series,
    WindowQuery,
    find_series,
    list_payloads,
    point_at,
)
from toposcope.server.api.replies.array_reply import Nested, nested, npy_reply
from toposcope.server.api.replies.errors import REQUEST_ERRORS, Problem
from toposcope.server.api.replies.json_reply import Number, etag_matches, json_number, json_reply
from toposcope.server.api.requests.snapshot import Current
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.values.statistics import Statistics, statistics
from toposcope.server.values.tensor import Tensor, read_tensor
from toposcope.server.values.tensor_slice import parse_slice

router = APIRouter(prefix="/api")
MAX_ELEMENTS = 1_000_000
"""The number of elements of a reply in JSON."""


class TensorEntry(BaseModel):
    """The tensor at one step. Statistics of complex numbers are of their magnitudes; bools count as 0 and 1."""

    step: int
    wall_time: Number
    """Seconds since 1970."""
    dims: list[int]
    """Dimensions, outermost first."""
    dtype: str
    """The NumPy name, "bfloat16", or a name such as "string" if the tensor has no numbers."""
    count: int
    """All elements, including NaN and infinities."""
    min: Number | None
    """Over the finite elements, like max and mean; null if there are none. Integers are exact."""
    max: Number | None
    mean: Number | None
    nan_count: int
    pos_inf_count: int
    neg_inf_count: int


class Tensors(PayloadList):
    """The tensors of one tag."""

    tensors: list[TensorEntry]


class TensorQuery(PayloadQuery):
    """Selects a tensor and a part of it."""

    step: int | None = Field(
        None,
        ge=-(2**63),
        lt=2**63,
        description="default: the last step; of several points at a step, the last one",
    )
    wall_time: float | None = Field(None, description="distinguishes points with the same step")
    slice: str = Field(
        "",
        max_length=1000,
        description="part of the tensor in NumPy's notation: indices, ranges and '...'; default: all of it",
        examples=["[0,:,1:5]"],
        json_schema_extra={"pattern": r"^[\[\]0-9:,. -]*$"},
    )
    format: Literal["json", "npy"] = Field("json", description="npy: the exact array, of any size")


class TensorData(BaseModel):
    """A part of one tensor."""

    run: str
    tag: str
    rank: int | None
    attempt: int | Literal["all"] | None
    step: int
    wall_time: Number
    """Seconds since 1970."""
    dtype: str
    tensor_dims: list[int]
    """Dimensions of the whole tensor."""
    dims: list[int]
    """Dimensions of the part."""
    data: Nested
    """The part as nested lists; complex numbers are [real, imaginary]."""


@router.get("/tensors", response_model=Tensors, responses=REQUEST_ERRORS)
def list_tensors(current: Current, query: Annotated[WindowQuery, Query()]) -> Response:
    """List the tensors of a tag with statistics."""
    return json_reply(list_payloads(current, "tensor", query, "tensors", _read))


def _read(point: Point, payload: bytes) -> list[dict[str, Any]]:
    tensor = read_tensor(payload, point.dialect)
    summary = Statistics(0, None, None, None, 0, 0, 0) if tensor.values is None else statistics(tensor.values)
    return [
        {
            "dims": tensor.dims,
            "dtype": tensor.dtype,
            "count": summary.total_count,
            "min": json_number(summary.min),
            "max": json_number(summary.max),
            "mean": json_number(summary.mean),
            "nan_count": summary.nan_count,
            "pos_inf_count": summary.pos_inf_count,
            "neg_inf_count": summary.neg_inf_count,
        }
    ]


@router.get(
    "/tensors/data",
    response_model=TensorData,
    responses={
        **REQUEST_ERRORS,
        200: {
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
            "headers": {
                "Toposcope-Dtype": {
                    "description": "With format=npy: the data type of the tensor. bfloat16 is converted to float32.",
                    "schema": {"type": "string"},
                }
            },
        },
        304: {"description": "The tensor has not changed: its ETag matches If-None-Match."},
        410: {"model": Problem, "description": "The tensor is damaged, or its event file was replaced."},
    },
)
def read_tensor_data(
    current: Current,
    query: Annotated[TensorQuery, Query()],
    if_none_match: Annotated[str | None, Header(description="ETags of cached tensors")] = None,
) -> Response:
    """Read the elements of one tensor, or of a part of it."""
    series = find_series(current, "tensor", query)
    row = _choose(series, query)
    point = point_at(series, row)
    headers = {"ETag": _etag(point)}
    if etag_matches(headers["ETag"], if_none_match):
        return Response(status_code=304, headers=headers)
    try:
        tensor = read_tensor(read_payload(series.run, series.payloads, row), point.dialect)
    except ValueError as error:
        raise HTTPException(410, str(error)) from error
    part = _part(tensor, query)
    if query.format == "npy":
        name = f"{re.sub(r'[^A-Za-z0-9.-]+', '_', query.tag)[:100]}_{point.step}.npy"
        return npy_reply(part, name, headers | {"Toposcope-Dtype": tensor.dtype})
    return json_reply(
        {
            "run": query.run,
            "tag": query.tag,
            "rank": series.rank,
            "attempt": query.attempt,
            "step": point.step,
            "wall_time": json_number(point.wall_time),
            "dtype": tensor.dtype,
            "tensor_dims": tensor.dims,
            "dims": part.shape,
            "data": nested(part),
        },
        headers,
    )


def _etag(point: Point) -> str:
    """Return an ETag that identifies the point; weak, as JSON replies are compressed."""
    return f'W/"{hashlib.sha256(repr(point).encode()).hexdigest()[:32]}"'


def _choose(series: Series, query: TensorQuery) -> int:
    """Return the row of the last matching point.

    Raises:
        HTTPException: 404 if no point matches.
    """
    payloads = series.payloads
    matches = np.ones(payloads.total, np.bool_)
    if query.step is not None:
        matches &= payloads.step == query.step
    if query.wall_time is not None:
        matches &= payloads.wall_time == query.wall_time
    rows = np.flatnonzero(matches)
    if not rows.size:
        filters = {"step": query.step, "wall_time": query.wall_time, "rank": query.rank, "attempt": query.attempt}
        listed = ", ".join(f"{name}={value}" for name, value in filters.items() if value is not None)
        raise HTTPException(404, f"no tensor of tag {query.tag!r} in run {query.run!r} with {listed}")
    return int(rows[-1])


def _part(tensor: Tensor, query: TensorQuery) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the selected part of a tensor as a view.

    Raises:
        HTTPException: 422 if the tensor has no numbers or no such part, or the part is too large for JSON.
    """
    if tensor.values is None:
        raise HTTPException(422, f"the tensor of tag {query.tag!r} has dtype {tensor.dtype}: expected numbers")
    try:
        part = np.asarray(tensor.values[parse_slice(query.slice, tensor.dims)])
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
    if query.format == "json" and part.size > MAX_ELEMENTS:
        raise HTTPException(
            422,
            f"slice={query.slice!r} of a tensor with dims {list(tensor.dims)} has {part.size} elements, more than the "
            f"{MAX_ELEMENTS} of a JSON reply: select a smaller slice, or format=npy",
        )
    return part
