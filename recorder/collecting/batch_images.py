"""The pictures in a batch of training data."""

from typing import Any, NamedTuple

from toposcope.recorder.training.batch import first_array
from toposcope.recorder.values.foreign import shown
from toposcope.recorder.values.image import image_layout

_MAX_PIXELS = 1 << 18
"""Of all images of a batch that are recorded; about two hundred of 32 x 32, or five of 224 x 224."""


class Images(NamedTuple):
    """Images of a batch."""

    pixels: Any
    """Of the batch's own kind, NCHW, NHWC or HW."""
    layout: str


def images_in(batch: object) -> Images:
    """Return the first images of a batch, as many as have 262,144 pixels, but at least one.

    Its first array holds images when it has four dimensions, NCHW or NHWC with 1, 3 or 4 channels C, or when it has
    three and is of uint8: grey images NHW.

    Raises:
        ValueError: it holds none.
    """
    array = first_array(batch)
    shape: tuple[int, ...] = tuple(int(size) for size in getattr(array, "shape", ()))
    is_grey = len(shape) == 3 and str(array.dtype).lower().endswith("uint8")
    if len(shape) != 4 and not is_grey:
        raise ValueError(f"a batch of images begins with an array NCHW or NHWC; {_described(batch, shape)}.")
    layout = "NHWC" if is_grey else image_layout(shape, None)
    height, width = shape[1:3] if layout == "NHWC" else shape[2:4]
    first = array[: max(1, _MAX_PIXELS // max(1, height * width))]
    return Images(first[:, :, :, None] if is_grey else first, layout)


def _described(batch: object, shape: tuple[int, ...]) -> str:
    return f"this one's has the shape {shape}" if shape else f"this one is {shown(batch)}"
