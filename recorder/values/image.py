"""Images: an array of pixels encoded as one PNG, with the images of a batch tiled."""

import io
import math
import zlib
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto.summary_pb2 import Summary
from toposcope.recorder.imported import imported
from toposcope.recorder.values.arrays.foreign_values import short_repr

_Array = npt.NDArray[Any]
_Bytes = npt.NDArray[np.uint8]
_Floats = npt.NDArray[np.float64]

_LAYOUTS = ("NCHW", "NHWC", "CHW", "HWC", "HW")
_CHANNELS = (1, 3, 4)
_MAX_COLUMNS = 8
_CONSTANT = 128
# 20 to 75 % of the time of Pillow's defaults; photographs, masks and maps become up to 5 % larger, drawings twice.
_COMPRESSION = {"compress_level": 1, "compress_type": zlib.Z_RLE}


class Image(NamedTuple):
    """An encoded image."""

    height: int
    """In pixels, like width."""
    width: int
    channels: int
    """1: grey, 3: RGB, 4: RGBA."""
    png: bytes
    """The file; a video is a GIF."""


def unpack_image(value: Any, dataformats: str | None) -> tuple[object, str | None]:
    """Return the pixels and layout of a Pillow image, in colour or grey; return any other value unchanged."""
    # Imported by the user if value is an image of Pillow; the thread that writes may be importing it at present.
    image_class: Any = getattr(imported("PIL.Image"), "Image", None)
    if image_class is None or not isinstance(value, image_class):
        return value, dataformats
    # Not the modes for numbers (I, I;16, F): converting them to colours clips to 0..255.
    if value.mode not in ("L", "RGB", "RGBA") and not value.mode.startswith(("I", "F")):
        value = value.convert("RGBA" if value.has_transparency_data else "RGB")
    pixels = np.asarray(value)
    return pixels, dataformats or ("HW" if pixels.ndim == 2 else "HWC")


def image_layout(shape: tuple[int, ...], dataformats: str | None) -> str:
    """Return the meaning of the dimensions of an array of pixels: NCHW, NHWC, CHW, HWC or HW.

    Args:
        shape: of the array.
        dataformats: the layout. None: it is inferred from the dimension of 1, 3 or 4 channels. Four dimensions are
            NCHW if that is possible, else NHWC; three are CHW or HWC.

    Raises:
        ValueError: dataformats is unknown or does not match the shape; or the shape has a zero, matches no layout, or
            matches both CHW and HWC.
    """
    if 0 in shape:
        raise ValueError(f"An image must have pixels; its shape is {shape}.")
    matching = [layout for layout in _LAYOUTS if _matches(shape, layout)]
    if dataformats is not None:
        return _checked_layout(shape, dataformats, matching)
    if not matching:
        raise ValueError(
            f"An image must have one of the layouts {_LAYOUTS}, with 1, 3 or 4 channels C; its shape is {shape}."
        )
    if len(shape) == 3 and len(matching) > 1:
        raise ValueError(f"An image of shape {shape} may be {' or '.join(matching)}: pass dataformats.")
    return matching[0]


def _matches(shape: tuple[int, ...], layout: str) -> bool:
    return len(shape) == len(layout) and ("C" not in layout or shape[layout.index("C")] in _CHANNELS)


def _checked_layout(shape: tuple[int, ...], dataformats: str, matching: list[str]) -> str:
    if dataformats not in _LAYOUTS:
        raise ValueError(f"dataformats must be one of {_LAYOUTS}, not {short_repr(dataformats)}.")
    if dataformats not in matching:
        raise ValueError(
            f"dataformats={dataformats!r} requires {len(dataformats)} dimensions, with 1, 3 or 4 channels C; "
            f"the shape of the image is {shape}."
        )
    return dataformats


def image_of(pixels: _Array, layout: str) -> Image:
    """Return an array of pixels as one image; a batch is tiled in rows of eight.

    uint8 is stored unchanged, bool as 0 and 255, floats within 0..1 multiplied by 255. All other pixels are scaled so
    that the smallest and the largest finite value of the whole batch become 0 and 255; equal values become 128. NaN and
    -inf become 0, +inf becomes 255. Unlike MindSpore, this function never scales uint8, and empty tiles do not
    influence the scale.

    Args:
        pixels: shape as described by layout; bool, (u)int8 to (u)int64 or float16 to float64.
        layout: the result of image_layout() for its shape.
    """
    canvas = tiled(to_bytes(_to_nhwc(pixels, layout)))
    height, width, channels = canvas.shape
    return Image(height, width, channels, png_of(canvas))


