"""Format and size of encoded images."""

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, JpegImagePlugin

from toposcope.server.values.image_format import image_format, image_size, is_animated, is_deep, is_truncated


def encoded(format_: str, mode: str = "RGB", size: tuple[int, int] = (300, 20), **options: Any) -> bytes:
    """Return an image encoded by Pillow."""
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
def test_size_and_format_equal_those_of_pillow(media_type: str, picture: bytes) -> None:
    """In every variant of every supported format."""
    detected = image_format(memoryview(picture))

    assert detected is not None
    assert detected.media_type == media_type
    with Image.open(io.BytesIO(picture)) as pillows:
        assert image_size(memoryview(picture)) == pillows.size


def test_largest_image_takes_no_memory() -> None:
    """Nothing is decoded: an image of 10^18 pixels costs no more than one of a single pixel."""
    head = bytearray(encoded("PNG"))
    head[16:24] = (10**9).to_bytes(4, "big") * 2

    assert image_size(memoryview(head)) == (10**9, 10**9)


def test_core_header_and_top_down_bitmaps() -> None:
    """BITMAPCOREHEADER has 16-bit sizes; a negative height means that rows are stored top-down."""
    core = b"BM" + bytes(12) + (12).to_bytes(4, "little") + b"\x07\x00\x09\x00"
    upside_down = b"BM" + bytes(12) + (40).to_bytes(4, "little") + b"\x07\x00\x00\x00" + b"\xf7\xff\xff\xff"

    assert [image_size(memoryview(picture)) for picture in (core, upside_down)] == [(7, 9), (7, 9)]


@pytest.mark.parametrize("other", [b"", b"<svg xmlns=", b"<html>", b"II*\0", b"RIFF1234WAVE", b"%PDF"])
def test_other_formats_are_not_detected(other: bytes) -> None:
    """SVG and HTML may contain scripts, and browsers do not display TIFF."""
    assert (image_format(memoryview(other)), image_size(memoryview(other))) == (None, None)


@given(st.sampled_from(["PNG", "JPEG", "GIF", "WEBP", "BMP"]).map(encoded), st.integers(0, 60), st.binary(max_size=9))
def test_damaged_images_raise_no_exception(picture: bytes, at: int, noise: bytes) -> None:
    """Truncated and modified images have a size or None."""
    for damaged in (picture[:at], picture[:at] + noise + picture[at + len(noise) :]):
        size = image_size(memoryview(damaged))
        assert size is None or min(size) >= 0


def test_jpeg_with_too_many_segments_has_no_size() -> None:
    """The search for a frame ends after a thousand segments."""
    segments = b"\xff\xd8" + b"\xff\xe0\x00\x02" * 2000 + encoded("JPEG")[2:]

    assert JpegImagePlugin.JpegImageFile(io.BytesIO(segments)).size == (300, 20)
    assert image_size(memoryview(segments)) is None


@pytest.mark.parametrize("format_", ["GIF", "WEBP"])
@pytest.mark.parametrize("frames", [1, 2, 5])
def test_animations_are_those_of_pillow(format_: str, frames: int) -> None:
    """An image with several frames is one."""
    others = [Image.new("RGB", (300, 20), (40 * number, 255, 9)) for number in range(1, frames)]
    picture = encoded(format_, save_all=True, append_images=others, duration=100, loop=0)

    with Image.open(io.BytesIO(picture)) as pillows:
        assert is_animated(memoryview(picture)) == (getattr(pillows, "n_frames", 1) > 1) == (frames > 1)


@given(st.binary(max_size=60), st.sampled_from([b"", b"GIF89a", encoded("GIF", "P"), b"RIFF\0\0\0\0WEBPVP8X"]))
def test_animation_of_any_bytes(content: bytes, start: bytes) -> None:
    """No content raises."""
    assert is_animated(memoryview(start + content)) in (True, False)


@pytest.mark.parametrize("format_", ["PNG", "JPEG", "WEBP"])
def test_images_without_their_end_are_truncated(format_: str) -> None:
    """Any prefix is truncated; bytes that follow the end do not matter."""
    picture = encoded(format_)

    assert not is_truncated(memoryview(picture))
    assert not is_truncated(memoryview(picture + bytes(200)))
    assert all(is_truncated(memoryview(picture[:end])) for end in range(40, len(picture) - 8))


def test_only_png_with_16_bits_are_deep() -> None:
    """Browsers decode the upper eight bits of them."""
    assert is_deep(memoryview(encoded("PNG", "I;16")))
    assert not any(is_deep(memoryview(encoded(format_))) for format_ in ("PNG", "JPEG", "WEBP"))
