"""Event files that a recorder still uploads: pieces in an object store, shown as the one file that they are part of.

proto/FORMAT.md has their names.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from toposcope.proto.piece_name import parse_piece_name
from toposcope.server.places.place import Status


class Part(NamedTuple):
    """A range of a file, and the object that contains it."""

    start: int
    end: int
    path: str
    offset: int
    """Where the range begins in the object."""


class Merged(NamedTuple):
    """A listing without pieces."""

    files: dict[str, Status]
    """The files, by path. The size of a file in parts is that of the parts, and its time that of the newest one."""
    parts: dict[str, list[Part]]
    """The parts of files that are not one object, by path, in their order."""


NOTHING = Merged({}, {})


def merge(listed: Mapping[str, Status], before: Merged = NOTHING) -> Merged:
    """Return the files of a listing, in which each byte counts once.

    Args:
        listed: all objects, by path.
        before: the files of the listing before. While a whole file replaces its pieces, a listing may show only some of
            these: the file stays as it was then.
    """
    pieces: dict[str, list[tuple[int, str]]] = {}
    files: dict[str, Status] = {}
    for path, status in listed.items():
        if (piece := parse_piece_name(path)) is None:
            files[path] = status
        else:
            pieces.setdefault(piece.file, []).append((piece.offset, path))
    all_parts: dict[str, list[Part]] = {}
    for path, found in pieces.items():
        parts = _parts(path, files.get(path), sorted(found), listed)
        size = parts[-1].end if parts else 0
        if path in before.parts and path not in files and size < before.files[path].size:
            files[path], all_parts[path] = before.files[path], before.parts[path]
        elif len(parts) > 1 or (parts and path not in files):
            modified = max(listed[part.path].modified for part in parts)
            files[path], all_parts[path] = Status(size, modified, 0), parts
    return Merged(files, all_parts)


def _parts(
    path: str, whole: Status | None, pieces: Iterable[tuple[int, str]], listed: Mapping[str, Status]
) -> list[Part]:
    """Return what is known of a file from its start on, up to the first gap."""
    parts = [Part(0, whole.size, path, 0)] if whole is not None else []
    for offset, piece in pieces:
        start = parts[-1].end if parts else 0
        end = offset + listed[piece].size
        if offset > start:
            break
        if end > start:
            parts.append(Part(start, end, piece, start - offset))
    return parts


def ranges(parts: Iterable[Part], start: int, end: int) -> list[tuple[str, int, int]]:
    """Return the ranges of objects, as (path, first offset, last offset), that a range of a file consists of."""
    return [
        (part.path, part.offset + max(start - part.start, 0), part.offset + min(end, part.end) - part.start)
        for part in parts
        if part.start < end and start < part.end
    ]
