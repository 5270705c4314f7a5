"""Memory for snapshots, used again and again: fresh memory costs several times what the copy into it does."""

import ctypes
import threading
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.fork import make_inert_in_children

# Smaller arrays come from the heap, which is warm anyway.
_LARGE_BYTES = 256 << 10
# Blocks are whole pieces of this size, so that arrays of nearly equal size share them.
_PIECE_BYTES = 256 << 10
_MAX_FREE_BYTES = 64 << 20


class Memory:
    """Blocks that are free. A block comes back when the last array that shares its memory is gone."""

    def __init__(self) -> None:
        self.become_inert()
        make_inert_in_children(self, is_lock=True)

    def become_inert(self) -> None:
        """Have nothing that is free; after a fork, when another thread of the parent may hold the lock."""
        # Reentrant: a block may come back, by the garbage collector, while another one is taken.
        self._lock = threading.RLock()
        self._free: dict[int, list[bytearray]] = {}
        self._free_bytes = 0

    def copy_of(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a copy of array in C order."""
        if array.nbytes < _LARGE_BYTES or array.dtype.isbuiltin != 1 or array.dtype.hasobject:
            return np.array(array, order="C")
        block = self._take(-(-array.nbytes // _PIECE_BYTES) * _PIECE_BYTES)
        # Every view of the copy keeps this object alive; an array's own end would not tell of its views.
        lease = (ctypes.c_char * len(block)).from_buffer(block)
        weakref.finalize(lease, self._give, block).atexit = False
        copy: npt.NDArray[Any] = np.frombuffer(memoryview(lease), array.dtype, array.size).reshape(array.shape)
        np.copyto(copy, array)
        return copy

    def _take(self, size: int) -> bytearray:
        with self._lock:
            blocks = self._free.get(size)
            if not blocks:
                return bytearray(size)
            self._free_bytes -= size
            return blocks.pop()

    def _give(self, block: bytearray) -> None:
        if len(block) > _MAX_FREE_BYTES:
            return
        with self._lock:
            if self._free_bytes + len(block) > _MAX_FREE_BYTES:
                # Blocks of sizes that nobody asks for any more would stay for ever.
                self._free, self._free_bytes = {}, 0
            self._free.setdefault(len(block), []).append(block)
            self._free_bytes += len(block)
