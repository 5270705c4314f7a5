"""Reuse of memory for snapshots."""

import gc
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from toposcope.recorder.values.arrays import memory
from toposcope.recorder.values.arrays.memory import MemoryPool

LARGE = 300_000


@pytest.mark.parametrize("size", [0, 1, LARGE])
@pytest.mark.parametrize("dtype", ["?", "u1", "f4", "c16"])
def test_copies_are_equal_and_contiguous(size: int, dtype: str) -> None:
    """Also for large arrays, and for arrays that are not contiguous."""
    for original in (np.arange(size).astype(dtype), np.arange(2 * size).astype(dtype).reshape(2, size).T):
        copy = MemoryPool().copy_of(original)

        assert copy.flags.c_contiguous
        assert copy.flags.writeable
        assert not np.shares_memory(copy, original)
        np.testing.assert_array_equal(copy, original)


def test_block_is_reused_after_its_array_is_deleted() -> None:
    """The next array of a similar size uses the same memory."""
    pool = MemoryPool()
    first = pool.copy_of(np.zeros(LARGE))
    address = first.ctypes.data
    del first

    assert pool.copy_of(np.ones(LARGE - 10)).ctypes.data == address


def test_block_is_not_reused_while_a_view_exists() -> None:
    """Any type of view of the copy keeps its bytes unchanged."""
    pool = MemoryPool()
    copy = pool.copy_of(np.zeros(LARGE))
    view = copy.reshape(-1).view(np.uint8).data[8:16]
    del copy
    gc.collect()

    copies = [pool.copy_of(np.ones(LARGE)) for _ in range(3)]

    assert bytes(view) == bytes(8)
    assert len({other.ctypes.data for other in copies}) == 3


def test_free_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of sizes that are no longer used are released."""
    monkeypatch.setattr(memory, "_MAX_FREE_BYTES", 10 << 20)
    pool = MemoryPool()
    for number in range(1, 40):
        pool.copy_of(np.zeros(number * LARGE, np.uint8))

    assert pool._free_bytes <= 12 << 20
    assert pool._free_bytes == sum(size * len(blocks) for size, blocks in pool._free.items())


def test_block_larger_than_the_limit_is_released(monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory of a single huge value is not kept until the end of the training."""
    monkeypatch.setattr(memory, "_MAX_FREE_BYTES", 1 << 20)
    pool = MemoryPool()
    pool.copy_of(np.zeros(LARGE))

    assert (pool._free, pool._free_bytes) == ({}, 0)


def test_child_does_not_wait_for_the_lock_of_the_parent() -> None:
    """A process that is forked while another thread holds the lock can use the pool."""
    script = """
        import os, signal, threading
        import numpy as np
        from toposcope.recorder.values.arrays.memory import MemoryPool

        pool = MemoryPool()
        locked, forked = threading.Event(), threading.Event()

        def hold():
            with pool._lock:
                locked.set()
                forked.wait()

        threading.Thread(target=hold).start()
        locked.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            print(pool.copy_of(np.ones(300_000)).sum(), flush=True)
            os._exit(0)
        forked.set()
        print(os.waitpid(child, 0)[1])
    """
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script)]

    assert subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split() == ["300000.0", "0"]
