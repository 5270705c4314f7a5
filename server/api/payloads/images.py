"""GET /api/images: the images of a tag; GET /api/images/data: the recorded bytes of one image."""

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Header, HTTPException, Query, Response
from pydantic import BaseModel

from toposcope.server.api.payloads.payload_address import PayloadAddress, address_of, find_payload
from toposcope.server.api.payloads.payload_query import PayloadList, Point, WindowQuery, list_payloads, point_at
from toposcope.server.api.replies.errors import INVALID_REQUEST, REQUEST_ERRORS, Problem
from toposcope.server.api.replies.json_reply import Number, etag_matches, json_reply
from toposcope.server.api.requests.snapshot import Current
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.values.image import MEDIA_TYPES, OTHER, media_type, read_images
from toposcope.server.values.image_format import is_animated, is_deep, is_truncated

router = APIRouter(prefix="/api")


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
    animated: bool
    """Whether the image is an animation in the format GIF or WebP, as videos of TensorBoard's writers are."""
    deep: bool
    """Whether the image is a PNG with 16 bits a channel, of which browsers decode the upper eight."""
    truncated: bool
    """Whether the end of the image is missing."""
    url: str
    """URL of the image, relative to the root of the server; its content never changes."""


class Images(PayloadList):
    """The images of one tag; `total` counts values."""

    images: list[ImageEntry]


@router.get("/images", response_model=Images, responses=REQUEST_ERRORS)
def list_images(current: Current, query: Annotated[WindowQuery, Query()]) -> Response:
    """List the images of a tag."""

    def read(point: Point, payload: bytes) -> list[dict[str, Any]]:
        location = address_of(query, point)
        return [
            {
                "index": index,
                "width": image.width,
                "height": image.height,
                "animated": is_animated(image.encoded),
                "deep": is_deep(image.encoded),
                "truncated": is_truncated(image.encoded),
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
    query: Annotated[PayloadAddress, Query()],
    if_none_match: Annotated[str | None, Header(description="ETags of cached images")] = None,
) -> Response:
    """Read the bytes of an image. Formats that are not safe to display in a browser, such as SVG, are attachments."""
    series, row = find_payload(current, "image", query)
    headers = query.headers
    if etag_matches(query.etag, if_none_match):
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
