"""GET /api/images: the images of a tag; GET /api/images/data: the recorded bytes of one image."""

from typing import Annotated, Any
from urllib.parse import urlencode

import numpy as np
from fastapi import APIRouter, Header, HTTPException, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.errors import INVALID_REQUEST, REQUEST_ERRORS, Problem
from toposcope.server.api.json_reply import Number, etag_matches, json_reply
from toposcope.server.api.payload_query import PayloadList, Point, Series, WindowQuery, list_payloads, point_at
from toposcope.server.api.request_limits import MOST_NAME
from toposcope.server.api.snapshot import Current, find_runs
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.payload import read_payload
from toposcope.server.runs.run import ALL
from toposcope.server.values.image import MEDIA_TYPES, MOST_IMAGES, OTHER, media_type, read_images

router = APIRouter()
_ONE_YEAR = 31_536_000


class ImageEntry(BaseModel):
    """One image; a TensorBoard value may contain several of the same step."""

    step: int
    wall_time: Number
    """Seconds since 1970."""
    index: int
    """Index of the image in its value."""
    width: int | None
    """In pixels, like height; null if neither the event file nor the image states it."""
    height: int | None
    url: str
    """URL of the image, relative to the root of the server; its content never changes."""


class Images(PayloadList):
    """The images of one tag; `total` counts values."""

    images: list[ImageEntry]


class ImageQuery(BaseModel):
    """Selects an image; /api/images returns these URLs."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MOST_NAME, description="name of a run")
    tag: str = Field(max_length=MOST_NAME, description="name of a tag of the run")
    file: str = Field(max_length=MOST_NAME, description="name of an event file of the run")
    inode: int = Field(ge=0, lt=2**64, description="inode of the file, which changes when the file is replaced")
    record: int = Field(ge=0, lt=2**63, description="offset of the record in the file")
    start: int = Field(ge=0, lt=2**32, description="offset of the value in the record")
    index: int = Field(0, ge=0, lt=MOST_IMAGES, description="index of the image in the value")


@router.get("/images", response_model=Images, responses=REQUEST_ERRORS)
def list_images(current: Current, query: Annotated[WindowQuery, Query()]) -> Response:
    """List the images of a tag."""

    def read(point: Point, payload: bytes) -> list[dict[str, Any]]:
        location = {"run": query.run, "tag": query.tag, "file": point.file, "inode": point.inode}
        location |= {"record": point.record, "start": point.start}
        return [
            {
                "index": index,
                "width": image.width,
                "height": image.height,
                "url": f"api/images/data?{urlencode(location | {'index': index})}",
            }
            for index, image in enumerate(read_images(payload, point.kind))
        ]

    return json_reply(list_payloads(current, "image", query, "images", read))


@router.get(
    "/images/data",
    response_class=Response,
    responses={
        200: {"content": {name: {"schema": {"type": "string", "format": "binary"}} for name in (*MEDIA_TYPES, OTHER)}},
        304: {"description": "The image has not changed: its ETag matches If-None-Match."},
        404: {"model": Problem, "description": "There is no image of the tag at this position."},
        410: {"model": Problem, "description": "The image is damaged, or its event file was replaced."},
        **INVALID_REQUEST,
    },
)
def read_image(
    current: Current,
    query: Annotated[ImageQuery, Query()],
    if_none_match: Annotated[str | None, Header(description="ETags of cached images")] = None,
) -> Response:
    """Read the bytes of an image. Formats that are not safe to display in a browser, such as SVG, are attachments."""
    series, row = _find(current, query)
    tag = f'"{query.inode:x}-{query.record:x}-{query.start:x}-{query.index:x}"'
    headers = {"ETag": tag, "Cache-Control": f"private, max-age={_ONE_YEAR}, immutable"}
    if etag_matches(tag, if_none_match):
        return Response(status_code=304, headers=headers)
    try:
        images = read_images(read_payload(series.run, series.payloads, row), point_at(series, row).kind)
    except ValueError as error:
        raise HTTPException(410, str(error)) from error
    if query.index >= len(images):
        raise HTTPException(404, f"no image {query.index} in a value with {len(images)}")
    encoded = images[query.index].encoded
    content_type = media_type(encoded)
    if content_type == OTHER:
        headers["Content-Disposition"] = "attachment"
    return Response(encoded, media_type=content_type, headers=headers)


def _find(current: Snapshot, query: ImageQuery) -> tuple[Series, int]:
    """Return the series and row of an image; only images in the snapshot are served.

    Raises:
        HTTPException: 404 if there is no such image.
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
    location = f"{query.file!r}, record {query.record}, start {query.start}"
    raise HTTPException(404, f"no image of tag {query.tag!r} in run {query.run!r} at {location}")
