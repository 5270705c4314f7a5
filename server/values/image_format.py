"""Format and size of an encoded image, read from its header without decoding the image.

Pillow is not used, as it rejects large images and decodes the first frame of some animations to determine the size.
"""

import struct
from collections.abc import Callable
from typing import NamedTuple

_MAX_SEGMENTS = 1000
_MAX_SUB_BLOCKS = 1 << 17
"""The number of sub-blocks of a frame of a GIF: 33 MB."""
_NO_FRAME = (0xC4, 0xC8, 0xCC)
"""JPEG markers from C0 to CF that do not begin a frame."""
_GIF_FRAME, _GIF_EXTENSION = 0x2C, 0x21
_WEBP_ANIMATION = 0x02
_END_OF_PNG, _END_OF_JPEG = b"IEND", b"\xff\xd9"
_TRAILER = 64
"""Bytes at the end of an image, in which its end is looked for first."""

Size = tuple[int, int]
"""Width and height in pixels."""


class Format(NamedTuple):
    """An image format that browsers display and that cannot contain scripts."""

    media_type: str
    start: bytes
    at_8: bytes
    """The bytes from offset 8."""
    size: Callable[[memoryview], Size]
    """Reads the size; raises struct.error if the image is truncated."""


def image_format(encoded: memoryview) -> Format | None:
    """Return the format of an image; None if it is not one of FORMATS."""
    head = bytes(encoded[:16])
    return next((each for each in FORMATS if head.startswith(each.start) and head.startswith(each.at_8, 8)), None)


def image_size(encoded: memoryview) -> Size | None:
    """Return the size in the header of an image; None if it cannot be read."""
    detected = image_format(encoded)
    try:
        return detected.size(encoded) if detected else None
    except struct.error:
        return None


def is_animated(encoded: memoryview) -> bool:
    """Return whether an image in the format GIF or WebP has several frames; False if it is malformed."""
    detected = image_format(encoded)
    try:
        if detected and detected.media_type == "image/gif":
            return _gif_has_frames(encoded, 2)
        if detected and detected.media_type == "image/webp":
            return bytes(encoded[12:16]) == b"VP8X" and bool(encoded[20] & _WEBP_ANIMATION)
    except (struct.error, IndexError):
        pass
    return False


def is_deep(encoded: memoryview) -> bool:
    """Return whether an image is a PNG with 16 bits a channel, of which browsers decode the upper eight."""
    detected = image_format(encoded)
    return detected is not None and detected.media_type == "image/png" and bytes(encoded[24:25]) == b"\x10"


def is_truncated(encoded: memoryview) -> bool:
    """Return whether the end of an image is missing, which browsers draw as an empty part; False if it is unknown.

    Further bytes may follow the end of an image.
    """
    detected = image_format(encoded)
    match detected and detected.media_type:
        case "image/png":
            return _END_OF_PNG not in bytes(encoded[-_TRAILER:]) and _png_has_no_end(encoded)
        case "image/jpeg":
            return _END_OF_JPEG not in bytes(encoded[-_TRAILER:]) and _END_OF_JPEG not in bytes(encoded)
        case "image/webp":
            return len(encoded) < 8 + int.from_bytes(encoded[4:8], "little")
        case _:
            return False


def _png_has_no_end(encoded: memoryview) -> bool:
    """See https://www.w3.org/TR/png-3/#5Chunk-layout: a length, a type, the data and a checksum."""
    at = 8
    while at + 12 <= len(encoded):
        if bytes(encoded[at + 4 : at + 8]) == _END_OF_PNG:
            return False
        at += 12 + int.from_bytes(encoded[at : at + 4], "big")
    return True


def _gif_has_frames(encoded: memoryview, frames: int) -> bool:
    """See https://www.w3.org/Graphics/GIF/spec-gif89a.txt, 17 to 27: frames and extensions consist of sub-blocks."""
    at = 13 + _gif_colours(encoded[10])
    for _ in range(_MAX_SEGMENTS):
        kind = encoded[at]
        if kind == _GIF_FRAME:
            frames -= 1
            if not frames:
                return True
            at += 10 + _gif_colours(encoded[at + 9]) + 1
        elif kind == _GIF_EXTENSION:
            at += 2
        else:
            break
        at = _after_sub_blocks(encoded, at)
    return False


def _after_sub_blocks(encoded: memoryview, at: int) -> int:
    for _ in range(_MAX_SUB_BLOCKS):
        size = encoded[at]
        at += 1 + size
        if not size:
            return at
    raise struct.error("too many sub-blocks")


def _gif_colours(flags: int) -> int:
    """Return the bytes of a colour table."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _png_size(encoded: memoryview) -> Size:
    """See https://www.w3.org/TR/png-3/#11IHDR."""
    width, height = struct.unpack_from(">II", encoded, 16)
    return width, height


def _gif_size(encoded: memoryview) -> Size:
    """See https://www.w3.org/Graphics/GIF/spec-gif89a.txt, 18."""
    width, height = struct.unpack_from("<HH", encoded, 6)
    return width, height


def _bmp_size(encoded: memoryview) -> Size:
    """See BITMAPCOREHEADER and BITMAPINFOHEADER; a negative height means that rows are stored top-down."""
    is_core = struct.unpack_from("<I", encoded, 14) == (12,)
    width, height = struct.unpack_from("<HH" if is_core else "<ii", encoded, 18)
    return abs(width), abs(height)


def _webp_size(encoded: memoryview) -> Size:
    """See RFC 9649, 2.5 to 2.7: lossy, lossless or extended."""
    kind = bytes(encoded[12:16])
    if kind == b"VP8X":
        low, middle, high = struct.unpack_from("<HHH", encoded, 24)
        return 1 + low + ((middle & 0xFF) << 16), 1 + (middle >> 8) + (high << 8)
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", encoded, 21)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    width, height = struct.unpack_from("<HH", encoded, 26)
    return width & 0x3FFF, height & 0x3FFF


def _jpeg_size(encoded: memoryview) -> Size:
    """See ITU-T T.81, B.2: segments up to the header of the frame."""
    at = 2
    for _ in range(_MAX_SEGMENTS):
        start, marker, length = struct.unpack_from(">BBH", encoded, at)
        if start != 0xFF:
            break
        if marker == 0xFF:  # Fill bytes may precede a marker.
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in _NO_FRAME:
            height, width = struct.unpack_from(">HH", encoded, at + 5)
            return width, height
        else:
            at += 2 + length
    raise struct.error("no frame")


FORMATS = (
    Format("image/png", b"\x89PNG\r\n\x1a\n", b"", _png_size),
    Format("image/jpeg", b"\xff\xd8\xff", b"", _jpeg_size),
    Format("image/gif", b"GIF87a", b"", _gif_size),
    Format("image/gif", b"GIF89a", b"", _gif_size),
    Format("image/webp", b"RIFF", b"WEBP", _webp_size),
    Format("image/bmp", b"BM", b"", _bmp_size),
)
