"""Pictures: the images and masks that a Logger is given, as arrays whose layout is known."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import numpy.typing as npt

from toposcope.recorder.values.arrays import array_from
from toposcope.recorder.values.foreign import called
from toposcope.recorder.values.image import unpack_image

_CHANNELS = (1, 3, 4)


class ImageBatch(NamedTuple):
    """One image, or a batch of images of one size."""

    pixels: npt.NDArray[Any]
    dataformats: str
    """What the dimensions mean, as SummaryRecord.add_value() takes it: "HW", "CHW", "HWC", "NCHW" or "NHWC"."""


def image_batches(images: object, channels_last: bool) -> list[ImageBatch]:
    """Return images as one batch where they are of one size, else each for itself.

    Args:
        images: an array or tensor of the shape HW, CHW or NCHW (HWC, NHWC with channels_last), or NHW where N is no
            number of channels; an image of Pillow's; or a sequence of these.
        channels_last: whether channels are the last dimension of images that have them.

    Raises:
        TypeError: images holds something else.
        ValueError: an array has another number of dimensions.
        UnreadableValueError: the methods of an array or tensor raised.
    """
    if not _is_sequence(images):
        return [_image_batch(images, channels_last)]
    each = [_image_batch(image, channels_last) for image in images]
    if len(each) == 1 or len({(one.pixels.shape, one.dataformats) for one in each}) > 1 or each[0].pixels.ndim > 3:
        return each
    batch = np.stack([one.pixels for one in each])
    return [_grey_batch(batch) if batch.ndim == 3 else ImageBatch(batch, "N" + each[0].dataformats)]


def mask_images(mask: object) -> list[ImageBatch]:
    """Return a mask of labels, or several masks, as images in which each label has its colour of label_colours().

    Args:
        mask: whole numbers of the shape HW, NHW, N1HW or NHW1; or a sequence of such.

    Raises:
        TypeError, ValueError, UnreadableValueError: as image_batches().
    """
    if _is_sequence(mask):
        return image_batches([_mask_image(_labels(one)).pixels for one in mask], channels_last=True)
    return [_mask_image(_labels(mask))]


def label_colours() -> npt.NDArray[np.uint8]:
    """Return the label_colours of 256 labels, of the shape (256, 3): those of Pascal VOC; label 0 is black."""
    labels, rgb = np.arange(256), np.zeros((256, 3), np.uint8)
    for bit in range(8):
        for channel in range(3):
            rgb[:, channel] |= ((labels >> (3 * bit + channel) & 1) << (7 - bit)).astype(np.uint8)
    return rgb


def _is_sequence(images: object) -> TypeGuard[Sequence[object]]:
    """Tell a sequence of images from one image given as nested lists of numbers."""
    return isinstance(images, Sequence) and len(images) > 0 and not isinstance(images[0], Sequence | int | float)


def _image_batch(image: object, channels_last: bool) -> ImageBatch:
    pixels, layout = called(lambda: unpack_image(image, None))
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
    raise ValueError(f"Images have 2, 3 or 4 dimensions; these have the shape {array.shape}.")


def _grey_batch(array: npt.NDArray[Any]) -> ImageBatch:
    return ImageBatch(array[..., np.newaxis], "NHWC")


def _labels(mask: object) -> npt.NDArray[np.int64]:
    labels = array_from(mask).numbers()
    if labels.ndim == 4 and 1 in (labels.shape[1], labels.shape[3]):
        labels = labels.squeeze(1 if labels.shape[1] == 1 else 3)
    if labels.ndim not in (2, 3) or labels.dtype.kind == "c":
        raise ValueError(f"A mask holds one label a pixel, HW, NHW or N1HW; it is {labels.dtype} of {labels.shape}.")
    with np.errstate(invalid="ignore"):  # NaN is some label.
        return labels.astype(np.int64)


def _mask_image(labels: npt.NDArray[np.int64]) -> ImageBatch:
    return ImageBatch(label_colours()[labels % 256], "HWC" if labels.ndim == 2 else "NHWC")
