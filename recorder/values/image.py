"""Images: arrays of pixels become one PNG, the images of a batch side by side."""

import io
import math
import zlib
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image as Pillow

from toposcope.proto.summary_pb2 import Summary
from toposcope.recorder.values.foreign import shown

_Array = npt.NDArray[Any]
_Bytes = npt.NDArray[np.uint8]
_Floats = npt.NDArray[np.float64]

_LAYOUTS = ("NCHW", "NHWC", "CHW", "HWC", "HW")
_CHANNELS = (1, 3, 4)
_MOST_COLUMNS = 8
_CONSTANT = 128
# Photographs, masks and maps: 20 to 75 % of the time of Pillow's defaults, within 5 % of their size. Drawings: double.
_COMPRESSION = {"compress_level": 1, "compress_type": zlib.Z_RLE}


class Image(NamedTuple):
    """A picture, encoded."""

    height: int
    """In pixels, like width."""
    width: int
    channels: int
    """1 grey, 3 RGB, 4 RGBA."""
    png: bytes


def unpacked(value: object, dataformats: str | None) -> tuple[object, str | None]:
    """Return the pixels and the layout of an image of Pillow's, in colours or grey; any other value as it is."""
    if not isinstance(value, Pillow.Image):
        return value, dataformats
    # Of the modes for numbers (I, I;16, F) Pillow's colours would keep only what lies within 0..255.
    if value.mode not in ("L", "RGB", "RGBA") and not value.mode.startswith(("I", "F")):
        value = value.convert("RGBA" if value.has_transparency_data else "RGB")
    pixels = np.asarray(value)
    return pixels, dataformats or ("HW" if pixels.ndim == 2 else "HWC")


def image_layout(shape: tuple[int, ...], dataformats: str | None) -> str:
    """Return what the dimensions of an array of pixels are: NCHW, NHWC, CHW, HWC or HW.

    Args:
        shape: of the array.
        dataformats: the layout, when the caller knows it. None: four dimensions are NCHW, as documented, if the
            second can be channels (1, 3 or 4), else NHWC if the last can; three are CHW or HWC, whichever is possible.

    Raises:
        ValueError: dataformats is unknown or does not fit the shape, or the shape fits no layout or two, or is empty.
    """
    if 0 in shape:
        raise ValueError(f"An image has pixels; the shape {shape} holds none.")
    fitting = [layout for layout in _LAYOUTS if _fits(shape, layout)]
    if dataformats is not None:
        return _given_layout(shape, dataformats, fitting)
    if not fitting:
        raise ValueError(f"An image is one of {_LAYOUTS} with 1, 3 or 4 channels C; its shape is {shape}.")
    if len(shape) == 3 and len(fitting) > 1:
        raise ValueError(f"An image of shape {shape} may be {' or '.join(fitting)}: say which by dataformats.")
    return fitting[0]


def _fits(shape: tuple[int, ...], layout: str) -> bool:
    return len(shape) == len(layout) and ("C" not in layout or shape[layout.index("C")] in _CHANNELS)


def _given_layout(shape: tuple[int, ...], dataformats: str, fitting: list[str]) -> str:
    if dataformats not in _LAYOUTS:
        raise ValueError(f"dataformats is one of {_LAYOUTS}, not {shown(dataformats)}.")
    if dataformats not in fitting:
        raise ValueError(
            f"dataformats={dataformats!r} asks for {len(dataformats)} dimensions, channels C being 1, 3 or 4; "
            f"the image's shape is {shape}."
        )
    return dataformats


def image_of(pixels: _Array, layout: str) -> Image:
    """Return an array of pixels as one image; a batch is tiled in rows of eight.

    uint8 is stored as it is, bool as 0 and 255, floats within 0..1 times 255. All else is scaled so that the smallest
    and the largest finite value of the whole batch become 0 and 255; equal values become 128. NaN and -inf become 0,
    +inf 255. Unlike MindSpore's, uint8 is never stretched, and cells without an image take no part in scaling.

    Args:
        pixels: of the shape that layout says; bool, (u)int8 to (u)int64 or float16 to float64.
        layout: what image_layout() returned for its shape.
    """
    canvas = _tiled(_to_bytes(_to_nhwc(pixels, layout)))
    height, width, channels = canvas.shape
    return Image(height, width, channels, _png(canvas))


def encoded(image: Image) -> bytes:
    """Return image as a Summary.Image message."""
    message = Summary.Image(height=image.height, width=image.width, colorspace=image.channels, encoded_image=image.png)
    return message.SerializeToString()


def _to_nhwc(pixels: _Array, layout: str) -> _Array:
    axes = layout + "".join(axis for axis in "NHWC" if axis not in layout)
    named = pixels.reshape(pixels.shape + (1,) * (len(axes) - len(layout)))
    return named.transpose([axes.index(axis) for axis in "NHWC"])


def _to_bytes(pixels: _Array) -> _Bytes:
    if pixels.dtype == np.uint8:
        return pixels
    if pixels.dtype == np.bool_:
        return pixels * np.uint8(255)
    # Some NaN raise a flag when they are converted.
    with np.errstate(invalid="ignore"):
        numbers = pixels.astype(np.float64)
    return _rounded(numbers * 255 if _is_shade(pixels) else _stretched(numbers))


def _is_shade(pixels: _Array) -> bool:
    """Tell whether pixels are floats within 0..1, or NaN."""
    return pixels.dtype.kind == "f" and bool((np.isnan(pixels) | (pixels >= 0) & (pixels <= 1)).all())


def _stretched(numbers: _Floats) -> _Floats:
    """Return numbers on the scale from 0 to 255 that their finite range defines."""
    is_finite = np.isfinite(numbers)
    finite = numbers[is_finite]
    low, high = float(finite.min(initial=math.inf)), float(finite.max(initial=-math.inf))
    return _scaled(numbers, low, high) if low < high else np.where(is_finite, _CONSTANT, numbers)


def _scaled(numbers: _Floats, low: float, high: float) -> _Floats:
    # Powers of two are exact, and near 1 neither the range overflows nor its inverse.
    unit = 2.0 ** -max(math.frexp(max(-low, high))[1], -1000)
    scaled: _Floats = numbers * unit - low * unit
    return scaled / (high * unit - low * unit) * 255


def _rounded(numbers: _Floats) -> _Bytes:
    """Return uint8: the nearest integers within 0..255; 0 for NaN."""
    return np.rint(np.nan_to_num(np.clip(numbers, 0, 255))).astype(np.uint8)


def _tiled(batch: _Bytes) -> _Bytes:
    """Return a batch NHWC as one canvas HWC: in rows of eight, row by row, zeros in the cells that are left."""
    number, height, width, channels = batch.shape
    columns = min(number, _MOST_COLUMNS)
    rows = math.ceil(number / columns)
    cells = np.zeros((rows * columns, height, width, channels), np.uint8)
    cells[:number] = batch
    grid = cells.reshape(rows, columns, height, width, channels).swapaxes(1, 2)
    return grid.reshape(rows * height, columns * width, channels)


def _png(canvas: _Bytes) -> bytes:
    stream = io.BytesIO()
    pixels = canvas[:, :, 0] if canvas.shape[2] == 1 else canvas
    Pillow.fromarray(pixels).save(stream, "PNG", **_COMPRESSION)
    return stream.getvalue()