def encode(image: Image) -> bytes:
    """Return image as a Summary.Image message."""
    message = Summary.Image(height=image.height, width=image.width, colorspace=image.channels, encoded_image=image.png)
    return message.SerializeToString()


def _to_nhwc(pixels: _Array, layout: str) -> _Array:
    axes = layout + "".join(axis for axis in "NHWC" if axis not in layout)
    named = pixels.reshape(pixels.shape + (1,) * (len(axes) - len(layout)))
    return named.transpose([axes.index(axis) for axis in "NHWC"])


def to_bytes(pixels: _Array) -> _Bytes:
    """Return pixels of any shape as bytes, as image_of() describes it."""
    if pixels.dtype == np.uint8:
        return pixels
    if pixels.dtype == np.bool_:
        return pixels * np.uint8(255)
    low, high = float(pixels.min()), float(pixels.max())
    if math.isfinite(low) and math.isfinite(high):  # The usual pixels: both are NaN if any pixel is.
        return _finite_to_bytes(pixels, low, high)
    # Converting some NaN raises a floating-point flag.
    with np.errstate(invalid="ignore"):
        numbers = pixels.astype(np.float64)
    return _rounded(numbers * 255 if _is_unit_range(pixels) else _stretched(numbers))


def _finite_to_bytes(pixels: _Array, low: float, high: float) -> _Bytes:
    """Return finite pixels, in the range from low to high, as bytes."""
    if pixels.dtype.kind == "f" and low >= 0 and high <= 1:
        return np.rint(pixels.astype(np.float64) * 255).astype(np.uint8)
    if low == high:
        return np.full(pixels.shape, _CONSTANT, np.uint8)
    return np.rint(_scaled(pixels.astype(np.float64), low, high)).astype(np.uint8)


def _is_unit_range(pixels: _Array) -> bool:
    """Return whether pixels are floats within 0..1, or NaN."""
    return pixels.dtype.kind == "f" and bool((np.isnan(pixels) | (pixels >= 0) & (pixels <= 1)).all())


def _stretched(numbers: _Floats) -> _Floats:
    """Return numbers scaled so that their finite range becomes 0..255."""
    is_finite = np.isfinite(numbers)
    finite = numbers[is_finite]
    low, high = float(finite.min(initial=math.inf)), float(finite.max(initial=-math.inf))
    return _scaled(numbers, low, high) if low < high else np.where(is_finite, _CONSTANT, numbers)


def _scaled(numbers: _Floats, low: float, high: float) -> _Floats:
    # Multiplying by a power of two is exact; near 1 neither the range nor its inverse overflows.
    unit = 2.0 ** -max(math.frexp(max(-low, high))[1], -1000)
    scaled: _Floats = numbers * unit - low * unit
    return scaled / (high * unit - low * unit) * 255


def _rounded(numbers: _Floats) -> _Bytes:
    """Return numbers rounded and clipped to uint8; NaN becomes 0."""
    return np.rint(np.nan_to_num(np.clip(numbers, 0, 255))).astype(np.uint8)


def tiled(batch: _Bytes) -> _Bytes:
    """Return an NHWC batch as one HWC canvas, in rows of eight images; empty tiles are zero."""
    count, height, width, channels = batch.shape
    columns = min(count, _MAX_COLUMNS)
    rows = math.ceil(count / columns)
    tiles = np.zeros((rows * columns, height, width, channels), np.uint8)
    tiles[:count] = batch
    grid = tiles.reshape(rows, columns, height, width, channels).swapaxes(1, 2)
    return grid.reshape(rows * height, columns * width, channels)


def png_of(canvas: _Bytes) -> bytes:
    """Return uint8[height, width, channels] as PNG."""
    from PIL import Image as Pillow  # Not needed by trainings that record no images.

    stream = io.BytesIO()
    pixels = canvas[:, :, 0] if canvas.shape[2] == 1 else canvas
    Pillow.fromarray(pixels).save(stream, "PNG", **_COMPRESSION)
    return stream.getvalue()
