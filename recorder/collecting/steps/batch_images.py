"""The images in a batch of training data."""

from typing import Any, NamedTuple

from toposcope.recorder.training.data.batch import first_array
from toposcope.recorder.values.arrays.foreign_values import short_repr
from toposcope.recorder.values.image import image_layout

_MAX_PIXELS = 1 << 15
"""Pixels recorded of a batch: 32 images of 32 x 32, or one of 224 x 224. PNG takes most of a collection's time."""


class Images(NamedTuple):
    """Images of a batch."""

    pixels: Any
    """An array or tensor of the batch's own type, NCHW or NHWC."""
    layout: str


def images_in(batch: object) -> Images:
    """Return the first images of a batch, at least one and at most 32,768 pixels in total.

    The first array of the batch contains images if it has four dimensions, NCHW or NHWC with 1, 3 or 4 channels C, or
    three dimensions and dtype uint8: grey images NHW.

    Raises:
        ValueError: the batch contains no images.
    """
    array = first_array(batch)
    shape: tuple[int, ...] = tuple(int(size) for size in getattr(array, "shape", ()))
    is_grey = len(shape) == 3 and str(array.dtype).lower().endswith("uint8")
    if len(shape) != 4 and not is_grey:
        raise ValueError(f"a batch of images must begin with an array NCHW or NHWC; {_described(batch, shape)}.")
    layout = "NHWC" if is_grey else image_layout(shape, None)
    height, width = shape[1:3] if layout == "NHWC" else shape[2:4]
    number = max(1, _MAX_PIXELS // max(1, height * width))
    first = array if shape[0] <= number else array[:number]
    return Images(first[:, :, :, None] if is_grey else first, layout)


def _described(batch: object, shape: tuple[int, ...]) -> str:
    return f"the first array has the shape {shape}" if shape else f"the batch is {short_repr(batch)}"
