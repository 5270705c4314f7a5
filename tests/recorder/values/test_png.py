"""PNG files contain the pixels that they were created from."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image

from toposcope.recorder.values import png

SHAPES = st.tuples(st.integers(1, 20), st.integers(1, 20), st.sampled_from([1, 3, 4]))
PIXELS = arrays.arrays(np.uint8, SHAPES)


def decoded(file: bytes, channels: int) -> np.ndarray:
    """Read a PNG file with Pillow, which also verifies its checksums."""
    with Image.open(io.BytesIO(file)) as image:
        assert image.mode == {1: "L", 3: "RGB", 4: "RGBA"}[channels]
        return np.asarray(image).reshape(image.height, image.width, channels)


@given(PIXELS)
def test_pixels_are_unchanged(pixels: np.ndarray) -> None:
    """Pillow reads the same pixels, of any size and number of channels."""
    assert (decoded(png.png_of(pixels), pixels.shape[2]) == pixels).all()


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_large_images_are_encoded_in_bands(channels: int) -> None:
    """An image of several bands, smooth and with noise, has the same pixels."""
    y, x = np.mgrid[:300, :400]
    noise = np.random.default_rng(0).integers(0, 9, (300, 400, channels))
    pixels = ((x + 2 * y)[:, :, None] // 3 + noise).astype(np.uint8)

    file = png.png_of(pixels)

    assert (decoded(file, channels) == pixels).all()
    assert len(file) < pixels.nbytes * 0.6
