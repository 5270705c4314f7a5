"""The memory of the loading process as a worker sees it: mapped for reading."""

import mmap
import os
import weakref
from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.server.workers.shared_memory import ArrayReference, BlockId


class _Mapped:
    """The owner of the arrays in a block: it is collected when the worker has none of them left."""

    __slots__ = ("__weakref__", "_address", "_id", "_memory", "_size", "uses")

    def __init__(self, memory: "MappedMemory", block: BlockId, address: int, size: int) -> None:
        self._memory = memory
        self._id = block
        self._address = address
        self._size = size
        self.uses = 0
        """How many references to the block were received."""

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {"shape": (self._size,), "typestr": "|u1", "data": (self._address, True), "version": 3}

    def __del__(self) -> None:
        self._memory.returned.append((self._id, self.uses))


class MappedMemory:
    """Makes arrays of references. Used by one thread; the arrays may be used by any."""

    def __init__(self) -> None:
        self.returned: deque[tuple[BlockId, int]] = deque()
        """Blocks in which no array is left, with the number of references that were received."""
        self._slabs: list[tuple[mmap.mmap, int]] = []
        self._blocks: weakref.WeakValueDictionary[BlockId, _Mapped] = weakref.WeakValueDictionary()

    def add_slab(self, descriptor: int) -> None:
        """Map the next slab, and close its descriptor."""
        size = os.fstat(descriptor).st_size
        memory = mmap.mmap(descriptor, size, prot=mmap.PROT_READ)
        os.close(descriptor)
        self._slabs.append((memory, np.frombuffer(memory, np.uint8).__array_interface__["data"][0]))

    def array(self, reference: ArrayReference) -> npt.NDArray[Any]:
        """Return the array, which cannot be written."""
        block = BlockId(reference.slab, reference.offset)
        mapped = self._blocks.get(block)
        if mapped is None:
            mapped = _Mapped(self, block, self._slabs[block.slab][1] + block.offset, reference.size)
            self._blocks[block] = mapped
        mapped.uses += 1
        dtype = np.dtype(reference.dtype)
        end = reference.start + reference.rows * dtype.itemsize
        return np.asarray(mapped)[reference.start : end].view(dtype)
