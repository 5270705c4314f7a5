"""Images are stored with unchanged pixels, or scaled once for the whole batch."""

import io
import math
import sys
import types

import numpy as np
import PIL.Image
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from toposcope.proto.summary_pb2 import Summary
from toposcope.recorder.values.image import encode, image_layout, image_of, unpack_image

CHANNELS = st.sampled_from([1, 3, 4])
SIDE = st.integers(1, 6)
OTHER_DTYPES = ["int8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"]


def batches(dtype: str, max_images: int = 20) -> st.SearchStrategy[np.ndarray]:
    """Generate NHWC batches of arbitrary numbers."""
    shapes = st.tuples(st.integers(1, max_images), SIDE, SIDE, CHANNELS)
    return shapes.flatmap(lambda shape: arrays.arrays(dtype, shape))


def canvas(pixels: object, layout: str = "HW") -> np.ndarray:
    """Encode pixels as PNG and return the decoded image: uint8, HWC."""
    image = image_of(np.asarray(pixels), layout)
    picture = PIL.Image.open(io.BytesIO(image.png))
    assert picture.mode == {1: "L", 3: "RGB", 4: "RGBA"}[image.channels]
    assert picture.size == (image.width, image.height)
    return np.asarray(picture).reshape(image.height, image.width, image.channels)


def tiles(picture: np.ndarray, batch: np.ndarray) -> list[np.ndarray]:
    """Split a canvas into its tiles, row by row."""
    _, height, width, _ = batch.shape
    rows, columns = picture.shape[0] // height, picture.shape[1] // width
    offsets = [(row * height, column * width) for row in range(rows) for column in range(columns)]
    return [picture[top : top + height, left : left + width] for top, left in offsets]


def scale_naively(values: np.ndarray) -> list[int]:
    """Scale pixels with a loop in Python."""
    numbers = values.astype(np.float64).ravel().tolist()
    finite = [number for number in numbers if math.isfinite(number)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    if values.dtype.kind == "f" and all(0 <= number <= 1 or math.isnan(number) for number in numbers):
        return [0 if math.isnan(number) else round(number * 255) for number in numbers]
    return [shade(number, low, high) for number in numbers]


def shade(number: float, low: float, high: float) -> int:
    if not math.isfinite(number):
        return 255 if number == math.inf else 0
    # Halving avoids overflow; doubling makes tiny numbers exact.
    factor = 0.5 if max(-low, high) > 1 else 2.0
    return 128 if low == high else round((number * factor - low * factor) / (high * factor - low * factor) * 255)


@pytest.mark.parametrize(
    ("shape", "layout"),
    [
        ((2, 3, 5, 6), "NCHW"),
        ((2, 3, 5, 3), "NCHW"),
        ((2, 5, 6, 4), "NHWC"),
        ((1, 5, 6), "CHW"),
        ((5, 6, 3), "HWC"),
        ((3, 4), "HW"),
    ],
)
def test_layout_is_inferred_from_the_shape(shape: tuple[int, ...], layout: str) -> None:
    """The dimension of 1, 3 or 4 channels determines the layout; for batches the second one has precedence."""
    assert image_layout(shape, None) == layout


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((3, 8, 3), "CHW or HWC: pass dataformats"),
        ((5, 6, 7), r"1, 3 or 4 channels C; its shape is \(5, 6, 7\)"),
        ((2, 5, 6, 7), "1, 3 or 4 channels"),
        ((2, 2, 6, 7), "1, 3 or 4 channels"),
        ((5,), "one of"),
        ((), "one of"),
        ((0, 3, 4, 4), "must have pixels"),
        ((0, 4), "must have pixels"),
    ],
)
def test_shapes_without_a_layout_are_rejected(shape: tuple[int, ...], message: str) -> None:
    """The message names the expected shapes."""
    with pytest.raises(ValueError, match=message):
        image_layout(shape, None)


@pytest.mark.parametrize(
    ("layout", "shape"),
    [("NCHW", (2, 3, 4, 3)), ("NHWC", (2, 3, 4, 3)), ("CHW", (3, 8, 3)), ("HWC", (3, 8, 3)), ("HW", (1, 4))],
)
def test_dataformats_determine_the_layout(layout: str, shape: tuple[int, ...]) -> None:
    """The argument dataformats has precedence over the inferred layout."""
    assert image_layout(shape, layout) == layout


@pytest.mark.parametrize(
    ("dataformats", "shape"),
    [
        ("HWC", (3, 4)),
        ("CHW", (2, 8, 8)),
        ("HW", (1, 4, 4)),
        ("WHC", (4, 4, 3)),
        ("chw", (3, 4, 4)),
        ("NCHW", (3, 4, 4)),
    ],
)
def test_dataformats_that_do_not_match_are_rejected(dataformats: str, shape: tuple[int, ...]) -> None:
    """Unknown names are rejected, and shapes with another number of dimensions or channels."""
    with pytest.raises(ValueError, match=dataformats):
        image_layout(shape, dataformats)


@given(batches("uint8"))
def test_uint8_is_unchanged_and_tiled_in_rows_of_eight(batch: np.ndarray) -> None:
    """Every image of a batch is in its tile, unchanged; the remaining tiles are zero."""
    picture = canvas(batch, "NHWC")

    images = tiles(picture, batch)
    columns = min(len(batch), 8)
    assert picture.shape[1] == columns * batch.shape[2]
    assert len(images) == math.ceil(len(batch) / columns) * columns
    assert np.array_equal(images[: len(batch)], batch)
    assert not np.any(images[len(batch) :])


