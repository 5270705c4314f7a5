"""Images that Accelerate's trackers receive, as values that are recorded."""

from typing import Any

import numpy as np

from toposcope.recorder.values.wrapped import Image


def images_in(images: Any, layout: str | None) -> Image:
    """Return a batch as an Image.

    Args:
        images: an array of 2 to 4 dimensions, or a list of images of one size: arrays, or images of Pillow.
        layout: as for Image; None: it is found by the dimensions.
    """
    if isinstance(images, list | tuple):
        images = np.stack([np.asarray(image) for image in images])
        layout = layout if layout is None or len(layout) == images.ndim else f"N{layout}"
    return Image(images, layout) if layout is not None else Image(images)
