"""Pixels: what scripts pass as an image, as uint8 and with the meaning of the dimensions."""

import io
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.recorder.wandb.media.media_files import is_file

_Array = npt.NDArray[Any]


def is_figure(value: Any) -> bool:
    """Return whether value is a figure of Matplotlib, or its module pyplot."""
    return hasattr(value, "savefig") and (hasattr(value, "axes") or hasattr(value, "gcf"))


def pixels_of(source: Any, *, normalize: bool) -> _Array:
    """Return the pixels of an image in uint8."""
    from PIL import Image as Pillow

    if is_figure(source):
        buffer = io.BytesIO()
        source.savefig(buffer, format="png")
        source = buffer
    if is_file(source):
        source = Pillow.open(source)
    if isinstance(source, Pillow.Image):
        if source.mode not in ("L", "RGB", "RGBA"):
            source = source.convert("RGBA" if source.has_transparency_data else "RGB")
        return np.asarray(source)
    array = array_from(source).numbers()
    if not array.size or array.ndim not in (2, 3, 4):
        raise ValueError(f"An image has 2 to 4 dimensions, not the shape {array.shape}.")
    return as_uint8(array) if normalize else array.clip(0, 255).astype(np.uint8)


def dataformats_of(source: Any, pixels: _Array) -> str:
    """Return the meaning of the dimensions: tensors of PyTorch have their channels first."""
    if pixels.ndim == 2:
        return "HW"
    is_first = hasattr(source, "detach")
    if pixels.ndim == 4:
        return "NCHW" if is_first else "NHWC"
    return "CHW" if is_first and pixels.shape[0] in (1, 3, 4) else "HWC"


def in_mode(pixels: _Array, mode: str) -> _Array:
    """Return pixels in a mode of Pillow."""
    from PIL import Image as Pillow

    flat = pixels[:, :, 0] if pixels.ndim == 3 and pixels.shape[2] == 1 else pixels
    image = Pillow.fromarray(flat)
    return np.asarray(image if image.mode == mode else image.convert(mode))


def as_uint8(array: _Array) -> _Array:
    """Return pixels in 0..255: floats up to 1 are multiplied, negative ones scaled before."""
    if array.dtype == np.uint8:
        return array
    values = array.astype(np.float64)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low < 0:
        values = (values - low) / ((high - low) or 1.0) * 255
    elif high <= 1:
        values = values * 255
    return np.nan_to_num(values).clip(0, 255).astype(np.uint8)
