"""GET /api/tensors: the tensors of a tag with their statistics; GET /api/tensors/data: the elements of one of them."""

import hashlib
import re
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Header, HTTPException, Query, Response
from pydantic import BaseModel, Field

from toposcope.server.api.array_reply import Nested, nested, npy_reply
from toposcope.server.api.json_reply import Number, is_known, json_reply
from toposcope.server.api.payload_query import (
    REFUSED,
    PayloadList,
    PayloadQuery,
    Point,
    Problem,
    Series,
    WindowQuery,
    find_series,
    list_payloads,
    number,
    point_at,
)
from toposcope.server.api.snapshot import Current
from toposcope.server.runs.payload import read_payload
from toposcope.server.values.statistics import Statistics, statistics
from toposcope.server.values.tensor import Tensor, read_tensor
from toposcope.server.values.tensor_slice import parse_slice

router = APIRouter()
MOST_ELEMENTS = 1_000_000
"""Of a reply in JSON."""


class TensorEntry(BaseModel):
    """The tensor at one step. Of complex numbers the magnitudes are compared, of bools 0 and 1."""

    step: int
    wall_time: Number
    """Seconds since 1970."""
    dims: list[int]
    """Sizes, outermost first."""
    dtype: str
    """As NumPy names it, or "bfloat16", or "string" and the like for what holds no numbers."""
    count: int
    """All elements, NaN and infinities included."""
    min: Number | None
    """Over the finite elements, like max and mean; null when there are none. Exact: integers stay integers."""
    max: Number | None
    mean: Number | None
    nan_count: int
    pos_inf_count: int
    neg_inf_count: int


class Tensors(PayloadList):
    """Tensors of one tag."""

    tensors: list[TensorEntry]


class TensorQuery(PayloadQuery):
    """Which tensor, and which part of it."""

    step: int | None = Field(
        None, ge=-(2**63), lt=2**63, description="absent: the last one; of several points of a step, the newest is read"
    )
    wall_time: float | None = Field(None, description="tells points of the same step apart")
    slice: str = Field(
        "",
        max_length=1000,
        description="part of the tensor as NumPy writes it: indices, ranges and '...'; absent: all of it",
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
    """Sizes of the whole tensor."""
    dims: list[int]
    """Sizes of the part."""
    data: Nested
    """The part as lists in lists; a complex number as [real, imaginary]."""


@router.get("/tensors", response_model=Tensors, responses=REFUSED)
def list_tensors(current: Current, query: Annotated[WindowQuery, Query()]) -> Response:
    """List tensors with their statistics."""
    return json_reply(list_payloads(current, "tensor", query, "tensors", _read))


def _read(point: Point, payload: bytes) -> list[dict[str, Any]]:
    tensor = read_tensor(payload, point.dialect)
    found = Statistics(0, None, None, None, 0, 0, 0) if tensor.values is None else statistics(tensor.values)
    return [
        {
            "dims": tensor.dims,
            "dtype": tensor.dtype,
            "count": found.total_count,
            "min": number(found.min),
            "max": number(found.max),
            "mean": number(found.mean),
            "nan_count": found.nan_count,
            "pos_inf_count": found.pos_inf_count,
            "neg_inf_count": found.neg_inf_count,
        }
    ]


@router.get(
    "/tensors/data",
    response_model=TensorData,
    responses={
        **REFUSED,
        200: {
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
            "headers": {
                "Toposcope-Dtype": {
                    "description": "With format=npy: the tensor's data type. A bfloat16 array arrives as float32.",
                    "schema": {"type": "string"},
                }
            },
        },
        304: {"description": "The tensor is the one that If-None-Match names."},
        410: {"model": Problem, "description": "The tensor is damaged, or its file was replaced."},
    },
)
def read_tensor_data(
    current: Current,
    query: Annotated[TensorQuery, Query()],
    if_none_match: Annotated[str | None, Header(description="ETags of tensors that are there already")] = None,
) -> Response:
    """Read the elements of one tensor, or of a part of it."""
    series = find_series(current, "tensor", query)
    row = _choose(series, query)
    point = point_at(series, row)
    headers = {"ETag": _etag(point)}
    if is_known(headers["ETag"], if_none_match):
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
            "wall_time": number(point.wall_time),
            "dtype": tensor.dtype,
            "tensor_dims": tensor.dims,
            "dims": part.shape,
            "data": nested(part),
        },
        headers,
    )


def _etag(point: Point) -> str:
    """Return what tells the point from any other that the same address may name later; weak, as JSON is zipped."""
    return f'W/"{hashlib.sha256(repr(point).encode()).hexdigest()[:32]}"'


def _choose(series: Series, query: TensorQuery) -> int:
    """Return the row of the point that is asked for: the last that fits.

    Raises:
        HTTPException: 404 when there is none.
    """
    payloads = series.payloads
    fits = np.ones(payloads.total, np.bool_)
    if query.step is not None:
        fits &= payloads.step == query.step
    if query.wall_time is not None:
        fits &= payloads.wall_time == query.wall_time
    rows = np.flatnonzero(fits)
    if not rows.size:
        asked = {"step": query.step, "wall_time": query.wall_time, "rank": query.rank, "attempt": query.attempt}
        shown = ", ".join(f"{name}={value}" for name, value in asked.items() if value is not None)
        raise HTTPException(404, f"no tensor of tag {query.tag!r} in run {query.run!r} with {shown}")
    return int(rows[-1])


def _part(tensor: Tensor, query: TensorQuery) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the part of a tensor that is asked for, as a view.

    Raises:
        HTTPException: 422 when the tensor holds no numbers, has no such part, or the part is too large for JSON.
    """
    if tensor.values is None:
        raise HTTPException(422, f"tag {query.tag!r} holds a tensor of {tensor.dtype}: expected numbers")
    try:
        part = np.asarray(tensor.values[parse_slice(query.slice, tensor.dims)])
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
    if query.format == "json" and part.size > MOST_ELEMENTS:
        raise HTTPException(
            422,
            f"slice={query.slice!r} of a tensor of dims {list(tensor.dims)} has {part.size} elements, JSON takes "
            f"{MOST_ELEMENTS}: ask for a smaller slice, or for format=npy",
        )
    return part
