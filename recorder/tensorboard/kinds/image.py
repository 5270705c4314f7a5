"""Images as TensorBoard's Summary.Image, whose fields are those of ours."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto.framing import Buffer
from toposcope.proto.wire import bytes_head
from toposcope.recorder.values.arrays.arrays import Array
from toposcope.recorder.values.arrays.foreign_values import short_repr
from toposcope.recorder.values.image import Image, encode, png_of, tiled, to_bytes

_IMAGE = 4
_CHANNELS = (1, 2, 3, 4)
"""2: grey and alpha."""
_DIMENSIONS = {"HW", "CHW", "NCHW"}


class ImageValue(NamedTuple):
    """An image, or a batch of images that is tiled in rows of eight."""

    array: Array
    layout: str
    """Meaning of the dimensions: "CHW", "NHWC", ..."""

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        return png_field(canvas_of(self.array.numbers(), self.layout))


def checked_layout(shape: tuple[int, ...], dataformats: object) -> str:
    """Return the meaning of the dimensions of an image, in capitals.

    Raises:
        TypeError: dataformats is not a str.
        ValueError: dataformats is not an order of HW, CHW or NCHW, or the shape is not one of such an image.
    """
    if not isinstance(dataformats, str):
        raise TypeError(f"dataformats must be a str, not {short_repr(dataformats)}.")
    layout = dataformats.upper()
    if len(set(layout)) != len(layout) or "".join(sorted(layout)) not in {
        "".join(sorted(each)) for each in _DIMENSIONS
    }:
        raise ValueError(f"dataformats must be an order of 'HW', 'CHW' or 'NCHW', not {dataformats!r}.")
    if len(shape) != len(layout) or 0 in shape or ("C" in layout and shape[layout.index("C")] not in _CHANNELS):
        raise ValueError(
            f"dataformats={dataformats!r} requires {len(layout)} dimensions, not empty, with 1 to 4 channels C; "
            f"the shape of the image is {shape}."
        )
    return layout


def canvas_of(pixels: npt.NDArray[Any], layout: str) -> npt.NDArray[np.uint8]:
    """Return an image, or the tiles of a batch, as uint8[height, width, channels]."""
    axes = layout + "".join(axis for axis in "NHWC" if axis not in layout)
    named = pixels.reshape(pixels.shape + (1,) * (len(axes) - len(layout)))
    return tiled(bytes_of(named.transpose([axes.index(axis) for axis in "NHWC"])))


def bytes_of(pixels: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Return pixels as bytes: floats times 255, without their fraction, and integers as they are, within 0 to 255.

    Integers of 16 bits beyond that range are scaled so that the smallest becomes 0 and the largest 255.
    """
    if pixels.dtype == np.uint8:
        return pixels
    if pixels.dtype.itemsize == 2 and pixels.dtype.kind in "iu" and (pixels.min() < 0 or pixels.max() > 255):
        return to_bytes(pixels)
    if pixels.dtype == np.bool_:
        return pixels * np.uint8(255)
    if pixels.dtype.kind == "f":
        with np.errstate(over="ignore"):
            pixels = np.nan_to_num(pixels.astype(np.float32) * np.float32(255))
    return pixels.clip(0, 255).astype(np.uint8)


def png_field(canvas: npt.NDArray[np.uint8]) -> list[Buffer]:
    """Return the encoded field of Summary.Value of uint8[height, width, channels] as PNG."""
    height, width, channels = canvas.shape
    return image_field(Image(height, width, channels, png_of(canvas)))


def image_field(image: Image) -> list[Buffer]:
    """Return the encoded field of Summary.Value of an encoded image."""
    encoded = encode(image)
    return [bytes_head(_IMAGE, len(encoded)), encoded]
