"""Image batches: the images and masks passed to a Logger, as arrays with a known layout."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import numpy.typing as npt

from toposcope.recorder.loggers.table import markdown_table
from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.recorder.values.arrays.foreign_values import call_foreign
from toposcope.recorder.values.image import unpack_image

_CHANNELS = (1, 3, 4)


class ImageBatch(NamedTuple):
    """An image, or a batch of images of the same size."""

    pixels: npt.NDArray[Any]
    dataformats: str
    """The layout as for SummaryRecord.add_value(): "HW", "CHW", "HWC", "NCHW" or "NHWC"."""


def image_batches(images: object, channels_last: bool) -> list[ImageBatch]:
    """Return images as one batch if they have the same size, else as one batch each.

    Args:
        images: an array or tensor of shape HW, CHW or NCHW (HWC or NHWC with channels_last), or NHW if N is not a
            number of channels; a Pillow image; or a sequence of these.
        channels_last: whether channels are the last dimension of images that have channels.

    Raises:
        TypeError: images contains something else.
        ValueError: an array has another number of dimensions.
        UnreadableValueError: the methods of an array or tensor raised.
    """
    if not _is_sequence(images):
        return [_image_batch(images, channels_last)]
    batches = [_image_batch(image, channels_last) for image in images]
    kinds = {(each.pixels.shape, each.dataformats) for each in batches}
    if len(batches) == 1 or len(kinds) > 1 or batches[0].pixels.ndim > 3:
        return batches
    stacked = np.stack([each.pixels for each in batches])
    return [_grey_batch(stacked) if stacked.ndim == 3 else ImageBatch(stacked, "N" + batches[0].dataformats)]


def mask_images(mask: object) -> list[ImageBatch]:
    """Return a mask of labels, or several masks, as images in which each label has its colour of label_colours().

    Args:
        mask: integers of shape HW, NHW, N1HW or NHW1; or a sequence of such masks.

    Raises:
        TypeError, ValueError, UnreadableValueError: as for image_batches().
    """
    if _is_sequence(mask):
        return image_batches([_mask_image(_labels(each)).pixels for each in mask], channels_last=True)
    return [_mask_image(_labels(mask))]


def label_colours() -> npt.NDArray[np.uint8]:
    """Return the Pascal VOC colours of 256 labels, of shape (256, 3); label 0 is black."""
    labels, rgb = np.arange(256), np.zeros((256, 3), np.uint8)
    for bit in range(8):
        for channel in range(3):
            rgb[:, channel] |= ((labels >> (3 * bit + channel) & 1) << (7 - bit)).astype(np.uint8)
    return rgb


def class_legend(classes: Mapping[int, str]) -> str:
    """Return a table, as Markdown, of the names of labels and their colours."""
    rgb = label_colours()
    rows = [[label, name, f"#{rgb[label % len(rgb)].tobytes().hex()}"] for label, name in classes.items()]
    return markdown_table(["label", "class", "colour"], rows)


def _is_sequence(images: object) -> TypeGuard[Sequence[object]]:
    """Return whether images is a sequence of images, not one image as nested lists of numbers."""
    return isinstance(images, Sequence) and len(images) > 0 and not isinstance(images[0], Sequence | int | float)


def _image_batch(image: object, channels_last: bool) -> ImageBatch:
    pixels, layout = call_foreign(lambda: unpack_image(image, None))
    array = array_from(pixels).numbers()
    if layout is not None:
        return ImageBatch(array, layout)
    if array.ndim == 2:
        return ImageBatch(array, "HW")
    if array.ndim == 3 and array.shape[-1 if channels_last else 0] not in _CHANNELS:
        return _grey_batch(array)
    if array.ndim == 3:
        return ImageBatch(array, "HWC" if channels_last else "CHW")
    if array.ndim == 4:
        return ImageBatch(array, "NHWC" if channels_last else "NCHW")
    raise ValueError(f"Images must have 2, 3 or 4 dimensions, not the shape {array.shape}.")


def _grey_batch(array: npt.NDArray[Any]) -> ImageBatch:
    return ImageBatch(array[..., np.newaxis], "NHWC")


def _labels(mask: object) -> npt.NDArray[np.int64]:
    labels = array_from(mask).numbers()
    if labels.ndim == 4 and 1 in (labels.shape[1], labels.shape[3]):
        labels = labels.squeeze(1 if labels.shape[1] == 1 else 3)
    if labels.ndim not in (2, 3) or labels.dtype.kind == "c":
        raise ValueError(
            f"A mask must contain one label per pixel, HW, NHW or N1HW, not {labels.dtype} of shape {labels.shape}."
        )
    with np.errstate(invalid="ignore"):  # NaN becomes an arbitrary label.
        return labels.astype(np.int64)


def _mask_image(labels: npt.NDArray[np.int64]) -> ImageBatch:
    return ImageBatch(label_colours()[labels % 256], "HWC" if labels.ndim == 2 else "NHWC")
