"""The tags of one event file."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from google.protobuf.message import DecodeError

from toposcope.proto import tensorboard_pb2
from toposcope.server.reading.scan import KINDS, STORES, Table, find_slot, insert

# The columns are listed in scan/tags.py.
_COLUMNS = 6
_TAG = 3
_FEWEST_SLOTS = 64
_TENSORBOARD_PLUGINS = {"scalars": "scalar", "images": "image", "histograms": "histogram", "": "tensor"}
# A TensorBoard plugin with one of these names would not have the content that we expect.
_OWN_PLUGINS = {
    "scalar",
    "image",
    "histogram",
    "graph",
    "lineage",
    "dataset_graph",
    "landscape",
    "console",
    "environment",
    "code",
    "alert",
}


class Tag(NamedTuple):
    """A tag and the plugin that it belongs to."""

    plugin: str
    name: str


_APART = ("console", "environment", "code")
_MACHINE = "machine/"


def is_of_training(tag: Tag) -> bool:
    """Return whether the training records a tag; others are recorded while it does not advance.

    Those are what the process prints, its environment and its code, and the metrics of the machine.
    """
    return tag.plugin not in _APART and not tag.name.startswith(_MACHINE)


class Entry(NamedTuple):
    """A tag that was read with one kind of field; its number is its index in the table."""

    tag: Tag
    name: bytes
    """The bytes of the tag in the file."""
    kind: int
    """Content of the field: an index into KINDS."""

    @property
    def stores(self) -> int:
        """What its rows store, one of STORES."""
        if self.tag.plugin == "scalar":
            return STORES["scalar"]
        is_metadata = self.tag.plugin == "hparams" or KINDS[self.kind] == "metadata"
        return STORES["metadata" if is_metadata else "field"]


class TagTable:
    """Assigns numbers to tags; a scan looks them up in `table`.

    The table is built when it is first needed: most files that the index contains never grow.
    """

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries = list(entries)
        self._table: Table | None = None
        self._slots = np.empty((0, _COLUMNS), np.int64)
        self._names = bytearray()

    @property
    def table(self) -> Table:
        """The tags in the form that a scan takes; another object after it has grown."""
        return self._table or self._build()

    def copy(self) -> "TagTable":
        """Return a table of the same tags that grows independently."""
        other = TagTable(self.entries)
        other._slots, other._names = self._slots.copy(), bytearray(self._names)
        if self._table is not None:
            other._table = Table(other._slots.data, memoryview(other._names))
            other._table.names_end = self._table.names_end
        return other

    def find(self, name: bytes, kind: int) -> int | None:
        """Return the number of a tag, or None if it is not in the table."""
        slot = find_slot(memoryview(name or b"\0"), len(name), kind, self.table)
        number = int(self._slots[slot, _TAG])
        return number if number >= 0 else None

    def add(self, entry: Entry) -> int:
        """Add a tag that the table lacks; return its number."""
        table, number = self.table, len(self.entries)
        self.entries.append(entry)
        if 2 * number < len(self._slots) and table.names_end + len(entry.name) <= len(self._names):
            self._insert(table, number)
        else:
            self._build()
        return number

    def _build(self) -> Table:
        """Build the table again, with room for twice as many tags."""
        self._slots = np.zeros((max(_FEWEST_SLOTS, 1 << (4 * len(self.entries)).bit_length()), _COLUMNS), np.int64)
        self._slots[:, _TAG] = -1
        self._names = bytearray(1024 + 4 * sum(len(entry.name) for entry in self.entries))
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
        name: the bytes of the tag in the file.
        kind: content of the field that it was read with, an index into KINDS.
        metadata: TensorBoard's SummaryMetadata, empty if there is none.
    """
    text = name.decode("utf-8", "replace")
    plugin = KINDS[kind]
    if plugin in ("train", "evaluation", "custom"):
        return Entry(Tag("lineage", plugin), name, kind)
    if plugin == "tensor" and metadata:
        plugin = _tensorboard_plugin(metadata)
    elif plugin == "metadata":
        name_in_metadata = _tensorboard_plugin(metadata)
        # These plugins have no points without a value.
        plugin = plugin if name_in_metadata in {*_OWN_PLUGINS, "tensor", "text"} else name_in_metadata
    return Entry(Tag(plugin, text), name, kind)


def _tensorboard_plugin(metadata: bytes) -> str:
    """Return our name of the plugin in a value's metadata, else TensorBoard's; "tensor" if no plugin is named."""
    try:
        name = tensorboard_pb2.SummaryMetadata.FromString(metadata).plugin_data.plugin_name
    except (DecodeError, UnicodeDecodeError):
        name = ""
    if isinstance(name, bytes):  # protobuf's Python implementation returns text that is not UTF-8 as bytes.
        name = name.decode("utf-8", "replace")
    return "tensor" if name in _OWN_PLUGINS else _TENSORBOARD_PLUGINS.get(name, name)
