"""The tags of one event file, found by their bytes."""

from typing import NamedTuple

import numpy as np
from google.protobuf.message import DecodeError

from toposcope.proto import tensorboard_pb2
from toposcope.server.scan import KINDS, STORES, Table, find_slot

# The columns are those that scan.py lists.
_COLUMNS = 6
_TAG_COLUMN = 3
_TENSORBOARD_PLUGINS = {"scalars": "scalar", "images": "image", "histograms": "histogram", "": "tensor"}
# A plugin of TensorBoard's by one of these names would not be what we mean by it.
_OWN_PLUGINS = {"scalar", "image", "histogram", "graph", "lineage", "dataset_graph", "landscape"}


class Tag(NamedTuple):
    """A tag of one event file and the plugin it belongs to."""

    plugin: str
    name: str


class Entry(NamedTuple):
    """A tag as one kind of field brought it; its number is its place in the table."""

    tag: Tag
    name: bytes
    """The tag as it stands in the file."""
    kind: int
    """What the field holds: index into KINDS."""

    @property
    def stores(self) -> int:
        """What a row of it stores, one of STORES."""
        if self.tag.plugin == "scalar":
            return STORES["scalar"]
        is_metadata = self.tag.plugin == "hparams" or KINDS[self.kind] == "metadata"
        return STORES["metadata" if is_metadata else "field"]


class TagTable:
    """Gives each tag its number; `table` is what a scan looks tags up in."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._names = bytearray(1024)
        self._names_end = 0
        self._slots = _free_slots(64)
        self.table = self._make_table()

    def copy(self) -> "TagTable":
        """Return a table of the same tags that grows on its own."""
        other = TagTable()
        other.entries = list(self.entries)
        other._names, other._names_end = bytearray(self._names), self._names_end
        other._slots = self._slots.copy()
        other.table = other._make_table()
        return other

    def find(self, name: bytes, kind: int) -> int | None:
        """Return the number of a tag, or None when it was not entered."""
        number = int(self._slots[find_slot(memoryview(name or b"\0"), len(name), kind, self.table), _TAG_COLUMN])
        return number if number >= 0 else None

    def enter(self, entry: Entry) -> int:
        """Enter a tag that the table lacks; return its number."""
        if 2 * (len(self.entries) + 1) > len(self._slots):
            self._grow()
        self.entries.append(entry)
        self._insert(len(self.entries) - 1)
        return len(self.entries) - 1

    def _insert(self, number: int) -> None:
        entry = self.entries[number]
        name, length = entry.name, len(entry.name)
        slot = find_slot(memoryview(name or b"\0"), length, entry.kind, self.table)
        start, self._names_end = self._names_end, self._names_end + length
        if self._names_end > len(self._names):  # A new array: the table still looks at the old one.
            self._names = bytearray(self._names) + bytearray(self._names_end)
            self.table = self._make_table()
        self._names[start : self._names_end] = name
        self._slots[slot] = start, length, entry.kind, number, entry.stores, slot

    def _grow(self) -> None:
        """Double the number of slots."""
        self._slots = _free_slots(2 * len(self._slots))
        self._names_end = 0
        self.table = self._make_table()
        for number in range(len(self.entries)):
            self._insert(number)

    def _make_table(self) -> Table:
        return Table(memoryview(self._slots.data), memoryview(self._names))


def make_entry(name: bytes, kind: int, metadata: bytes) -> Entry:
    """Return the entry of a tag.

    Args:
        name: the tag as it stands in the file.
        kind: what the field that brought it holds, an index into KINDS.
        metadata: TensorBoard's SummaryMetadata, empty when there is none.
    """
    text = name.decode("utf-8", "replace")
    plugin = KINDS[kind]
    if plugin in ("train", "evaluation", "custom"):
        return Entry(Tag("lineage", plugin), name, kind)
    if plugin == "tensor" and metadata:
        plugin = _tensorboard_plugin(metadata)
    elif plugin == "metadata":
        named = _tensorboard_plugin(metadata)
        plugin = plugin if named in {*_OWN_PLUGINS, "tensor", "text"} else named  # No value, no point of theirs.
    return Entry(Tag(plugin, text), name, kind)


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
    return "tensor" if name in _OWN_PLUGINS else _TENSORBOARD_PLUGINS.get(name, name)
