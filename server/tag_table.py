"""The tags of one event file, found by their bytes."""

from typing import NamedTuple

import numpy as np
from google.protobuf.message import DecodeError

from toposcope.proto import tensorboard_pb2
from toposcope.server.scan import PLUGINS, Table, find_slot

# The columns are those that scan.py lists.
_COLUMNS = 6
_TAG_COLUMN = 3
_TENSORBOARD_PLUGINS = {"scalars": "scalar", "images": "image", "histograms": "histogram", "": "tensor"}


class Tag(NamedTuple):
    """A tag of one event file and the plugin it belongs to."""

    plugin: str
    name: str


class TagTable:
    """Gives each tag its number; `table` is what a scan looks tags up in."""

    def __init__(self) -> None:
        self.tags: list[Tag] = []
        self._numbers: dict[Tag, int] = {}
        self._entries = 0
        self._names = bytearray(1024)
        self._names_end = 0
        self._slots = _free_slots(64)
        self.table = self._make_table()

    def enter(self, name: bytes, code: int, metadata: bytes) -> None:
        """Enter a tag.

        Args:
            name: the tag as it stands in the file.
            code: what the field that brought it holds, an index into PLUGINS.
            metadata: TensorBoard's SummaryMetadata, empty when there is none.
        """
        plugin = PLUGINS[code]
        if plugin == "metadata" or (plugin == "tensor" and metadata):
            plugin = _tensorboard_plugin(metadata)
        tag = Tag(plugin, name.decode("utf-8", "replace"))
        number = self._numbers.setdefault(tag, len(self.tags))
        if number == len(self.tags):
            self.tags.append(tag)
        if 2 * (self._entries + 1) > len(self._slots):
            self._grow()
        self._insert(name, code, number, plugin == "scalar")

    def _insert(self, name: bytes, code: int, number: int, is_scalar: bool) -> None:
        slot = find_slot(memoryview(name or b"\0"), 0, len(name), code, self.table)
        start, self._names_end = self._names_end, self._names_end + len(name)
        if self._names_end > len(self._names):  # A new array: the table still looks at the old one.
            self._names = bytearray(self._names) + bytearray(self._names_end)
            self.table = self._make_table()
        self._names[start : self._names_end] = name
        self._slots[slot] = start, len(name), code, number, is_scalar, slot
        self._entries += 1

    def _grow(self) -> None:
        """Double the number of slots."""
        old, names = self._slots, bytes(self._names)
        self._slots = _free_slots(2 * len(old))
        self._entries = self._names_end = 0
        self.table = self._make_table()
        for start, length, code, number, is_scalar, _ in old[old[:, _TAG_COLUMN] >= 0].tolist():
            self._insert(names[start : start + length], code, number, is_scalar)

    def _make_table(self) -> Table:
        return Table(memoryview(self._slots.data), memoryview(self._names))


def _free_slots(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    slots = np.zeros((count, _COLUMNS), np.int64)
    slots[:, _TAG_COLUMN] = -1
    return slots


def _tensorboard_plugin(metadata: bytes) -> str:
    """Return the plugin that a value's metadata names, in our words where we have one; "tensor" for none."""
    try:
        name = tensorboard_pb2.SummaryMetadata.FromString(metadata).plugin_data.plugin_name
    except (DecodeError, UnicodeDecodeError):
        name = ""
    return _TENSORBOARD_PLUGINS.get(name, name)