@given(st.sampled_from(OTHER_DTYPES).flatmap(batches))
def test_other_dtypes_are_scaled_over_the_batch(batch: np.ndarray) -> None:
    """Each pixel is equal to the naive result, within one unit of rounding."""
    images = tiles(canvas(batch, "NHWC"), batch)[: len(batch)]

    shades = np.array(scale_naively(batch)).reshape(batch.shape)
    assert np.abs(np.array(images).astype(int) - shades).max() <= 1


@given(arrays.arrays(st.sampled_from(["float16", "float32", "float64"]), (4, 5), elements=st.floats(0, 1, width=16)))
def test_floats_within_0_and_1_are_multiplied_by_255(pixels: np.ndarray) -> None:
    """The result is rounded, and does not depend on the smallest and largest value."""
    assert canvas(pixels).ravel().tolist() == scale_naively(pixels)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC", "CHW", "HWC", "HW"])
def test_all_layouts_result_in_the_same_image(layout: str) -> None:
    """The order of the dimensions does not change the position of the pixels."""
    batch = np.random.default_rng(0).integers(0, 256, (1, 5, 7, 1 if layout == "HW" else 3), np.uint8)
    order = ["NHWC".index(axis) for axis in layout]
    pixels = batch.transpose([*order, *({0, 1, 2, 3} - set(order))])

    assert np.array_equal(canvas(pixels.reshape(pixels.shape[: len(layout)]), layout), batch[0])


@pytest.mark.parametrize(
    ("pixels", "shades"),
    [
        (np.array([[0, 50, 100, 200]], np.uint8), [0, 50, 100, 200]),
        (np.array([[0, 1]], np.uint8), [0, 1]),
        ([[False, True]], [0, 255]),
        ([[0, 1]], [0, 255]),
        ([[7, 7]], [128, 128]),
        ([[5.0, 5.0]], [128, 128]),
        ([[0.2, 0.2]], [51, 51]),
        ([[0.0, 255.0, 128.0]], [0, 255, 128]),
        ([[-1.0, 0.0, 1.0]], [0, 128, 255]),
        ([[0.5, math.nan, 1.0]], [128, 0, 255]),
        ([[0.5, math.inf, 1.0, -math.inf]], [0, 255, 255, 0]),
        ([[math.nan, math.inf, -math.inf, 3.0]], [0, 255, 0, 128]),
        ([[math.nan, math.inf, -math.inf]], [0, 255, 0]),
        ([[math.nan, math.nan]], [0, 0]),
        ([[-1.7e308, 0.0, 1.7e308]], [0, 128, 255]),
        ([[-5e-324, 0.0, 5e-324]], [0, 128, 255]),
    ],
)
def test_pixels_of_small_images(pixels: object, shades: list[int]) -> None:
    """Images that MindSpore scales unexpectedly or corrupts are stored correctly."""
    assert canvas(pixels).ravel().tolist() == shades


def test_empty_tiles_do_not_influence_the_scale() -> None:
    """With nine images, seven tiles are empty; the smallest value is still black."""
    batch = np.linspace(10, 20, 9 * 4).reshape(9, 1, 2, 2)
    picture = canvas(batch, "NCHW")

    assert picture.shape == (4, 16, 1)
    assert (picture[0, 0, 0], picture[3, 1, 0]) == (0, 255)


def test_empty_tiles_of_rgba_are_transparent() -> None:
    """All channels of empty tiles are zero."""
    assert (canvas(np.full((9, 4, 1, 1), 255, np.uint8), "NCHW")[1, 1:] == 0).all()


@given(batches("uint8", max_images=2))
def test_message_is_parsed_by_the_generated_class(batch: np.ndarray) -> None:
    """All fields are present."""
    image = image_of(batch, "NHWC")
    message = Summary.Image.FromString(encode(image))

    assert (message.height, message.width, message.colorspace, message.encoded_image) == image


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P", "1", "CMYK"])
def test_pillow_images(mode: str) -> None:
    """The colours are correct for all modes of Pillow."""
    picture = PIL.Image.fromarray(np.arange(48, dtype=np.uint8).reshape(4, 4, 3)).convert(mode)

    unpacked, layout = unpack_image(picture, None)
    pixels = np.asarray(unpacked)
    image = image_of(pixels, image_layout(pixels.shape, layout))

    decoded = PIL.Image.open(io.BytesIO(image.png))
    assert decoded.mode in ("L", "RGB", "RGBA")
    np.testing.assert_array_equal(np.asarray(decoded.convert("RGB")), np.asarray(picture.convert("RGB")))


@pytest.mark.parametrize(("mode", "dtype"), [("I;16", np.uint16), ("I", np.int32), ("F", np.float32)])
def test_pillow_images_of_numbers(mode: str, dtype: type) -> None:
    """Pixels of 16 bits or floats are returned unchanged, not clipped to 255."""
    numbers: np.ndarray = np.array([[0, 300], [600, 6000]], dtype)
    picture = PIL.Image.fromarray(numbers)
    assert picture.mode == mode

    pixels, layout = unpack_image(picture, None)

    assert layout == "HW"
    np.testing.assert_array_equal(np.asarray(pixels), numbers)


def test_pillow_being_imported_by_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """While Pillow is only partly imported, by the thread that writes, arrays are taken as they are."""
    monkeypatch.setitem(sys.modules, "PIL.Image", types.ModuleType("PIL.Image"))
    pixels = np.zeros((2, 2))

    assert unpack_image(pixels, None)[0] is pixels
