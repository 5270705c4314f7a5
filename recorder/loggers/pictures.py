"""Pictures: the images and masks that a Logger is given, as arrays whose layout is known."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import numpy.typing as npt

from toposcope.recorder.values.arrays import array_from
from toposcope.recorder.values.foreign import called
from toposcope.recorder.values.image import unpack_image

_CHANNELS = (1, 3, 4)


class Picture(NamedTuple):
    """One image, or a batch of images of one size."""

    pixels: npt.NDArray[Any]
    dataformats: str
    """What the dimensions mean, as SummaryRecord.add_value() takes it: "HW", "CHW", "HWC", "NCHW" or "NHWC"."""


def pictures(images: object, channels_last: bool) -> list[Picture]:
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
        return [_picture(images, channels_last)]
    each = [_picture(image, channels_last) for image in images]
    if len(each) == 1 or len({(one.pixels.shape, one.dataformats) for one in each}) > 1 or each[0].pixels.ndim > 3:
        return each
    batch = np.stack([one.pixels for one in each])
    return [_grey_batch(batch) if batch.ndim == 3 else Picture(batch, "N" + each[0].dataformats)]


def coloured(mask: object) -> list[Picture]:
    """Return a mask of labels, or several, as pictures: each label has the same colour everywhere (see colours()).

    Args:
        mask: whole numbers of the shape HW, NHW, N1HW or NHW1; or a sequence of such.

    Raises:
        TypeError, ValueError, UnreadableValueError: as pictures().
    """
    if _is_sequence(mask):
        return pictures([_painted(_labels(one)).pixels for one in mask], channels_last=True)
    return [_painted(_labels(mask))]


def colours() -> npt.NDArray[np.uint8]:
    """Return the colours of 256 labels, of the shape (256, 3): those of Pascal VOC; label 0 is black."""
    labels, rgb = np.arange(256), np.zeros((256, 3), np.uint8)
    for bit in range(8):
        for channel in range(3):
            rgb[:, channel] |= ((labels >> (3 * bit + channel) & 1) << (7 - bit)).astype(np.uint8)
    return rgb


def _is_sequence(images: object) -> TypeGuard[Sequence[object]]:
    """Tell a sequence of images from one image given as nested lists of numbers."""
    return isinstance(images, Sequence) and len(images) > 0 and not isinstance(images[0], Sequence | int | float)


def _picture(image: object, channels_last: bool) -> Picture:
    pixels, layout = called(lambda: unpack_image(image, None))
    array = array_from(pixels).numbers()
    if layout is not None:
        return Picture(array, layout)
    if array.ndim == 2:
        return Picture(array, "HW")
    if array.ndim == 3 and array.shape[-1 if channels_last else 0] not in _CHANNELS:
        return _grey_batch(array)
    if array.ndim == 3:
        return Picture(array, "HWC" if channels_last else "CHW")
    if array.ndim == 4:
        return Picture(array, "NHWC" if channels_last else "NCHW")
    raise ValueError(f"Images have 2, 3 or 4 dimensions; these have the shape {array.shape}.")


def _grey_batch(array: npt.NDArray[Any]) -> Picture:
    return Picture(array[..., np.newaxis], "NHWC")


def _labels(mask: object) -> npt.NDArray[np.int64]:
    labels = array_from(mask).numbers()
    if labels.ndim == 4 and 1 in (labels.shape[1], labels.shape[3]):
        labels = labels.squeeze(1 if labels.shape[1] == 1 else 3)
    if labels.ndim not in (2, 3) or labels.dtype.kind == "c":
        raise ValueError(f"A mask holds one label a pixel, HW, NHW or N1HW; it is {labels.dtype} of {labels.shape}.")
    with np.errstate(invalid="ignore"):  # NaN is some label.
        return labels.astype(np.int64)


def _painted(labels: npt.NDArray[np.int64]) -> Picture:
    return Picture(colours()[labels % 256], "HWC" if labels.ndim == 2 else "NHWC")
