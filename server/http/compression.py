"""Compression of replies: with zstd if the client accepts it, else with gzip."""

import asyncio

import zstandard
from starlette.datastructures import Headers
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware, IdentityResponder
from starlette.types import ASGIApp, Receive, Scope, Send

_LEAST_BYTES = 4096
_GZIP_LEVEL, _ZSTD_LEVEL = 1, 2
"""Higher levels take longer to compress than what they save takes to send."""
_LONG_BYTES = 128 << 10
"""The size of a body that is compressed in another thread, so that other requests do not wait for it."""
# Arrays hardly shrink, and compressing them takes ten times as long as sending them. Reports of
# progress must not wait for more.
_NOT_COMPRESSED = (*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/octet-stream", "application/x-ndjson")


class Compression(GZipMiddleware):
    """Compresses replies, except small ones, event streams, parts of files, and what is compressed already."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app, _LEAST_BYTES, _GZIP_LEVEL, _LONG_BYTES, exclude_content_types=_NOT_COMPRESSED)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or not _accepts_zstd(Headers(scope=scope)):
            await super().__call__(scope, receive, send)
        else:
            responder = _ZstdResponder(self.app, _LEAST_BYTES, exclude_content_types=_NOT_COMPRESSED)
            await responder(scope, receive, send)


def _accepts_zstd(headers: Headers) -> bool:
    for coding in headers.get("Accept-Encoding", "").split(","):
        name, _, quality = coding.replace(" ", "").partition(";q=")
        if name == "zstd":
            return quality.strip("0.") != "" or not quality
    return False


class _ZstdResponder(IdentityResponder):
    content_encoding = "zstd"

    def __init__(self, app: ASGIApp, minimum_size: int, *, exclude_content_types: tuple[str, ...]) -> None:
        super().__init__(app, minimum_size, exclude_content_types=exclude_content_types)
        self._stream: zstandard.ZstdCompressionObj | None = None

    async def apply_compression(self, body: bytes, *, more_body: bool) -> bytes:
        """Return the next part of the compressed body."""
        if len(body) >= _LONG_BYTES:
            return await asyncio.to_thread(self._compress, body, more_body)
        return self._compress(body, more_body)

    def _compress(self, body: bytes, more_body: bool) -> bytes:
        if self._stream is None:
            self._stream = zstandard.ZstdCompressor(_ZSTD_LEVEL).compressobj()
        part: bytes = self._stream.compress(body)
        return part if more_body else part + self._stream.flush()
