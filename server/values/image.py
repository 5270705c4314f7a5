"""Images of both dialects: the encoded pictures as they stand in the payload, and their sizes."""

from typing import NamedTuple

from toposcope.server.values.fields import fields, integer
from toposcope.server.values.picture import FORMATS, picture_format, picture_size
from toposcope.server.values.tensor import read_strings

MOST_IMAGES = 256
"""Images of one value that are told of; TensorBoard's writers keep to 3 unless told otherwise."""
MEDIA_TYPES = tuple(dict.fromkeys(each.media_type for each in FORMATS))
"""Of pictures that every browser draws safely."""
OTHER = "application/octet-stream"
_HEIGHT, _WIDTH, _ENCODED = 1, 2, 4
_LARGEST_SIDE = 2**31 - 1


class Image(NamedTuple):
    """An encoded picture."""

    width: int | None
    """In pixels, like height. None: neither the message nor the picture says it."""
    height: int | None
    encoded: memoryview


def read_images(payload: bytes, kind: str) -> list[Image]:
    """Return the images of a value, MOST_IMAGES at most.

    Args:
        payload: Summary.Image, the same in both dialects, of kind "image"; or TensorBoard's tensor of strings, of kind
            "tensor": width and height in digits, then one encoded picture or several of that size.
        kind: what field it stood in, one of scan.KINDS.

    Raises:
        ValueError: the payload is malformed.
    """
    if kind != "tensor":
        return [_of_message(payload)]
    _, strings = read_strings(payload)
    if len(strings) < 2:
        raise ValueError(f"a tensor of images has {len(strings)} strings: expected width, height and pictures")
    width, height = _side(strings[0]), _side(strings[1])
    return [_sized(width, height, encoded) for encoded in strings[2 : 2 + MOST_IMAGES]]


def media_type(encoded: memoryview) -> str:
    """Return the media type of a picture by its first bytes; OTHER when it is none of MEDIA_TYPES."""
    found = picture_format(encoded)
    return found.media_type if found else OTHER


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
    """Return a size in pixels that is written in digits; 0 when it is not."""
    text = bytes(digits[:11])
    return int(text) if text.isdigit() else 0


def _sized(width: int, height: int, encoded: memoryview) -> Image:
    """Return an image whose size is what the message says, or else what the picture says itself."""
    if 0 < width <= _LARGEST_SIDE and 0 < height <= _LARGEST_SIDE:
        return Image(width, height, encoded)
    own = picture_size(encoded)
    return Image(*own, encoded) if own else Image(None, None, encoded)
