"""GET /api/audio: the audio clips of a tag; GET /api/audio/data: the recorded bytes of one clip."""

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Header, HTTPException, Query, Response
from pydantic import BaseModel

from toposcope.server.api.payloads.payload_address import PayloadAddress, address_of, find_payload
from toposcope.server.api.payloads.payload_query import PayloadList, Point, WindowQuery, list_payloads, point_at
from toposcope.server.api.replies.byte_range import ranged_reply
from toposcope.server.api.replies.errors import INVALID_REQUEST, REQUEST_ERRORS, Problem
from toposcope.server.api.replies.json_reply import Number, etag_matches, json_reply
from toposcope.server.api.requests.snapshot import Current
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.values.audio import Clip, read_clips
from toposcope.server.values.audio_format import MEDIA_TYPES, OTHER, audio_media_type

router = APIRouter(prefix="/api")


class AudioEntry(BaseModel):
    """One audio clip; a TensorBoard value may contain several of the same step."""

    step: int
    wall_time: Number
    """Seconds since 1970."""
    index: int
    """Index of the clip in its value."""
    label: str
    """What the writer says about the clip, often nothing. It is untrusted: never insert it as HTML."""
    media_type: str
    """Detected from the clip: audio/wav, audio/mpeg, audio/ogg or audio/flac; else application/octet-stream."""
    sample_rate: int | None
    """Samples per second of each channel; null if neither the event file nor the clip states it, like those below."""
    channels: int | None
    frames: int | None
    """Samples of each channel."""
    bytes: int
    url: str
    """URL of the clip, relative to the root of the server; its content never changes."""


class AudioClips(PayloadList):
    """The audio clips of one tag; `total` counts values."""

    clips: list[AudioEntry]


@router.get("/audio", response_model=AudioClips, responses=REQUEST_ERRORS)
def list_audio(current: Current, query: Annotated[WindowQuery, Query()]) -> Response:
    """List the audio clips of a tag."""

    def read(point: Point, payload: bytes) -> list[dict[str, Any]]:
        location = address_of(query, point)
        return [
            _entry(clip, index, f"api/audio/data?{urlencode(location | {'index': index})}")
            for index, clip in enumerate(read_clips(payload, point.kind))
        ]

    return json_reply(list_payloads(current, "audio", query, "clips", read))


@router.get(
    "/audio/data",
    response_class=Response,
    responses={
        200: {"content": {name: {"schema": {"type": "string", "format": "binary"}} for name in (*MEDIA_TYPES, OTHER)}},
        206: {"description": "The part of the clip that the header Range requests."},
        304: {"description": "The clip has not changed: its ETag matches If-None-Match."},
        404: {"model": Problem, "description": "There is no clip of the tag at this position."},
        410: {"model": Problem, "description": "The clip is damaged, or its event file was replaced."},
        416: {"description": "The clip is shorter than the start of the requested part."},
        **INVALID_REQUEST,
    },
)
def read_audio(
    current: Current,
    query: Annotated[PayloadAddress, Query()],
    if_none_match: Annotated[str | None, Header(description="ETags of cached clips")] = None,
    requested: Annotated[str | None, Header(alias="Range", description="part of the clip, such as bytes=0-99")] = None,
    if_range: Annotated[str | None, Header(description="ETag that the part must belong to")] = None,
) -> Response:
    """Read the bytes of a clip. Formats that browsers do not play are attachments."""
    series, row = find_payload(current, "audio", query)
    headers = query.headers
    if etag_matches(query.etag, if_none_match):
        return Response(status_code=304, headers=headers)
    try:
        clips = read_clips(read_payload(series.run, series.payloads, row), point_at(series, row).kind)
    except ValueError as error:
        raise HTTPException(410, str(error)) from error
    if query.index >= len(clips):
        raise HTTPException(404, f"no clip {query.index} in a value with {len(clips)}")
    encoded = clips[query.index].encoded
    media_type = audio_media_type(encoded)
    if media_type == OTHER:
        headers["Content-Disposition"] = "attachment"
    return ranged_reply(encoded, media_type, headers, requested, if_range)


def _entry(clip: Clip, index: int, url: str) -> dict[str, Any]:
    return {
        "index": index,
        "label": clip.label,
        "media_type": audio_media_type(clip.encoded),
        "sample_rate": clip.facts.sample_rate or None,
        "channels": clip.facts.channels or None,
        "frames": clip.facts.frames or None,
        "bytes": len(clip.encoded),
        "url": url,
    }
