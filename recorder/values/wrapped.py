"""The types that say of what kind a logged value is: Image, Video, Histogram, Text and Tensor."""

from typing import Any, NamedTuple


class Image(NamedTuple):
    """An image or a batch of images."""

    pixels: Any
    """An array or tensor of any framework, or an image of Pillow; see SummaryRecord.add_value()."""
    dataformats: str | None = None
    """Meaning of the dimensions: "NCHW", "NHWC", "CHW", "HWC" or "HW". None: inferred from the shape."""


class Video(NamedTuple):
    """A video, or several of the same size, recorded as one animated GIF among the images."""

    frames: Any
    """An array or tensor of any framework, whose pixels are taken as those of images."""
    dataformats: str = "NTCHW"
    """Meaning of the dimensions, an order of video N, frame T, channel C, height H and width W."""
    fps: float = 4
    """Frames per second."""


class Histogram(NamedTuple):
    """Values of which the histogram is recorded."""

    values: Any
    """An array or tensor of real numbers, of any framework and shape; or the result of histogram_of()."""


class Text(NamedTuple):
    """A text, displayed as Markdown."""

    text: str


class Tensor(NamedTuple):
    """Values that are recorded with their shape and dtype."""

    values: Any
    """An array or tensor of any framework, shape and dtype, a number or nested lists of numbers."""
