"""Names of pieces: parts of an event file in an object store, until the whole file replaces them."""

import re
from typing import NamedTuple

PIECE_INFIX = ".piece-"
_PIECE = re.compile(r"(?P<file>.+)\.piece-(?P<offset>\d{16})")


class PieceName(NamedTuple):
    """The information in the name of a piece."""

    file: str
    """Name or key of the event file."""
    offset: int
    """Where the bytes of the piece are in that file."""


def piece_name(file: str, offset: int) -> str:
    """Return the name of the piece of an event file that begins at an offset."""
    return f"{file}.piece-{offset:016}"


def parse_piece_name(name: str) -> PieceName | None:
    """Parse a name or key; return None if it is not that of a piece."""
    match = _PIECE.fullmatch(name)
    return PieceName(match["file"], int(match["offset"])) if match else None
