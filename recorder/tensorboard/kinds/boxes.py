"""Images on which labelled boxes are drawn."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from toposcope.proto.framing import Buffer
from toposcope.recorder.tensorboard.kinds.image import canvas_of, png_field
from toposcope.recorder.values.arrays.arrays import Array

_COLOUR, _TEXT_COLOUR = "red", "black"
_LINE_PIXELS = 2
_TEXT_MARGIN = 0.05  # Of the height of the text.


class BoxedImageValue(NamedTuple):
    """An image with boxes."""

    array: Array
    layout: str
    """Meaning of the dimensions: "CHW", "HWC" or "HW"."""
    boxes: Array
    """[n, 4]: left, top, right, bottom, in pixels."""
    labels: Sequence[str] | None
    """One for each box."""
    rescale: float
    """The factor by which the image is enlarged after the boxes are drawn."""

    def fields(self) -> list[Buffer]:
        """Return the encoded fields of Summary.Value."""
        from PIL import Image, ImageDraw  # Not needed by trainings that record no images.

        canvas = canvas_of(self.array.numbers(), self.layout)
        if canvas.shape[2] == 1:  # Boxes are red.
            canvas = canvas.repeat(3, axis=2)
        picture = Image.fromarray(canvas)
        draw = ImageDraw.Draw(picture)
        labels = self.labels or [""] * len(self.boxes.values)
        for box, label in zip(self.boxes.numbers().astype(np.float64).tolist(), labels, strict=True):
            _draw_box(draw, box, label)
        size = max(1, int(picture.width * self.rescale)), max(1, int(picture.height * self.rescale))
        if size != picture.size:
            picture = picture.resize(size, Image.Resampling.LANCZOS)
        return png_field(np.asarray(picture))


def _draw_box(draw: Any, box: Sequence[float], label: str) -> None:
    left, top, right, bottom = box
    corners = [(left, top), (left, bottom), (right, bottom), (right, top), (left, top)]
    draw.line(corners, width=_LINE_PIXELS, fill=_COLOUR)
    if label:
        from PIL import ImageFont

        font = ImageFont.load_default()
        x0, y0, x1, y1 = font.getbbox(label)
        width, height = x1 - x0, y1 - y0
        margin = np.ceil(_TEXT_MARGIN * height)
        draw.rectangle([(left, bottom - height - 2 * margin), (left + width, bottom)], fill=_COLOUR)
        draw.text((left + margin, bottom - height - margin), label, fill=_TEXT_COLOUR, font=font)
