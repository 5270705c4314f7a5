"""Values that Accelerate's trackers receive, as values that are recorded."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from toposcope.recorder.values.wrapped import Image, Text


def recordable(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return logged values with str as Text, also in nested mappings."""
    return {str(tag): _recordable(value) for tag, value in values.items()}


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


def _recordable(value: Any) -> Any:
    if isinstance(value, str):
        return Text(value)
    return recordable(value) if isinstance(value, Mapping) else value
