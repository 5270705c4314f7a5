"""Snapshots: values taken over from their owner when they are added, to be encoded by the writer's thread."""

import math
from typing import Any, NamedTuple

import numpy as np

from toposcope.recorder.messages.foreign_messages import MESSAGES, message_from
from toposcope.recorder.values import tensor
from toposcope.recorder.values.arrays import Array, array_from
from toposcope.recorder.values.foreign import called, shown
from toposcope.recorder.values.histogram import Histogram
from toposcope.recorder.values.image import image_layout, unpacked

PLUGINS = ("scalar", "tensor", "histogram", "image", "text", *MESSAGES)
"""Kinds of values, as add_value() names them."""


class Pixels(NamedTuple):
    """The pixels of an image or of a batch of images."""

    array: Array
    layout: str
    """What the dimensions mean: "NCHW", "HW", ..."""


class Snapshot(NamedTuple):
    """A value that nobody else can change."""

    plugin: str
    content: Any
    """Of a tensor an Array, of a histogram an Array or the Histogram, of an image Pixels, of a text a str, else the
    plugin's message of ours."""
    size: int
    """Bytes of memory that it takes until it is written, about."""


def snapshot_of(plugin: str, value: object, dataformats: str | None = None) -> Snapshot:
    """Take a snapshot of a value of any plugin but "scalar".

    Raises:
        TypeError: value is of another kind than the plugin's.
        ValueError: plugin is unknown, value has a shape or a size that the plugin cannot hold, or dataformats does not
            fit an image or is given for something else.
        UnreadableValueError: the value's own methods raised.
    """
    if not isinstance(plugin, str) or plugin not in PLUGINS:
        raise ValueError(f"plugin is one of {', '.join(map(repr, PLUGINS))}; not {shown(plugin)}.")
    if dataformats is not None and plugin != "image":
        raise ValueError(f"dataformats is for images; it is {shown(dataformats)} for plugin {plugin!r}.")
    if plugin in MESSAGES:
        message = message_from(plugin, value)
        return Snapshot(plugin, message, message.ByteSize())
    if plugin == "text":
        return _text(value)
    if plugin == "histogram" and isinstance(value, Histogram):
        return _of_histogram(value)
    if plugin == "image":
        value, dataformats = called(lambda: unpacked(value, dataformats))
    if plugin == "tensor":  # Known before it is moved and copied, in the smallest case.
        shape = called(lambda: tuple(int(size) for size in getattr(value, "shape", ())))
        _check_size(4 * math.prod(shape), shape)
    return _of_array(plugin, array_from(value), value, dataformats)


def _text(value: object) -> Snapshot:
    if not isinstance(value, str):
        raise TypeError(f"A text is a str, not {shown(value)}.")
    return Snapshot("text", str.__str__(value), 4 * len(value))


def _of_histogram(histogram: Histogram) -> Snapshot:
    """Return the snapshot of a histogram that was computed elsewhere, as on a device."""
    edges, counts = np.array(histogram.edges, np.float64), np.array(histogram.counts, np.int64)
    if edges.ndim != 1 or counts.shape != (max(edges.size - 1, 0),):
        raise ValueError(f"A Histogram has one more edge than counts; this one has {edges.shape} and {counts.shape}.")
    return Snapshot("histogram", histogram._replace(edges=edges, counts=counts), edges.nbytes + counts.nbytes)


def _of_array(plugin: str, array: Array, value: object, dataformats: str | None) -> Snapshot:
    if plugin == "tensor":
        size = tensor.encoded_size(array)
        _check_size(size, array.values.shape)
        return Snapshot(plugin, array, size + array.values.nbytes)
    if array.is_complex:
        raise TypeError(f"The value of plugin {plugin!r} holds real numbers; {shown(value)} holds complex ones.")
    if plugin == "image":
        layout = image_layout(array.values.shape, dataformats)
        return Snapshot(plugin, Pixels(array, layout), array.values.nbytes)
    return Snapshot(plugin, array, array.values.nbytes)


def _check_size(size: int, shape: tuple[int, ...]) -> None:
    if size > tensor.MAX_BYTES:
        raise ValueError(f"A tensor takes at most {tensor.MAX_BYTES} bytes of a file; one of {shape} takes {size}.")
