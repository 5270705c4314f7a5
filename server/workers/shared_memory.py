"""Columns in memory that the loading process writes and its workers read.

The memory consists of slabs: files without a name (`memfd_create`), which nobody can open by a path and which are
sealed against shrinking. Reading a mapped file that was truncated ends a process (SIGBUS); these stay whole.

A slab is divided into blocks, one for each column. A block is used again when neither the loading process
nor a worker has an array in it. The physical memory of a free block is returned to the system at once.
"""

import fcntl
import mmap
import os
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.reading.series.columns import Column

SLAB_BYTES = 1 << 30
"""Address space; memory is used as far as it is written."""


class BlockId(NamedTuple):
    """Where a block is."""

    slab: int
    offset: int


class ArrayReference(NamedTuple):
    """An array in shared memory."""

    slab: int
    offset: int
    size: int
    """The size of the block that contains it, in bytes."""
    start: int
    """Where in the block it begins."""
    rows: int
    dtype: str


class _Slab:
    def __init__(self, size: int) -> None:
        self.descriptor = os.memfd_create("toposcope", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.descriptor, size)
        self.memory = mmap.mmap(self.descriptor, size)
        self.address: int = np.frombuffer(self.memory, np.uint8).__array_interface__["data"][0]
        self.used = 0
        # Not F_SEAL_FUTURE_WRITE, with which memory cannot be returned to the system.
        fcntl.fcntl(self.descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)


class _Block:
    """The owner of the arrays in a block: it is collected when the loading process has none of them left."""

    __slots__ = ("_memory", "address", "id", "size")

    def __init__(self, memory: "SharedMemory", block: BlockId, address: int, size: int) -> None:
        self._memory = memory
        self.id = block
        self.address = address
        self.size = size

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {"shape": (self.size,), "typestr": "|u1", "data": (self.address, False), "version": 3}

    def __del__(self) -> None:
        self._memory.dropped.append((self.id, self.size))


class SharedMemory:
    """Allocates columns and keeps account of who uses them. Thread-safe."""

    def __init__(self) -> None:
        self.slabs: list[_Slab] = []
        """They stay for as long as the process lives; only their memory is returned."""
        self.dropped: deque[tuple[BlockId, int]] = deque()
        """Blocks in which the loading process has no array any more; any thread appends to it."""
        self._lock = threading.Lock()
        self._free: defaultdict[int, list[BlockId]] = defaultdict(list)
        """The free blocks, by size."""
        self._used: Counter[BlockId] = Counter()
        """How many references to a block the workers have received and not returned."""
        self._ownerless: dict[BlockId, int] = {}
        """Blocks that only workers use, with their sizes."""

    def allocate(self, rows: int, dtype: np.dtype[Any]) -> Column:
        """Return an uninitialised column."""
        size = _rounded(rows * dtype.itemsize)
        with self._lock:
            self._collect()
            block = self._free[size].pop() if self._free[size] else self._carve(size)
            address = self.slabs[block.slab].address + block.offset
        return np.asarray(_Block(self, block, address, size))[: rows * dtype.itemsize].view(dtype)

    def _carve(self, size: int) -> BlockId:
        slab = self.slabs[-1] if self.slabs else None
        if slab is None or slab.used + size > len(slab.memory):
            slab = _Slab(max(size, SLAB_BYTES))
            self.slabs.append(slab)
        block = BlockId(len(self.slabs) - 1, slab.used)
        slab.used += size
        return block

    def _collect(self) -> None:
        """Free the blocks that were dropped and that no worker uses."""
        while self.dropped:
            block, size = self.dropped.popleft()
            if self._used[block]:
                self._ownerless[block] = size
            else:
                self._release(block, size)

    def _release(self, block: BlockId, size: int) -> None:
        """Make a block available, and return its pages to the system."""
        with suppress(OSError):
            self.slabs[block.slab].memory.madvise(mmap.MADV_REMOVE, block.offset, size)
        self._used.pop(block, None)
        self._free[size].append(block)

    def reference(self, array: npt.NDArray[Any]) -> ArrayReference | None:
        """Return where an array is, counting one use by a worker; None if it is not in shared memory."""
        owner: object = array.base
        while isinstance(owner, np.ndarray):
            owner = owner.base
        if not isinstance(owner, _Block) or array.ndim != 1 or not array.flags.c_contiguous:
            return None
        start = array.__array_interface__["data"][0] - owner.address
        with self._lock:
            self._used[owner.id] += 1
        return ArrayReference(*owner.id, owner.size, start, len(array), array.dtype.str)

    def give_back(self, uses: Mapping[BlockId, int] | Iterable[tuple[BlockId, int]]) -> None:
        """End so many uses of blocks by a worker."""
        with self._lock:
            for block, count in uses.items() if isinstance(uses, Mapping) else uses:
                self._used[block] -= count
                if not self._used[block] and block in self._ownerless:
                    self._release(block, self._ownerless.pop(block))
            self._collect()


def _rounded(size: int) -> int:
    """Return the next size of which there are blocks: whole pages, at most eight sizes from a power of two to the next.

    A column that grows leaves blocks of many sizes behind. Only whole pages can be returned to the system.
    """
    step = max(1 << max(size.bit_length() - 4, 0), mmap.PAGESIZE)
    return -(-size // step) * step
