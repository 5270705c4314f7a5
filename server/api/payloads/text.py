"""GET /api/text: the texts of a tag."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from toposcope.server.api.payloads.payload_query import PayloadList, Point, WindowQuery, list_payloads
from toposcope.server.api.replies.errors import REQUEST_ERRORS
from toposcope.server.api.replies.json_reply import Number, json_reply
from toposcope.server.api.requests.snapshot import Current
from toposcope.server.values.text import read_text

router = APIRouter(prefix="/api")
_MAX_BYTES = 32 << 20
_UNREAD: dict[str, Any] = {"text": None, "dims": [], "texts": []}


class TextQuery(WindowQuery):
    """Selects texts."""

    longest: int | None = Field(None, ge=0, lt=2**31, description="texts with more bytes are null")


class TextEntry(BaseModel):
    """The text at one step, Markdown by convention. It is untrusted: never insert it as HTML."""

    step: int
    wall_time: Number
    """Seconds since 1970."""
    text: str | None
    """The text; for a table, its texts joined by line breaks. Null if it is longer than requested."""
    dims: list[int]
    """Dimensions of the table, rows first; empty or all 1 for a single text."""
    texts: list[str]
    """The texts of the table in row-major order; empty for a single text."""


class Texts(PayloadList):
    """The texts of one tag."""

    texts: list[TextEntry]


@router.get("/text", response_model=Texts, responses=REQUEST_ERRORS)
def list_texts(current: Current, query: Annotated[TextQuery, Query()]) -> Response:
    """List the texts of a tag."""
    return json_reply(list_payloads(current, "text", query, "texts", _read, _MAX_BYTES, query.longest, _UNREAD))


def _read(point: Point, payload: bytes) -> list[dict[str, Any]]:
    dims, texts = read_text(payload, point.kind)
    return [{"text": "\n".join(texts), "dims": dims, "texts": [] if len(texts) == 1 else texts}]
