"""What pictures say of themselves in their first bytes."""

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, JpegImagePlugin

from toposcope.server.values.picture import picture_format, picture_size


def encoded(format_: str, mode: str = "RGB", size: tuple[int, int] = (300, 20), **options: Any) -> bytes:
    """Return a picture that Pillow encoded."""
    stream = io.BytesIO()
    Image.new(mode, size).save(stream, format_, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("media_type", "picture"),
    [
        ("image/png", encoded("PNG")),
        ("image/png", encoded("PNG", "I;16", (70_000, 1))),
        ("image/jpeg", encoded("JPEG")),
        ("image/jpeg", encoded("JPEG", "L", progressive=True)),
        ("image/jpeg", encoded("JPEG", exif=b"Exif\0\0" + bytes(5000), icc_profile=bytes(70_000), comment=b"x" * 999)),
        ("image/gif", encoded("GIF", "P")),
        ("image/gif", encoded("GIF", "P", save_all=True, append_images=[Image.new("P", (300, 20), 1)])),
        ("image/webp", encoded("WEBP")),
        ("image/webp", encoded("WEBP", "RGBA", lossless=True)),
        ("image/webp", encoded("WEBP", exif=b"Exif\0\0" + bytes(20))),
        ("image/webp", encoded("WEBP", size=(16_383, 2), save_all=True, append_images=[Image.new("RGB", (16_383, 2))])),
        ("image/bmp", encoded("BMP")),
        ("image/bmp", encoded("BMP", "1")),
    ],
)
def test_size_and_format_are_what_pillow_finds(media_type: str, picture: bytes) -> None:
    """In every variant of every format that browsers draw."""
    found = picture_format(memoryview(picture))

    assert found is not None
    assert found.media_type == media_type
    with Image.open(io.BytesIO(picture)) as pillows:
        assert picture_size(memoryview(picture)) == pillows.size


def test_largest_picture_is_no_bomb() -> None:
    """Nothing is decoded: a picture of 10^18 pixels costs as much as one of one."""
    head = bytearray(encoded("PNG"))
    head[16:24] = (10**9).to_bytes(4, "big") * 2

    assert picture_size(memoryview(head)) == (10**9, 10**9)


def test_bitmap_of_the_first_kind_and_upside_down() -> None:
    """BITMAPCOREHEADER has 16-bit sizes; a negative height says that rows come from the top."""
    core = b"BM" + bytes(12) + (12).to_bytes(4, "little") + b"\x07\x00\x09\x00"
    upside_down = b"BM" + bytes(12) + (40).to_bytes(4, "little") + b"\x07\x00\x00\x00" + b"\xf7\xff\xff\xff"

    assert [picture_size(memoryview(picture)) for picture in (core, upside_down)] == [(7, 9), (7, 9)]


@pytest.mark.parametrize("other", [b"", b"<svg xmlns=", b"<html>", b"II*\0", b"RIFF1234WAVE", b"%PDF"])
def test_other_formats_are_none(other: bytes) -> None:
    """SVG and HTML may hold scripts, TIFF is not drawn."""
    assert (picture_format(memoryview(other)), picture_size(memoryview(other))) == (None, None)


@given(st.sampled_from(["PNG", "JPEG", "GIF", "WEBP", "BMP"]).map(encoded), st.integers(0, 60), st.binary(max_size=9))
def test_damaged_pictures_have_a_size_or_none(picture: bytes, at: int, noise: bytes) -> None:
    """Nothing is raised, wherever a picture ends and whatever stands in it."""
    for damaged in (picture[:at], picture[:at] + noise + picture[at + len(noise) :]):
        size = picture_size(memoryview(damaged))
        assert size is None or min(size) >= 0


def test_jpeg_of_endless_segments_is_given_up() -> None:
    """A frame that a thousand segments do not bring is not looked for any longer."""
    segments = b"\xff\xd8" + b"\xff\xe0\x00\x02" * 2000 + encoded("JPEG")[2:]

    assert JpegImagePlugin.JpegImageFile(io.BytesIO(segments)).size == (300, 20)
    assert picture_size(memoryview(segments)) is None
