"""The directories of many packs in one object, so that a server which opens them needs no request for each.

zstd frame with a checksum, of JSON: the format of the packs, and by name the status and the directory of each. What a
listing shows with another status is not used from it, so that it may be out of date.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import orjson
import zstandard

from toposcope.server.places.place import Status
from toposcope.server.reading.index.packs.pack import MAGIC, Directory

NAME = "contents.zst"
_FORMAT = MAGIC.rstrip(b"\0").decode()


class DescribedPack(NamedTuple):
    """A pack that was found, and what is in it."""

    path: str
    status: Status
    directory: Directory


def encode_contents(packs: Iterable[DescribedPack]) -> bytes:
    """Return the bytes of the object."""
    described = {_name(pack.path): [list(pack.status), pack.directory] for pack in packs}
    encoded = orjson.dumps({"format": _FORMAT, "packs": described})
    return zstandard.ZstdCompressor(level=3, write_checksum=True).compress(encoded)


def decode_contents(content: bytes, listed: Mapping[str, Status]) -> list[DescribedPack]:
    """Return those of the listed packs that the object describes as they are now.

    Args:
        content: the bytes of the object.
        listed: the packs by path.

    Raises:
        ValueError: it is damaged.
    """
    try:
        decoded = orjson.loads(zstandard.ZstdDecompressor().decompress(content))
        if decoded["format"] != _FORMAT:
            return []
        known = {name: (Status(*status), directory) for name, (status, directory) in decoded["packs"].items()}
    except (zstandard.ZstdError, ValueError, LookupError, TypeError) as error:
        raise ValueError(f"it is damaged: {error}") from error
    found = ((path, status, known.get(_name(path))) for path, status in listed.items())
    return [DescribedPack(path, status, pack[1]) for path, status, pack in found if pack and pack[0] == status]


def _name(path: str) -> str:
    return path.rpartition("/")[2]
