"""Snapshots: copies of added values, which the writer's thread encodes later."""

import math
from typing import Any, NamedTuple

import numpy as np

from toposcope.recorder.messages.foreign_messages import MESSAGES, message_from
from toposcope.recorder.values import tensor
from toposcope.recorder.values.arrays.arrays import Array, array_from
from toposcope.recorder.values.arrays.deferred_array import DeferredArray
from toposcope.recorder.values.arrays.foreign_values import call_foreign, short_repr
from toposcope.recorder.values.histogram import Histogram
from toposcope.recorder.values.image import image_layout, unpack_image
from toposcope.recorder.values.video import VideoFrames, checked_fps, checked_video

PLUGINS = ("scalar", "tensor", "histogram", "image", "text", *MESSAGES)
"""The plugins that add_value() accepts."""


class Pixels(NamedTuple):
    """The pixels of an image or of a batch of images."""

    array: Array
    layout: str
    """Meaning of the dimensions: "NCHW", "HW", ..."""


class Snapshot(NamedTuple):
    """A copy of a value."""

    plugin: str
    content: Any
    """Tensor: an Array. Histogram: an Array, a DeferredArray or a Histogram. Image: Pixels or VideoFrames. Text: a str.
    Scalar: a DeferredScalar. All others: the message of the plugin, of its class in MESSAGES."""
    size: int
    """Approximate memory in bytes until it is written."""


def snapshot_of(plugin: str, value: object, dataformats: str | None = None) -> Snapshot:
    """Return a snapshot of a value of any plugin except "scalar".

    Raises:
        TypeError: value has the wrong type for the plugin.
        ValueError: plugin is unknown, value has an invalid shape or size, or dataformats does not match the image or is
            passed for another plugin.
        UnreadableValueError: the value's own methods raised an error.
    """
    if not isinstance(plugin, str) or plugin not in PLUGINS:
        raise ValueError(f"plugin must be one of {', '.join(map(repr, PLUGINS))}; not {short_repr(plugin)}.")
    if dataformats is not None and plugin != "image":
        raise ValueError(f"dataformats is for images only; got {short_repr(dataformats)} for plugin {plugin!r}.")
    if plugin in MESSAGES:
        message = message_from(plugin, value)
        return Snapshot(plugin, message, message.ByteSize())
    if plugin == "text":
        return _text_snapshot(value)
    if plugin == "histogram" and isinstance(value, Histogram):
        return _histogram_snapshot(value)
    if plugin == "histogram" and isinstance(value, DeferredArray):
        return Snapshot(plugin, value, value.size)
    if plugin == "image":
        value, dataformats = call_foreign(lambda: unpack_image(value, dataformats))
    if plugin == "tensor":  # Checked before the tensor is moved and copied, with the smallest possible size.
        shape = call_foreign(lambda: tuple(int(size) for size in getattr(value, "shape", ())))
        _check_size(4 * math.prod(shape), shape)
    return _array_snapshot(plugin, array_from(value), value, dataformats)


def video_snapshot(frames: object, dataformats: str, fps: float) -> Snapshot:
    """Return a snapshot of videos for the plugin "image".

    Raises:
        TypeError: one of the arguments has the wrong type.
        ValueError: the shape does not match dataformats, or fps is not positive.
        UnreadableValueError: the value's own methods raised an error.
    """
    array = array_from(frames)
    if array.is_complex:
        raise TypeError(f"A video must contain real numbers; {short_repr(frames)} is complex.")
    layout = checked_video(array.values.shape, dataformats)
    return Snapshot("image", VideoFrames(array, layout, checked_fps(fps)), array.values.nbytes)


def _text_snapshot(value: object) -> Snapshot:
    if not isinstance(value, str):
        raise TypeError(f"The value of plugin 'text' must be a str, not {short_repr(value)}.")
    return Snapshot("text", str.__str__(value), 4 * len(value))


def _histogram_snapshot(histogram: Histogram) -> Snapshot:
    """Return the snapshot of a histogram that was computed elsewhere, on a device for example."""
    edges, counts = np.array(histogram.edges, np.float64), np.array(histogram.counts, np.int64)
    if edges.ndim != 1 or counts.shape != (max(edges.size - 1, 0),):
        raise ValueError(f"A Histogram must have one more edge than counts; got {edges.shape} and {counts.shape}.")
    return Snapshot("histogram", histogram._replace(edges=edges, counts=counts), edges.nbytes + counts.nbytes)


def _array_snapshot(plugin: str, array: Array, value: object, dataformats: str | None) -> Snapshot:
    if plugin == "tensor":
        size = tensor.encoded_size(array)
        _check_size(size, array.values.shape)
        return Snapshot(plugin, array, size + array.values.nbytes)
    if array.is_complex:
        raise TypeError(f"The value of plugin {plugin!r} must contain real numbers; {short_repr(value)} is complex.")
    if plugin == "image":
        layout = image_layout(array.values.shape, dataformats)
        return Snapshot(plugin, Pixels(array, layout), array.values.nbytes)
    return Snapshot(plugin, array, array.values.nbytes)


def _check_size(size: int, shape: tuple[int, ...]) -> None:
    if size > tensor.MAX_BYTES:
        raise ValueError(f"A tensor must take at most {tensor.MAX_BYTES} bytes of a file; shape {shape} takes {size}.")
