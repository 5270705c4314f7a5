"""Images are stored as the pixels that were given, or else scaled once for the whole batch."""

import io
import math

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


def batches(dtype: str, most: int = 20) -> st.SearchStrategy[np.ndarray]:
    """Return batches NHWC of any numbers."""
    shapes = st.tuples(st.integers(1, most), SIDE, SIDE, CHANNELS)
    return shapes.flatmap(lambda shape: arrays.arrays(dtype, shape))


def canvas(pixels: object, layout: str = "HW") -> np.ndarray:
    """Return the decoded PNG of pixels: uint8, HWC."""
    image = image_of(np.asarray(pixels), layout)
    picture = PIL.Image.open(io.BytesIO(image.png))
    assert picture.mode == {1: "L", 3: "RGB", 4: "RGBA"}[image.channels]
    assert picture.size == (image.width, image.height)
    return np.asarray(picture).reshape(image.height, image.width, image.channels)


def tiles(picture: np.ndarray, batch: np.ndarray) -> list[np.ndarray]:
    """Cut a canvas into all of its cells, row by row."""
    _, height, width, _ = batch.shape
    rows, columns = picture.shape[0] // height, picture.shape[1] // width
    cells = [(row * height, column * width) for row in range(rows) for column in range(columns)]
    return [picture[top : top + height, left : left + width] for top, left in cells]


def scaled_one_by_one(values: np.ndarray) -> list[int]:
    """Scale pixels in the obvious way, in Python."""
    numbers = values.astype(np.float64).ravel().tolist()
    finite = [number for number in numbers if math.isfinite(number)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    if values.dtype.kind == "f" and all(0 <= number <= 1 or math.isnan(number) for number in numbers):
        return [0 if math.isnan(number) else round(number * 255) for number in numbers]
    return [shade(number, low, high) for number in numbers]


def shade(number: float, low: float, high: float) -> int:
    if not math.isfinite(number):
        return 255 if number == math.inf else 0
    # Halves do not overflow; doubles of tiny numbers are exact.
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
def test_layout_follows_from_the_shape(shape: tuple[int, ...], layout: str) -> None:
    """The dimension that can be channels tells; of a batch the second is asked first."""
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
def test_shapes_that_are_no_image_are_refused(shape: tuple[int, ...], message: str) -> None:
    """The error says what was expected."""
    with pytest.raises(ValueError, match=message):
        image_layout(shape, None)


@pytest.mark.parametrize(
    ("layout", "shape"),
    [("NCHW", (2, 3, 4, 3)), ("NHWC", (2, 3, 4, 3)), ("CHW", (3, 8, 3)), ("HWC", (3, 8, 3)), ("HW", (1, 4))],
)
def test_given_layout_decides(layout: str, shape: tuple[int, ...]) -> None:
    """What the caller says is right wherever it is possible."""
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
def test_given_layout_that_does_not_fit_is_refused(dataformats: str, shape: tuple[int, ...]) -> None:
    """Unknown names, and shapes with other dimensions or channels."""
    with pytest.raises(ValueError, match=dataformats):
        image_layout(shape, dataformats)


@given(batches("uint8"))
def test_bytes_are_kept_and_tiled_in_rows_of_eight(batch: np.ndarray) -> None:
    """Every image of a batch is in its cell, exactly; the cells that are left are zeros."""
    picture = canvas(batch, "NHWC")

    cells = tiles(picture, batch)
    columns = min(len(batch), 8)
    assert picture.shape[1] == columns * batch.shape[2]
    assert len(cells) == math.ceil(len(batch) / columns) * columns
    assert np.array_equal(cells[: len(batch)], batch)
    assert not np.any(cells[len(batch) :])


@given(st.sampled_from(OTHER_DTYPES).flatmap(batches))
def test_other_numbers_are_scaled_over_the_batch(batch: np.ndarray) -> None:
    """Each pixel is what a formula of its value makes of it, within one shade of rounding."""
    cells = tiles(canvas(batch, "NHWC"), batch)[: len(batch)]

    shades = np.array(scaled_one_by_one(batch)).reshape(batch.shape)
    assert np.abs(np.array(cells).astype(int) - shades).max() <= 1


@given(arrays.arrays(st.sampled_from(["float16", "float32", "float64"]), (4, 5), elements=st.floats(0, 1, width=16)))
def test_floats_within_one_are_shades(pixels: np.ndarray) -> None:
    """They are multiplied by 255 and rounded, whatever their smallest and largest are."""
    assert canvas(pixels).ravel().tolist() == scaled_one_by_one(pixels)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC", "CHW", "HWC", "HW"])
def test_layouts_mean_the_same_picture(layout: str) -> None:
    """However the dimensions are ordered, each pixel is where it belongs."""
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
def test_shades_of_small_pictures(pixels: object, shades: list[int]) -> None:
    """What MindSpore stretches, darkens or turns into garbage comes out as expected."""
    assert canvas(pixels).ravel().tolist() == shades


def test_unused_cells_take_no_part_in_scaling() -> None:
    """Nine images leave seven cells; the smallest value is still black."""
    batch = np.linspace(10, 20, 9 * 4).reshape(9, 1, 2, 2)
    picture = canvas(batch, "NCHW")

    assert picture.shape == (4, 16, 1)
    assert (picture[0, 0, 0], picture[3, 1, 0]) == (0, 255)


def test_unused_cells_of_rgba_are_transparent() -> None:
    """The background shows through."""
    assert (canvas(np.full((9, 4, 1, 1), 255, np.uint8), "NCHW")[1, 1:] == 0).all()


@given(batches("uint8", most=2))
def test_message_is_read_by_the_generated_class(batch: np.ndarray) -> None:
    """All fields arrive."""
    image = image_of(batch, "NHWC")
    message = Summary.Image.FromString(encode(image))

    assert (message.height, message.width, message.colorspace, message.encoded_image) == image


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA", "P", "1", "CMYK"])
def test_images_of_pillow_are_images(mode: str) -> None:
    """Whatever way Pillow keeps the colours, they are the ones that are seen."""
    picture = PIL.Image.fromarray(np.arange(48, dtype=np.uint8).reshape(4, 4, 3)).convert(mode)

    pixels, layout = unpack_image(picture, None)
    image = image_of(np.asarray(pixels), image_layout(np.shape(pixels), layout))

    seen = PIL.Image.open(io.BytesIO(image.png))
    assert seen.mode in ("L", "RGB", "RGBA")
    np.testing.assert_array_equal(np.asarray(seen.convert("RGB")), np.asarray(picture.convert("RGB")))


@pytest.mark.parametrize(("mode", "dtype"), [("I;16", np.uint16), ("I", np.int32), ("F", np.float32)])
def test_numbers_in_images_of_pillow_are_numbers(mode: str, dtype: type) -> None:
    """An image of 16 bits or of floats is stretched like an array, not cut off at 255."""
    numbers = np.array([[0, 300], [600, 6000]], dtype)
    picture = PIL.Image.fromarray(numbers)
    assert picture.mode == mode

    pixels, layout = unpack_image(picture, None)

    assert layout == "HW"
    np.testing.assert_array_equal(np.asarray(pixels), numbers)
