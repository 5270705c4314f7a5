"""GET /api/images: the images of a tag; GET /api/images/data: one of them, as the bytes that were recorded."""

from typing import Annotated, Any
from urllib.parse import urlencode

import numpy as np
from fastapi import APIRouter, Header, HTTPException, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.json_reply import Number, is_known, json_reply
from toposcope.server.api.payload_query import (
    MOST_NAME,
    REFUSED,
    PayloadList,
    Point,
    Problem,
    Series,
    WindowQuery,
    list_payloads,
    point_at,
)
from toposcope.server.api.snapshot import Current, find_runs
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.payload import read_payload
from toposcope.server.runs.run import ALL
from toposcope.server.values.image import MEDIA_TYPES, MOST_IMAGES, OTHER, media_type, read_images

router = APIRouter()
_ONE_YEAR = 31_536_000


class ImageEntry(BaseModel):
    """One image; a value of TensorBoard's may hold several, of the same step."""

    step: int
    wall_time: Number
    """Seconds since 1970."""
    index: int
    """Which image of its value."""
    width: int | None
    """In pixels, like height; null when neither the file nor the picture says it."""
    height: int | None
    url: str
    """Address of the picture, relative to the server's root; what it names never changes."""


class Images(PayloadList):
    """Images of one tag; `total` counts values."""

    images: list[ImageEntry]


class ImageQuery(BaseModel):
    """Which picture; /api/images makes these addresses."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MOST_NAME, description="name of a run")
    tag: str = Field(max_length=MOST_NAME, description="name of a tag of it")
    file: str = Field(max_length=MOST_NAME, description="name of an event file of the run")
    inode: int = Field(ge=0, lt=2**64, description="tells the file from another that takes its place")
    record: int = Field(ge=0, lt=2**63, description="where in the file the record begins")
    start: int = Field(ge=0, lt=2**32, description="where in the record the value begins")
    index: int = Field(0, ge=0, lt=MOST_IMAGES, description="which picture of the value")


@router.get("/images", response_model=Images, responses=REFUSED)
def list_images(current: Current, query: Annotated[WindowQuery, Query()]) -> Response:
    """List images."""

    def read(point: Point, payload: bytes) -> list[dict[str, Any]]:
        place = {"run": query.run, "tag": query.tag, "file": point.file, "inode": point.inode}
        place |= {"record": point.record, "start": point.start}
        return [
            {
                "index": index,
                "width": image.width,
                "height": image.height,
                "url": f"api/images/data?{urlencode(place | {'index': index})}",
            }
            for index, image in enumerate(read_images(payload, point.kind))
        ]

    return json_reply(list_payloads(current, "image", query, "images", read))


@router.get(
    "/images/data",
    response_class=Response,
    responses={
        200: {"content": {name: {"schema": {"type": "string", "format": "binary"}} for name in (*MEDIA_TYPES, OTHER)}},
        304: {"description": "The picture is the one that If-None-Match names."},
        404: {"model": Problem, "description": "No image of that tag stands there."},
        410: {"model": Problem, "description": "The image is damaged, or its file was replaced."},
        422: REFUSED[422],
    },
)
def read_image(
    current: Current,
    query: Annotated[ImageQuery, Query()],
    if_none_match: Annotated[str | None, Header(description="ETags of pictures that are there already")] = None,
) -> Response:
    """Read one picture. What is no picture that every browser draws safely, SVG for one, is an attachment."""
    series, row = _find(current, query)
    tag = f'"{query.inode:x}-{query.record:x}-{query.start:x}-{query.index:x}"'
    headers = {"ETag": tag, "Cache-Control": f"private, max-age={_ONE_YEAR}, immutable"}
    if is_known(tag, if_none_match):
        return Response(status_code=304, headers=headers)
    try:
        images = read_images(read_payload(series.run, series.payloads, row), point_at(series, row).kind)
    except ValueError as error:
        raise HTTPException(410, str(error)) from error
    if query.index >= len(images):
        raise HTTPException(404, f"no image {query.index} in a value of {len(images)}")
    encoded = images[query.index].encoded
    found = media_type(encoded)
    if found == OTHER:
        headers["Content-Disposition"] = "attachment"
    return Response(encoded, media_type=found, headers=headers)


def _find(current: Snapshot, query: ImageQuery) -> tuple[Series, int]:
    """Return where the picture is among the images that the run is known to hold: no other bytes are served.

    Raises:
        HTTPException: 404 when it is not there.
    """
    runs = find_runs(current, [query.run])
    run, tag = runs[0], Tag("image", query.tag)
    for rank in run.ranks_of(tag, ALL):
        payloads = run.payloads(tag, rank, ALL)
        series = Series(run, rank, payloads)
        for row in np.flatnonzero((payloads.record == query.record) & (payloads.start == query.start)).tolist():
            point = point_at(series, row)
            if (point.file, point.inode) == (query.file, query.inode):
                return series, row
    where = f"{query.file!r}, record {query.record}, start {query.start}"
    raise HTTPException(404, f"no image of tag {query.tag!r} in run {query.run!r} at {where}")
