"""Cursors: which points of a series a client has, so that it is sent only those that follow.

The server keeps nothing for it. A cursor has a number of points and a checksum of their columns, so it is valid as long
as the series begins with the same points, whichever process answers.
"""

import base64
import struct
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import google_crc32c

from toposcope.proto.wire import text_bytes
from toposcope.server.api.replies.columns import Numbers

PATTERN = r"^[A-Za-z0-9_-]{24}$"
_LAYOUT = struct.Struct("<6sIII")
_MOST = 2**32 - 1


class Held(NamedTuple):
    """The points of a series that a client has."""

    total: int
    checksum: tuple[int, int]


class Cursors:
    """The cursors in a request, by series.

    Args:
        texts: cursors of earlier replies, in any order. One that fits no series is ignored.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._held: dict[bytes, Held] = {}
        for text in texts:
            series, count, *checksum = _LAYOUT.unpack(base64.urlsafe_b64decode(text))
            self._held[series] = Held(count, (checksum[0], checksum[1]))

    def advance(
        self, series: tuple[object, ...], columns: Sequence[Numbers], total: int, settled: int
    ) -> tuple[int, str]:
        """Return (how many of the first points the client has, the cursor for the reply).

        Args:
            series: what identifies it, and what of it is requested.
            columns: the requested ones, of integers or floats; each of shape (total,).
            total: the number of points.
            settled: the number of first points to which the cursor refers.
        """
        settled = min(settled, _MOST)
        name, first = _identify(series)
        held, kept = self._held.get(name), 0
        if held is not None and held.total <= total and _checksum(first, columns, held.total) == held.checksum:
            kept = held.total
        return kept, _text(name, settled, _checksum(first, columns, settled))


def _text(name: bytes, count: int, checksum: tuple[int, int]) -> str:
    return base64.urlsafe_b64encode(_LAYOUT.pack(name, count, *checksum)).decode()


@lru_cache(4096)
def _identify(series: tuple[object, ...]) -> tuple[bytes, tuple[int, int]]:
    """Return (a short name of a series, with what its checksums begin)."""
    content = text_bytes(repr(series))
    checksum = google_crc32c.value(content), zlib.crc32(content)
    return struct.pack("<II", *checksum)[:6], checksum


def _checksum(first: tuple[int, int], columns: Sequence[Numbers], count: int) -> tuple[int, int]:
    """Return a checksum of the first points: two of 32 bits by different polynomials, which are one of 64 bits.

    It is of the columns as they are stored. If that changes, the series is sent again.
    """
    crc32c, crc32 = first
    for column in columns:
        part = column[:count]
        content = repr(part).encode() if isinstance(part, range) else part.tobytes()
        crc32c, crc32 = google_crc32c.extend(crc32c, content), zlib.crc32(content, crc32)
    return crc32c, crc32
