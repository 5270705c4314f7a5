"""A sequence of event files that are filled one after the other, none beyond its largest size."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from toposcope.proto.framing import FOOTER_BYTES, HEADER_BYTES, Buffer, read_header
from toposcope.recorder import log
from toposcope.recorder.writing.event_encoder import Record
from toposcope.recorder.writing.event_file import EventFile

# So much is handed to the system at once: gathering more would not make it faster.
_GATHERED_BYTES = 8 << 20


class _Block(NamedTuple):
    """Records that stand in one file."""

    buffers: list[Buffer]
    size: int
    records: int


class RotatingFile:
    """Records on their way into event files, and the file that is being written.

    What a write could not place stays owed and is written first by the next one: each file is at all times a prefix of
    what was meant for it. One thread uses it at a time.
    """

    def __init__(
        self, create: Callable[[int], EventFile], head: Callable[[int], bytes], max_file_size: int | None = None
    ) -> None:
        """Write into the files *create(n)*, n from 0, each of which begins with the record *head(n)*.

        No file grows beyond *max_file_size* bytes, unless by a single record that is larger.
        """
        self._create = create
        self._head = head
        self._limit = max_file_size
        self._file: EventFile | None = None
        self._rotation = 0
        self._owed: deque[_Block] = deque()
        # What is being written, whole, and what of it is not in the file.
        self._writing: list[_Block] = []
        self._chunk: deque[Buffer] = deque()
        self._room = 0.0
        self._is_fresh = True
        self.path = ""
        """Path of the file, the last one when it is closed; "" before the first."""

    @property
    def owes(self) -> bool:
        """True while appended records are not in a file."""
        return bool(self._chunk or self._owed)

    @property
    def owed_records(self) -> int:
        """How many records are not in a file, or not whole."""
        left = sum(map(len, self._chunk))
        records = sum(block.records for block in self._owed)
        for block in reversed(self._writing):
            records += _records_after(block, block.size - left)
            left = max(0, left - block.size)
        return records

    def append(self, records: Sequence[Record]) -> None:
        """Owe records to the disk."""
        if self._limit is not None:
            self._owed += [_block([record]) for record in records]
        elif records:
            self._owed.append(_block(records))

    def begin(self) -> None:
        """Create the next file, which begins with its head; OSError when it cannot be created: nothing has changed."""
        file = self._create(self._rotation)
        previous, self._file, self.path = self._file, file, file.path
        head = self._head(self._rotation)
        self._rotation += 1
        self._start([_Block([head], len(head), 0)] if head else [])
        self._room = float("inf") if self._limit is None else self._limit - len(head)
        self._is_fresh = True
        if previous is not None:
            previous.close()

    def write_some(self) -> None:
        """Write what is owed, or a part of it; OSError when nothing of it can be written now."""
        if self._file is not None and self._file.is_deleted():
            self._leave_deleted(self._file)
        if not self._chunk:
            if self._file is None or not self._fits(self._owed[0]):
                self.begin()
            self._gather()
        assert self._file is not None
        self._drop(self._file.write(self._chunk))

    def close(self) -> None:
        """Bring the file to the disk and close it; OSError when that fails, the file is closed nevertheless."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def abandon(self) -> None:
        """Close the file as it is and forget what is owed."""
        file, self._file = self._file, None
        self._start([])
        self._owed.clear()
        if file is not None:
            file.abandon()

    def _leave_deleted(self, file: EventFile) -> None:
        """Have the next file begin, with all of what was being written."""
        log.complain("%s: was deleted while it was written. What is recorded from now on is in a new file.", self.path)
        self._owed.extendleft(block for block in reversed(self._writing) if block.records)
        self._start([])
        self._file = None
        file.abandon()

    def _start(self, blocks: list[_Block]) -> None:
        """Make blocks what is being written."""
        self._writing = blocks
        self._chunk = deque(buffer for block in blocks for buffer in block.buffers)

    def _fits(self, block: _Block) -> bool:
        # A record larger than the limit has a file of its own.
        return self._is_fresh or block.size <= self._room

    def _gather(self) -> None:
        """Have blocks that belong into this file written next, at least one."""
        blocks, gathered = list(self._writing), 0
        while self._owed and gathered < _GATHERED_BYTES and self._fits(self._owed[0]):
            blocks.append(self._owed.popleft())
            self._room -= blocks[-1].size
            self._is_fresh = False
            gathered += blocks[-1].size
        self._start(blocks)

    def _drop(self, written: int) -> None:
        """Take what is written out of the chunk."""
        while self._chunk and written >= len(self._chunk[0]):
            written -= len(self._chunk.popleft())
        if self._chunk:
            self._chunk[0] = memoryview(self._chunk[0])[written:]
        else:
            self._writing = []


def _block(records: Sequence[Record]) -> _Block:
    """Return records as one block."""
    buffers: list[Buffer] = []
    for record in records:
        buffers += [record] if isinstance(record, bytes) else record
    return _Block(buffers, sum(map(len, buffers)), len(records))


def _records_after(block: _Block, written: int) -> int:
    """Return how many records of block do not end within its first bytes, written of them."""
    if not 0 < written < block.size or not block.records:
        return block.records if written <= 0 else 0
    content, at, records = b"".join(block.buffers), 0, 0
    while at < len(content):
        at += HEADER_BYTES + read_header(content[at : at + HEADER_BYTES]).length + FOOTER_BYTES
        records += at > written
    return records
