"""The hash table in which a scan looks up tags by their bytes. TagTable maintains it."""

from toposcope.server.reading.scan.wire import MASK_32, pointer

# Columns of the table, which uses open addressing and has one row a slot.
_NAME = 0  # Offset of the tag's bytes in names.
_NAME_LENGTH = 1
_FIELD = 2  # Kind of the field that the tag was read with.
TAG = 3  # Number of the tag; -1 if the slot is free.
STORED = 4  # What a row of the tag stores: one of STORES.
FOLLOWER = 5  # Slot of the tag that followed the last time.

STORES_SCALAR = 1
STORES_FIELD = 2  # The location of the field's content in the file.
STORES_METADATA = 3  # The location of the value's TensorBoard metadata.
STORES = {"scalar": STORES_SCALAR, "field": STORES_FIELD, "metadata": STORES_METADATA}

_FNV_OFFSET = 2166136261


class Table:
    """The tags read so far: a power of two of slots, with the columns above, and the bytes of the tags."""

    def __init__(self, slots: memoryview, names: memoryview):
        self.slots = slots
        self.names = names
        self.names_end = 0
        self.count = len(slots)


def _is_name(data: memoryview, start: int, length: int, table: Table, name: int) -> bool:
    """Return whether data[start:][:length] equals table.names[name:][:length]."""
    for k in range(length):  # noqa: SIM110 - all() of a generator does not become a C loop.
        if data[start + k] != table.names[name + k]:
            return False
    return True


def is_tag(data: memoryview, start: int, length: int, kind: int, table: Table, slot: int) -> bool:
    """Return whether a slot contains the tag data[start:][:length], read with a field of this kind."""
    return (
        table.slots[slot, TAG] >= 0
        and table.slots[slot, _FIELD] == kind
        and table.slots[slot, _NAME_LENGTH] == length
        and _is_name(data, start, length, table, table.slots[slot, _NAME])
    )


def slot_of(data: memoryview, start: int, length: int, kind: int, table: Table) -> int:
    """Return the slot of the tag data[start:][:length], read with a field of this kind, or the free slot for it."""
    hash_value = _FNV_OFFSET ^ kind  # FNV-1a.
    for k in range(length):
        hash_value = ((hash_value ^ data[start + k]) * 16777619) & MASK_32
    slot = hash_value & (table.count - 1)
    while table.slots[slot, TAG] >= 0 and not is_tag(data, start, length, kind, table, slot):
        slot = (slot + 1) & (table.count - 1)
    return slot


def find_slot(name: memoryview, length: int, kind: int, table: Table) -> int:
    """Return the slot of the tag name[:length], read with a field of this kind, or the free slot for it."""
    return slot_of(pointer(name), 0, length, kind, table)


def insert(name: memoryview, length: int, kind: int, number: int, stores: int, table: Table) -> None:
    """Insert a tag into its free slot; there must be room for it and for its name."""
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
