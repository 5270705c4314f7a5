"""Reusable memory for snapshots: allocating new pages costs several times as much as the copy into them."""

import ctypes
import threading
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.ends.fork import make_inert_in_children

# Smaller arrays are allocated on the heap, whose pages are mapped already.
_LARGE_BYTES = 256 << 10
# Block sizes are multiples of this, so that arrays of similar size can use the same blocks.
_BLOCK_UNIT_BYTES = 256 << 10
_MAX_FREE_BYTES = 64 << 20


class MemoryPool:
    """A pool of free blocks. A block is returned to it when the last array that uses its memory is deleted."""

    def __init__(self) -> None:
        self.become_inert()
        make_inert_in_children(self, is_lock=True)

    def become_inert(self) -> None:
        """Empty the pool and replace the lock; after a fork, another thread of the parent may have held it."""
        # Reentrant: the garbage collector may return a block while another one is being taken.
        self._lock = threading.RLock()
        self._free: dict[int, list[bytearray]] = {}
        self._free_bytes = 0

    def copy_of(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a copy of array in C order."""
        if array.nbytes < _LARGE_BYTES or array.dtype.isbuiltin != 1 or array.dtype.hasobject:
            return np.array(array, order="C")
        block = self._take(-(-array.nbytes // _BLOCK_UNIT_BYTES) * _BLOCK_UNIT_BYTES)
        # Every view of the copy references this object, whereas a finalizer of the array would ignore its views.
        owner = (ctypes.c_char * len(block)).from_buffer(block)
        weakref.finalize(owner, self._put_back, block).atexit = False
        copy: npt.NDArray[Any] = np.frombuffer(memoryview(owner), array.dtype, array.size).reshape(array.shape)
        np.copyto(copy, array)
        return copy

    def _take(self, size: int) -> bytearray:
        with self._lock:
            blocks = self._free.get(size)
            if not blocks:
                return bytearray(size)
            self._free_bytes -= size
            return blocks.pop()

    def _put_back(self, block: bytearray) -> None:
        if len(block) > _MAX_FREE_BYTES:
            return
        with self._lock:
            if self._free_bytes + len(block) > _MAX_FREE_BYTES:
                # Otherwise blocks of sizes that are no longer used would stay forever.
                self._free, self._free_bytes = {}, 0
            self._free.setdefault(len(block), []).append(block)
            self._free_bytes += len(block)
