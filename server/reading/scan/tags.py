"""The table in which a scan looks tags up by their bytes; TagTable keeps it."""

from toposcope.server.reading.scan.wire import ONES_32, pointer

# Columns of the table, an open-addressing hash table with one row a slot.
_NAME = 0  # Where the tag's bytes begin in names.
_NAME_LENGTH = 1
_FIELD = 2  # The kind of the field that brought the tag.
TAG = 3  # Number of the tag; -1: the slot is free.
STORED = 4  # What a row of the tag stores, one of the three below.
FOLLOWER = 5  # Slot of the tag that came next the last time.

STORES_SCALAR = 1
STORES_FIELD = 2  # Where the field's content stands in the file.
STORES_METADATA = 3  # Where TensorBoard's metadata of the value stand.
STORES = {"scalar": STORES_SCALAR, "field": STORES_FIELD, "metadata": STORES_METADATA}

_FNV_OFFSET = 2166136261


class Table:
    """The tags known so far: rows of the columns above, a power of two of them, and the bytes of their names."""

    def __init__(self, slots: memoryview, names: memoryview):
        self.slots = slots
        self.names = names
        self.names_end = 0
        self.count = len(slots)


def _is_name(data: memoryview, start: int, length: int, table: Table, name: int) -> bool:
    """Say whether data[start:][:length] equals the names of the table from a place on."""
    for k in range(length):  # noqa: SIM110 - all() of a generator is no loop in C.
        if data[start + k] != table.names[name + k]:
            return False
    return True


def is_tag(data: memoryview, start: int, length: int, kind: int, table: Table, slot: int) -> bool:
    """Say whether a slot holds the tag data[start:][:length] that came in a field of this kind."""
    return (
        table.slots[slot, TAG] >= 0
        and table.slots[slot, _FIELD] == kind
        and table.slots[slot, _NAME_LENGTH] == length
        and _is_name(data, start, length, table, table.slots[slot, _NAME])
    )


def slot_of(data: memoryview, start: int, length: int, kind: int, table: Table) -> int:
    """Return the slot of the tag data[start:][:length] that came in a field of this kind, or the free slot for it."""
    hashed = _FNV_OFFSET ^ kind  # FNV-1a.
    for k in range(length):
        hashed = ((hashed ^ data[start + k]) * 16777619) & ONES_32
    slot = hashed & (table.count - 1)
    while table.slots[slot, TAG] >= 0 and not is_tag(data, start, length, kind, table, slot):
        slot = (slot + 1) & (table.count - 1)
    return slot


def find_slot(name: memoryview, length: int, kind: int, table: Table) -> int:
    """Return the slot of the tag name[:length] that came in a field of this kind, or the free slot for it."""
    return slot_of(pointer(name), 0, length, kind, table)


def insert(name: memoryview, length: int, kind: int, number: int, stores: int, table: Table) -> None:
    """Put a tag into its free slot; there must be room for it and for its name."""
    slot = find_slot(name, length, kind, table)
    for k in range(length):
        table.names[table.names_end + k] = name[k]
    table.slots[slot, _NAME] = table.names_end
    table.slots[slot, _NAME_LENGTH] = length
    table.slots[slot, _FIELD] = kind
    table.slots[slot, TAG] = number
    table.slots[slot, STORED] = stores
    table.slots[slot, FOLLOWER] = slot
    table.names_end += length
