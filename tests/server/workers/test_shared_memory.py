"""Memory that the loading process writes and workers read."""

import gc
import os
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from toposcope.server.workers.mapped_memory import MappedMemory
from toposcope.server.workers.messages import decode, encode
from toposcope.server.workers.shared_memory import ArrayReference, BlockId, SharedMemory

INT64 = np.dtype("<i8")


class Worker:
    """A worker in the same process, and what it has received."""

    def __init__(self, memory: SharedMemory) -> None:
        self._memory = memory
        self.mapped = MappedMemory()
        self._slabs = 0

    def receive(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the array as the worker sees it."""
        reference = self._memory.reference(array)
        assert reference is not None
        for slab in self._memory.slabs[self._slabs :]:
            self.mapped.add_slab(os.dup(slab.descriptor))
            self._slabs += 1
        return self.mapped.array(ArrayReference(*reference))

    def give_back(self) -> int:
        """Return the blocks that are no longer used; return how many."""
        returned: dict[BlockId, int] = {}
        while self.mapped.returned:
            block, count = self.mapped.returned.popleft()
            returned[block] = returned.get(block, 0) + count
        self._memory.give_back(returned)
        return len(returned)


def physical_bytes(memory: SharedMemory) -> int:
    """Return how much memory the system has allocated."""
    return sum(os.fstat(slab.descriptor).st_blocks * 512 for slab in memory.slabs)


def test_worker_sees_what_is_written_later() -> None:
    """Columns are shared, not copied; a worker cannot write them."""
    memory = SharedMemory()
    step = memory.allocate(1000, INT64)
    step[:] = 0
    worker = Worker(memory)
    seen = worker.receive(step[:500])
    step[:] = np.arange(1000)

    assert seen.tolist() == list(range(500))
    assert not seen.flags.writeable


def test_other_columns_are_not_shared() -> None:
    """They are copied to the workers: a column of another array, and short ones, which are never allocated here."""
    memory = SharedMemory()
    column = memory.allocate(1000, INT64)

    assert memory.reference(np.arange(10_000)) is None
    assert memory.reference(column[::2]) is None


def test_memory_that_nobody_uses_is_returned() -> None:
    """The loading process and the workers must both have dropped it."""
    memory = SharedMemory()
    column = memory.allocate(1 << 20, INT64)
    column[:] = 1
    worker = Worker(memory)
    seen = worker.receive(column)
    assert physical_bytes(memory) >= 8 << 20

    del column
    memory.give_back({})
    assert physical_bytes(memory) >= 8 << 20
    assert int(seen.sum()) == 1 << 20

    del seen
    assert worker.give_back() == 1
    assert physical_bytes(memory) < 1 << 20


def test_message_that_was_replaced_is_freed_at_once() -> None:
    """Not when Python collects garbage: columns are large, but few objects."""
    memory = SharedMemory()
    worker = Worker(memory)
    column = memory.allocate(1000, INT64)
    worker.receive(column)
    worker.give_back()
    content = encode([column], memory.reference)  # type: ignore[list-item]
    gc.disable()
    try:
        message = decode(content, worker.mapped.array)
        assert len(message[0]) == 1000
        del message
        assert worker.give_back() == 1
    finally:
        gc.enable()


def test_memory_of_a_worker_that_died_is_returned() -> None:
    """What counted its uses ends them."""
    memory = SharedMemory()
    column = memory.allocate(1 << 20, INT64)
    column[:] = 1
    reference = memory.reference(column)
    assert reference is not None
    del column
    memory.give_back({BlockId(reference.slab, reference.offset): 1})

    assert physical_bytes(memory) < 1 << 20


def test_slab_cannot_be_truncated() -> None:
    """A mapped file that another process truncates ends a process; this one refuses."""
    memory = SharedMemory()
    memory.allocate(10_000, INT64)
    try:
        os.ftruncate(memory.slabs[0].descriptor, 0)
    except PermissionError:
        return
    raise AssertionError("the slab was truncated")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("nrdwg"), st.integers(0, 5), st.integers(300, 3000)), max_size=60))
def test_blocks_in_use_are_never_used_again(actions: list[tuple[str, int, int]]) -> None:
    """Whatever the order in which columns grow and are sent, dropped and returned, nothing in use changes."""
    memory = SharedMemory()
    worker = Worker(memory)
    ours: dict[int, npt.NDArray[Any]] = {}
    sent: list[tuple[npt.NDArray[Any], list[int]]] = []

    def column(rows: int) -> npt.NDArray[Any]:
        new = memory.allocate(rows, INT64)
        new[:] = np.arange(rows)
        return new

    for action, name, rows in actions:
        if action == "n":  # Also when it has grown: a copy takes the place of a full column.
            ours[name] = column(rows)
        elif action == "r" and name in ours:
            sent.append((worker.receive(ours[name]), list(range(len(ours[name])))))
        elif action == "d":
            ours.pop(name, None)
        elif action == "w" and sent:
            sent.pop(name % len(sent))
        elif action == "g":
            worker.give_back()
        for array, expected in sent:
            assert array[:: len(array) - 1].tolist() == [expected[0], expected[-1]]
    for array, expected in sent:
        assert array.tolist() == expected
