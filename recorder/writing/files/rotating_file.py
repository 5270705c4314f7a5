"""A sequence of event files, each filled up to its maximum size before the next one is opened."""

import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

from toposcope.proto.framing import FOOTER_BYTES, HEADER_BYTES, Buffer, read_header
from toposcope.recorder import log
from toposcope.recorder.writing.encoding.event_encoder import Record
from toposcope.recorder.writing.files.event_file import EventFile

# Passed to the system in one write; gathering more does not make it faster.
_GATHERED_BYTES = 8 << 20
_DELETION_SECONDS = 0.1
"""How long to wait after a file was deleted before the next one is created."""


class _Block(NamedTuple):
    """Records that belong in the same file."""

    buffers: list[Buffer]
    size: int
    records: int


class RotatingFile:
    """Records that wait to be written, and the current file.

    The rest of a partial write stays pending and is written first by the next one: at any time, each file is a prefix
    of its intended content. Used by one thread at a time.
    """

    def __init__(
        self,
        create: Callable[[int], EventFile],
        head: Callable[[int], bytes],
        max_file_size: int | None = None,
        max_seconds: float = math.inf,
    ) -> None:
        """Write to the files *create(n)*, n from 0, each of which starts with the record *head(n)*.

        No file exceeds *max_file_size* bytes, except one with a single record that is larger, and by marks. A
        record that comes more than *max_seconds* after a file was created is written to the next file, unless the file
        has none yet.
        """
        self._create = create
        self._head = head
        self._limit = max_file_size
        self._max_seconds = max_seconds
        self._ends_at = math.inf
        self._file: EventFile | None = None
        self._rotation = 0
        self._pending: deque[_Block] = deque()
        self.pending_bytes = 0
        """Number of bytes of the records that are not being written yet."""
        # The blocks that are being written, complete, and the part of them that is not in the file yet.
        self._writing: list[_Block] = []
        self._unwritten: deque[Buffer] = deque()
        self._free_bytes = 0.0
        self._is_empty = True
        self.path = ""
        """Path of the current file, or of the last one if it is closed; "" before the first."""

    @property
    def has_pending(self) -> bool:
        """True while appended records are not in a file."""
        return bool(self._unwritten or self._pending)

    @property
    def pending_records(self) -> int:
        """Number of records that are not completely in a file."""
        unwritten = sum(map(len, self._unwritten))
        records = sum(block.records for block in self._pending)
        for block in reversed(self._writing):
            records += _records_after(block, block.size - unwritten)
            unwritten = max(0, unwritten - block.size)
        return records

    def append(self, records: Sequence[Record]) -> None:
        """Add records to be written."""
        if self._limit is not None:
            blocks = [_block([record]) for record in records]
        else:
            blocks = [_block(records)] if records else []
        self._pending += blocks
        self.pending_bytes += sum(block.size for block in blocks)

    def open_next(self) -> None:
        """Create the next file, with its head pending; after an OSError the state is unchanged."""
        file = self._create(self._rotation)
        previous, self._file, self.path = self._file, file, file.path
        head = self._head(self._rotation)
        self._rotation += 1
        self._start_writing([_Block([head], len(head), 0)] if head else [])
        self._free_bytes = float("inf") if self._limit is None else self._limit - len(head)
        self._is_empty = True
        self._ends_at = time.monotonic() + self._max_seconds
        if previous is not None:
            previous.close()

    def write_some(self) -> None:
        """Write pending records, or a part of them; OSError if nothing can be written at present."""
        if self._file is not None and self._file.is_deleted():
            self._abandon_deleted(self._file)
        if not self._unwritten:
            if self._file is None or not self._fits(self._pending[0]):
                self.open_next()
            self._gather()
        assert self._file is not None
        self._discard_written(self._file.write(self._unwritten))

    def write_mark(self, record: bytes) -> None:
        """Append a record to the current file, if there is one, even if the file has its maximum size.

        Nothing else may be pending. The rest of a partial write stays pending; after an OSError nothing is written.
        """
        if self._file is None:
            return
        self._start_writing([_Block([record], len(record), 0)])
        try:
            self._discard_written(self._file.write(self._unwritten))
        except OSError:
            self._start_writing([])
            raise

    def sync(self) -> None:
        """Sync the file, and its entry in the directory, to disk."""
        if self._file is not None:
            self._file.sync()

    def close(self) -> None:
        """Sync the file to disk and close it; on OSError it is closed nevertheless."""
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def abandon(self) -> None:
        """Close the file as it is and drop pending records."""
        file, self._file = self._file, None
        self._start_writing([])
        self._pending.clear()
        self.pending_bytes = 0
        if file is not None:
            file.abandon()

    def _abandon_deleted(self, file: EventFile) -> None:
        """Write the blocks that were being written to the next file."""
        log.error("%s: was deleted while it was written. New records are written to a new file.", self.path)
        again = [block for block in self._writing if block.records]
        self._pending.extendleft(reversed(again))
        self.pending_bytes += sum(block.size for block in again)
        self._start_writing([])
        self._file = None
        file.abandon()
        # A process that deletes the directory too would fail if it contained a new file by then.
        time.sleep(_DELETION_SECONDS)

    def _start_writing(self, blocks: list[_Block]) -> None:
        self._writing = blocks
        self._unwritten = deque(buffer for block in blocks for buffer in block.buffers)

    def _fits(self, block: _Block) -> bool:
        # A record larger than the limit gets a separate file.
        return self._is_empty or (block.size <= self._free_bytes and time.monotonic() <= self._ends_at)

    def _gather(self) -> None:
        """Move pending blocks that fit in this file to the ones being written, at least one."""
        blocks, gathered = list(self._writing), 0
        while self._pending and gathered < _GATHERED_BYTES and self._fits(self._pending[0]):
            blocks.append(self._pending.popleft())
            self.pending_bytes -= blocks[-1].size
            self._free_bytes -= blocks[-1].size
            self._is_empty = False
            gathered += blocks[-1].size
        self._start_writing(blocks)

    def _discard_written(self, written: int) -> None:
        """Remove the first bytes, written of them, from the unwritten ones."""
        while self._unwritten and written >= len(self._unwritten[0]):
            written -= len(self._unwritten.popleft())
        if self._unwritten:
            self._unwritten[0] = memoryview(self._unwritten[0])[written:]
        else:
            self._writing = []


def _block(records: Sequence[Record]) -> _Block:
    """Return records as one block."""
    buffers: list[Buffer] = []
    for record in records:
        buffers += [record] if isinstance(record, bytes) else record
    return _Block(buffers, sum(map(len, buffers)), len(records))


def _records_after(block: _Block, written: int) -> int:
    """Return the number of records of block that do not end within its first written bytes."""
    if not 0 < written < block.size or not block.records:
        return block.records if written <= 0 else 0
    content, start, records = b"".join(block.buffers), 0, 0
    while start < len(content):
        start += HEADER_BYTES + read_header(content[start : start + HEADER_BYTES]).length + FOOTER_BYTES
        records += start > written
    return records
