"""Logged values: the arguments of log(), checked and copied, by tag and kind."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from google.protobuf.message import Message

from toposcope.recorder.adapters import is_jax_array, is_tensor
from toposcope.recorder.arguments import checked_name
from toposcope.recorder.messages.foreign_messages import MESSAGES
from toposcope.recorder.values.arrays.deferred_scalar import deferred_scalar
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError, short_repr
from toposcope.recorder.values.results.confusion_matrix import ConfusionMatrix
from toposcope.recorder.values.results.roc import Roc
from toposcope.recorder.values.results.table import Table, json_lines
from toposcope.recorder.values.scalar import scalar_from
from toposcope.recorder.values.wrapped import Histogram, Image, Tensor, Text, Video
from toposcope.recorder.writing.snapshot import Snapshot, snapshot_of, video_snapshot

_DEFERRED_BYTES = 96
_PLUGIN_OF_MESSAGE = {message.DESCRIPTOR.name: plugin for plugin, message in MESSAGES.items()}


class LoggedValues(NamedTuple):
    """Copies of the values of a call of log()."""

    scalars: dict[str, float]
    """The values, by tag."""
    snapshots: dict[tuple[str, str], Snapshot]
    """All other values by plugin and tag, and scalars on a device, as DeferredScalar."""
    inexact: set[str]
    """Tags of scalars that were rounded, because no double represents them."""
    unreadable: dict[str, UnreadableValueError]
    """The errors of values whose own methods failed, by tag. These values are skipped."""

    def update(self, newer: "LoggedValues") -> None:
        """Add newer values; of the same plugin and tag the newer one replaces the older one."""
        for tag in newer.scalars:
            self.snapshots.pop(("scalar", tag), None)
        for plugin, tag in newer.snapshots:
            if plugin == "scalar":
                self.scalars.pop(tag, None)
        self.scalars.update(newer.scalars)
        self.snapshots.update(newer.snapshots)
        self.inexact.update(newer.inexact)
        self.unreadable.update(newer.unreadable)


def nothing_logged() -> LoggedValues:
    """Return logged values without any value."""
    return LoggedValues({}, {}, set(), {})


def logged_values(values: Mapping[str, Any]) -> LoggedValues:
    """Return copies of the values of a mapping, whose names are joined by "/" with those of nested mappings.

    Numbers, and arrays and tensors with one element, are scalars; one on a device is copied without waiting for it, and
    read by the thread that writes. Image, Video, Histogram, Text, Table and Tensor name the kind of other values;
    ConfusionMatrix and Roc are recorded as tables. The messages returned by graph(), landscape() and so on are recorded
    as such.

    Raises:
        TypeError: values is not a mapping, a name is empty or not a str, or a value is of an unknown type.
        ValueError: a value has an invalid shape, size or range, or two values have the same tag.
    """
    if not isinstance(values, Mapping):
        raise TypeError(f"values must be a mapping of names to values, not {short_repr(values)}.")
    logged = nothing_logged()
    tags: set[str] = set()
    for tag, value in _flattened(values, ""):
        if tag in tags:
            raise ValueError(f"Two of the logged values have the tag {tag!r}.")
        tags.add(tag)
        try:
            _add(logged, tag, value)
        except UnreadableValueError as error:
            logged.unreadable[tag] = error
    return logged


def _flattened(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        tag = prefix + checked_name(name)
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{tag}/")
        else:
            yield tag, value


def _add(logged: LoggedValues, tag: str, value: Any) -> None:
    if type(value) is float:
        logged.scalars[tag] = value
        return
    try:
        if isinstance(value, Video):
            logged.snapshots["image", tag] = video_snapshot(*value)
            return
        plugin, content, dataformats = _classified(value)
        if plugin != "scalar":
            logged.snapshots[plugin, tag] = snapshot_of(plugin, content, dataformats)
            return
        if _is_on_device(content) and (deferred := deferred_scalar(content)) is not None:
            logged.snapshots["scalar", tag] = Snapshot("scalar", deferred, _DEFERRED_BYTES)
            return
        scalar = scalar_from(content)
    except (TypeError, ValueError) as error:
        raise type(error)(f"The value of {tag!r} cannot be recorded: {error}{_advice(value)}") from None
    logged.scalars[tag] = scalar.value
    if not scalar.is_exact:
        logged.inexact.add(tag)


def _classified(value: Any) -> tuple[str, Any, str | None]:
    """Return the plugin and the content of a value, and the dataformats of an image."""
    if isinstance(value, Image):
        return "image", value.pixels, value.dataformats
    if isinstance(value, Histogram | Tensor):
        return type(value).__name__.lower(), value.values, None
    if isinstance(value, Text):
        return "text", value.text, None
    if isinstance(value, ConfusionMatrix | Roc):
        value = value.table()
    if isinstance(value, Table):
        return "text", "\n".join(json_lines(value)), None
    if isinstance(value, Message):
        return _PLUGIN_OF_MESSAGE.get(value.DESCRIPTOR.name, "scalar"), value, None
    return "scalar", value, None


def _is_on_device(value: Any) -> bool:
    """Return whether value is a tensor of PyTorch or an array of JAX with one real element, perhaps on a device."""
    if not (is_tensor(value) or is_jax_array(value)):
        return False
    return math.prod(value.shape) == 1 and "complex" not in str(value.dtype)


def _advice(value: Any) -> str:
    if isinstance(value, str):
        return " Log a text as Text(...)."
    if isinstance(value, Image | Video | Histogram | Tensor | Text | Table | ConfusionMatrix | Roc):
        return ""
    return " Log an array with more than one element as Image(...), Histogram(...) or Tensor(...)."
