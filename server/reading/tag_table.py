"""The tags of one event file, found by their bytes."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from google.protobuf.message import DecodeError

from toposcope.proto import tensorboard_pb2
from toposcope.server.reading.scan import KINDS, STORES, Table, find_slot, insert

# The columns are those that scan/tags.py lists.
_COLUMNS = 6
_TAG = 3
_FEWEST_SLOTS = 64
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
    """Gives each tag its number; `table` is what a scan looks tags up in.

    The table is laid out when it is first needed: most files that the index knows never grow.
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries = list(entries)
        self._table: Table | None = None
        self._slots = np.empty((0, _COLUMNS), np.int64)
        self._names = bytearray()

    @property
    def table(self) -> Table:
        """The tags as a scan takes them; another object once it has grown."""
        return self._table or self._lay_out()

    def copy(self) -> "TagTable":
        """Return a table of the same tags that grows on its own."""
        other = TagTable(self.entries)
        other._slots, other._names = self._slots.copy(), bytearray(self._names)
        if self._table is not None:
            other._table = Table(other._slots.data, memoryview(other._names))
            other._table.names_end = self._table.names_end
        return other

    def find(self, name: bytes, kind: int) -> int | None:
        """Return the number of a tag, or None when it was not entered."""
        slot = find_slot(memoryview(name or b"\0"), len(name), kind, self.table)
        number = int(self._slots[slot, _TAG])
        return number if number >= 0 else None

    def enter(self, entry: Entry) -> int:
        """Enter a tag that the table lacks; return its number."""
        table, number = self.table, len(self.entries)
        self.entries.append(entry)
        if 2 * number < len(self._slots) and table.names_end + len(entry.name) <= len(self._names):
            self._insert(table, number)
        else:
            self._lay_out()
        return number

    def _lay_out(self) -> Table:
        """Lay the table out anew, with room for as many tags again."""
        self._slots = np.zeros((max(_FEWEST_SLOTS, 1 << (4 * len(self.entries)).bit_length()), _COLUMNS), np.int64)
        self._slots[:, _TAG] = -1
        self._names = bytearray(1024 + 2 * sum(len(entry.name) for entry in self.entries))
        self._table = Table(self._slots.data, memoryview(self._names))
        for number in range(len(self.entries)):
            self._insert(self._table, number)
        return self._table

    def _insert(self, table: Table, number: int) -> None:
        entry = self.entries[number]
        insert(memoryview(entry.name or b"\0"), len(entry.name), entry.kind, number, entry.stores, table)


@lru_cache(65536)  # The files of a logdir have the same tags.
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


def _tensorboard_plugin(metadata: bytes) -> str:
    """Return the plugin that a value's metadata names, in our words where we have one; "tensor" for none."""
    try:
        name = tensorboard_pb2.SummaryMetadata.FromString(metadata).plugin_data.plugin_name
    except (DecodeError, UnicodeDecodeError):
        name = ""
    if isinstance(name, bytes):  # What protobuf makes of text that is no UTF-8.
        name = name.decode("utf-8", "replace")
    return "tensor" if name in _OWN_PLUGINS else _TENSORBOARD_PLUGINS.get(name, name)
