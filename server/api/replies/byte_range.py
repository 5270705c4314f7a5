"""Replies with a part of their content, which players of audio request: RFC 9110, 14."""

import re

from fastapi import Response

_RANGE = re.compile(r"bytes=(\d{0,19})-(\d{0,19})")


def ranged_reply(
    content: memoryview, media_type: str, headers: dict[str, str], requested: str | None, if_range: str | None
) -> Response:
    """Return the requested part of the content, or all of it.

    Args:
        content: all of it.
        media_type: of the content.
        headers: of the reply, with its ETag.
        requested: the header Range; several parts, or what is not a range of bytes, is ignored.
        if_range: the header If-Range: the part is only of interest if this is the ETag.
    """
    headers = {**headers, "Accept-Ranges": "bytes"}
    match = _RANGE.fullmatch((requested or "").strip())
    if not match or not any(match.groups()) or (if_range is not None and if_range != headers.get("ETag")):
        return Response(content, media_type=media_type, headers=headers)
    span = _span(match[1], match[2], len(content))
    if span is None:
        return Response(status_code=416, headers={**headers, "Content-Range": f"bytes */{len(content)}"})
    start, end = span
    headers["Content-Range"] = f"bytes {start}-{end - 1}/{len(content)}"
    return Response(content[start:end], status_code=206, media_type=media_type, headers=headers)


def _span(first: str, last: str, size: int) -> tuple[int, int] | None:
    """Return (start, end) of a part, which is not empty; None if the content has no such part."""
    if not first:
        start, end = max(0, size - int(last)), size
    else:
        start, end = int(first), min(size, int(last) + 1) if last else size
    return (start, end) if start < end else None
