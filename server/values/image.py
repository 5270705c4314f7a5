"""Images of both dialects: the encoded images, as slices of the payload, and their sizes."""

from typing import NamedTuple

from toposcope.server.values.fields import fields, integer
from toposcope.server.values.image_format import FORMATS, image_format, image_size
from toposcope.server.values.tensor import read_strings

MAX_IMAGES = 256
"""Limit on the images of a value; writers of TensorBoard record 3 by default."""
MEDIA_TYPES = tuple(dict.fromkeys(each.media_type for each in FORMATS))
"""Media types that browsers display safely."""
OTHER = "application/octet-stream"
_HEIGHT, _WIDTH, _ENCODED = 1, 2, 4
_LARGEST_SIDE = 2**31 - 1


class Image(NamedTuple):
    """An encoded image."""

    width: int | None
    """In pixels, like height; None if neither the message nor the image states it."""
    height: int | None
    encoded: memoryview


def read_images(payload: bytes, kind: str) -> list[Image]:
    """Decode the images of a value, at most MAX_IMAGES.

    Args:
        payload: Summary.Image, the same in both dialects, with kind "image"; or a string tensor of TensorBoard, with
            kind "tensor": width and height in digits, then one or more encoded images of this size.
        kind: the field that contained the payload, one of scan.KINDS.

    Raises:
        ValueError: the payload is malformed.
    """
    if kind != "tensor":
        return [_of_message(payload)]
    _, strings = read_strings(payload)
    if len(strings) < 2:
        raise ValueError(f"a tensor of images has {len(strings)} strings: expected width, height and images")
    width, height = _side(strings[0]), _side(strings[1])
    return [_sized(width, height, encoded) for encoded in strings[2 : 2 + MAX_IMAGES]]


def media_type(encoded: memoryview) -> str:
    """Return the media type of an image, detected from its first bytes; OTHER if it is not one of MEDIA_TYPES."""
    detected = image_format(encoded)
    return detected.media_type if detected else OTHER


def _of_message(payload: bytes) -> Image:
    sides = {_HEIGHT: 0, _WIDTH: 0}
    encoded = memoryview(b"")
    for number, content in fields(memoryview(payload)):
        if number in sides:
            sides[number] = integer(content)
        elif number == _ENCODED:
            encoded = content
    return _sized(sides[_WIDTH], sides[_HEIGHT], encoded)


def _side(digits: memoryview) -> int:
    """Parse a size in pixels; 0 if it is not a number."""
    text = bytes(digits[:11])
    return int(text) if text.isdigit() else 0


def _sized(width: int, height: int, encoded: memoryview) -> Image:
    """Return an image with the size from the message, or else from the image itself."""
    if 0 < width <= _LARGEST_SIDE and 0 < height <= _LARGEST_SIDE:
        return Image(width, height, encoded)
    size = image_size(encoded)
    return Image(*size, encoded) if size else Image(None, None, encoded)
