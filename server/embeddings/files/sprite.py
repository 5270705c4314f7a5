"""The sprite of an embedding: one image that contains a small one for each vector, row by row."""

from toposcope.server.embeddings.files.folder import UnreadableError
from toposcope.server.places.place import OpenFile
from toposcope.server.values.image_format import image_format, image_size

LARGEST_FILE = 64 << 20
MAX_PIXELS = 8192
"""The longest side: browsers do not decode larger images everywhere."""


def read_sprite(file: OpenFile, name: str) -> bytes:
    """Return an encoded sprite.

    Raises:
        UnreadableError: it is no image that browsers display, or too large.
        OSError: it cannot be read at present.
    """
    if file.status.size > LARGEST_FILE:
        raise UnreadableError(f"{name!r} has {file.status.size} bytes: expected at most {LARGEST_FILE}")
    encoded = file.read(0, file.status.size)
    size = image_size(memoryview(encoded))
    if image_format(memoryview(encoded)) is None or size is None:
        raise UnreadableError(f"{name!r} is no image: expected PNG, JPEG, GIF or WebP")
    if max(size) > MAX_PIXELS:
        raise UnreadableError(f"{name!r} has {size[0]} x {size[1]} pixels: expected at most {MAX_PIXELS} on each side")
    return encoded


def check_grid(encoded: bytes, stated: tuple[int, ...], count: int, name: str) -> tuple[int, int]:
    """Return (the width of each small image, the height), if the sprite has one for each vector.

    Raises:
        UnreadableError: it has fewer, or the list does not state their size.
    """
    found = image_size(memoryview(encoded))
    assert found is not None
    if len(stated) != 2 or not all(stated):
        raise UnreadableError(f"the list does not state the size of the images in {name!r}: expected single_image_dim")
    width, height = stated
    room = (found[0] // width) * (found[1] // height)
    if room < count:
        raise UnreadableError(f"{name!r} has room for {room} images of {width} x {height} pixels: expected {count}")
    return width, height
