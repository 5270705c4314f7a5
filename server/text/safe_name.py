"""Portable file names for arbitrary names of tags and runs."""

import re
from urllib.parse import quote

import google_crc32c

from toposcope.proto.wire import text_bytes

_LONGEST = 150
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Device names of Windows."""


def safe_name(text: str) -> str:
    """Return text as a portable file name, or the beginning of one, of at most 150 ASCII characters.

    Percent-encoded, as in MindSpore's exports; a long name ends in a checksum.
    """
    name = quote(text_bytes(text), safe="")
    if name.endswith("."):  # "." and ".." are directories; Windows drops trailing dots.
        name = name.rstrip(".") + "%2E" * (len(name) - len(name.rstrip(".")))
    if _DEVICES.fullmatch(name):
        name = f"%{ord(name[0]):02X}{name[1:]}"
    if len(name) <= _LONGEST:
        return name
    kept = re.sub(r"%[0-9A-F]?$", "", name[: _LONGEST - 9])
    return f"{kept}~{google_crc32c.value(text_bytes(text)):08x}"
