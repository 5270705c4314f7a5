"""One event file that may be growing: what was read of it, and reading on."""

import logging
from collections.abc import Iterator
from dataclasses import replace

from toposcope.proto import framing
from toposcope.proto.file_name import FileName
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.places.place import OpenFile, Place, Status
from toposcope.server.places.stores.read_ahead import ReadAhead
from toposcope.server.reading.declared_plugins import DeclaredPlugins
from toposcope.server.reading.file_series import FileSeries
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.index.index import CHECKED_BYTES, Index, identify
from toposcope.server.reading.index.indexed_file import IndexedFile
from toposcope.server.reading.index.segment import Identity, Segment
from toposcope.server.reading.records.counters import Counters
from toposcope.server.reading.records.large_records import LargeRecords
from toposcope.server.reading.records.version_event import (
    LARGEST_VERSION_EVENT,
    Version,
    read_version,
    version_event_bytes,
)
from toposcope.server.reading.series.series import Payloads, Points
from toposcope.server.reading.tag_table import Tag, is_of_training
from toposcope.server.reading.unexplained_change import UnexplainedChange
from toposcope.server.reading.windows.parallel_read import ParallelReader, count_windows
from toposcope.server.reading.windows.scan_buffers import WINDOW_BYTES, ScanBuffers, thread_buffers
from toposcope.server.reading.windows.scanner import NextWindow, Piece, ScannedRows, Scanner

_SMALLEST_WINDOW = 16 << 10
_FAR_SKIP = 64 << 10
_SMALL_BYTES = 64 << 10
"""Files up to this size are read at once."""
_START = NextWindow(0, framing.HEADER_BYTES, framing.HEADER_BYTES)

log = logging.getLogger(__name__)


def first_offset(indexed_bytes: int, size: int) -> int:
    """Return where a file is read first: from its start, or, if the index contains much of it, where that ends."""
    return 0 if size <= _SMALL_BYTES else max(indexed_bytes - CHECKED_BYTES, 0)


class EventFile:
    """Reads an event file as it grows; the file is not open between two reads. Not thread-safe.

    What was read stays when a read fails: reading goes on where it stopped or, if rows were lost with the failure,
    starts over, and there is no view until it has come as far as before.
    """

    def __init__(
        self,
        path: str,
        name: FileName,
        index: Index | None = None,
        declared: DeclaredPlugins | None = None,
        place: Place = UNCHECKED,
    ) -> None:
        self.path = path
        self.edition = 0
        """Another number after every read that found more than heartbeats."""
        self.training_edition = 0
        """Another number after every read that found values of the training."""
        self._name = name
        self._declared = DeclaredPlugins() if declared is None else declared
        self._indexed = IndexedFile(index, path) if index is not None else None
        self._place = place
        self._parallel: ParallelReader | None = None
        self._trusts_index = True
        """Whether what the index contains of the file is what is there, if the first and last bytes are the same."""
        self._unexplained = UnexplainedChange()
        self._next = _START
        self._reached = 0
        self._start_over(frozenset(), is_same=False)

    def _start_over(self, bad_records: frozenset[int], *, is_same: bool = True) -> None:
        """Forget everything but the offsets of damaged records.

        Args:
            bad_records: their offsets.
            is_same: whether the contents that were read are still there, so that a view without them would be wrong.
        """
        self.edition += 1
        self._reached = max(self._reached, self._next.offset) if is_same else 0
        """How far the file must be read before it has a view again."""
        self._bad_records = bad_records
        self._next = _START
        self._window_bytes = _FAR_SKIP
        self._failure: Exception | None = None
        self._status: Status | None = None
        self._identity: Identity | None = None
        self._identified_bytes = 0
        """How far the file was read when it had this identity."""
        self._version: Version | None = None
        self._scanner: Scanner | None = None
        self._declared_tags = 0
        self._training_wall = 0.0
        self._series = FileSeries()
        self._large = LargeRecords()
        if self._indexed is not None:
            self._indexed.forget()

    def has_news(self, status: Status) -> bool:
        """Return whether read() would make progress, according to the file's status."""
        if status.size >= self._next.min_file_size or self._was_replaced(status):
            return True
        return self._unexplained.has_settled(self._status, status)

    @property
    def is_unsettled(self) -> bool:
        """Whether has_news() must be asked again: the file grows just now, or it was written again in place."""
        return self._unexplained.is_pending

    def _was_replaced(self, status: Status) -> bool:
        old = self._status
        return old is not None and (status.inode != old.inode or status.size < old.size)

    def _was_rewritten(self, status: Status) -> bool:
        """Return whether the file was written without growth, so that bytes may have changed that are not compared."""
        old = self._status
        return old is not None and status.size == old.size and status.modified != old.modified

    def _was_overwritten(self, file: OpenFile) -> bool:
        """Return whether the bytes that were read last have changed."""
        return self._identity is not None and self._identity != identify(file, self._next.offset, self._identity)

    def read(self, budget: int) -> bool:
        """Read what was appended, up to about `budget` bytes; return whether more can be read immediately.

        A file that was replaced or truncated is read again from its start.

        Raises:
            OSError: the file cannot be opened or read.
        """
        file = self._place.open(self.path)
        try:
            if self._was_replaced(file.status):
                self._start_over(frozenset(), is_same=False)
            elif (is_other := self._was_overwritten(file)) or self._was_rewritten(file.status):
                log.warning("%s was written again in place: all of it is read again", self.path)
                self._start_over(frozenset(), is_same=not is_other)
                self._trusts_index = False
            is_small = self._next is _START and file.status.size <= _SMALL_BYTES
            return self._read_from(ReadAhead(file, file.status.size) if is_small else file, budget)
        finally:
            # No thread outlives the read: a process that forks or exits meets none.
            if self._parallel is not None:
                self._parallel.close()
                self._parallel = None
            file.close()

    def _read_from(self, file: OpenFile, budget: int) -> bool:
        try:
            can_continue = self._read(file, budget)
        except BaseException:  # Rows that are still in the buffers are lost.
            self._start_over(self._bad_records)
            raise
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        return can_continue

    def _read(self, file: OpenFile, budget: int) -> bool:
        status = self._status = file.status
        before = self._contents()
        buffers = thread_buffers(WINDOW_BYTES)
        end = self._next.offset + budget
        while self._next.offset < end and self._read_next(file, buffers):
            pass
        if self._scanner:
            self._append(self._scanner.take_rows(buffers))
        if self._contents() != before:
            self.edition += 1
        self._identity, self._identified_bytes = self._identify(file), self._next.offset
        can_continue = status.size >= self._next.min_file_size
        if not can_continue and self._scanner and self._scanner.partially_read:
            self._start_over(self._bad_records | self._scanner.partially_read)
            return True
        if not self._failure and (not can_continue or self._next.offset >= self._reached):
            self._reached = 0
        return can_continue

    def _identify(self, file: OpenFile) -> Identity | None:
        known = self._identity if self._identified_bytes >= CHECKED_BYTES else None
        try:
            return identify(file, self._next.offset, known)
        except OSError as error:
            self._failure = error
            return None

    def _contents(self) -> tuple[int, int]:
        """Return numbers that change with what was read, except heartbeats."""
        scanner = self._scanner
        return (scanner.counters.events, len(scanner.damage)) if scanner else (-1, 0)

    def _read_next(self, file: OpenFile, buffers: ScanBuffers) -> bool:
        """Read one window, or several in parallel; return False if nothing more can be read for now."""
        size = file.status.size
        if size < self._next.min_file_size:
            return False
        scanner = self._scanner or self._open_scanner(file)
        if scanner is None or size < self._next.min_file_size:
            return False
        scanner.read_at = file.read
        if self._window_bytes == WINDOW_BYTES and self._read_parallel(file, scanner, buffers):
            return True
        return not self._failure and self._read_window(file, scanner, buffers)

    def _open_scanner(self, file: OpenFile) -> Scanner | None:
        """Restore what the index contains, or read the version event; return None if it is not complete yet."""
        scanner = self._restore(file)
        if scanner is not None:
            return scanner
        head = file.read(0, min(LARGEST_VERSION_EVENT, file.status.size))
        self._next = NextWindow(0, framing.HEADER_BYTES, version_event_bytes(head))
        if len(head) < self._next.min_file_size:
            return None
        return self._make_scanner(file, read_version(head, self._name))

    def _make_scanner(self, file: OpenFile, version: Version) -> Scanner:
        self._version = version
        dialect = "lineage" if self._name.is_lineage and version.dialect == "mindspore" else version.dialect
        self._scanner = Scanner(dialect, file.read, self._bad_records, declared=self._declared)
        return self._scanner

    def _read_window(self, file: OpenFile, scanner: Scanner, buffers: ScanBuffers) -> bool:
        """Read a window; return False if that failed, or the file ended before the expected bytes."""
        offset, min_bytes, _ = self._next
        file_size = file.status.size
        # Not larger than what is there: a live file grows by a few hundred bytes at a time.
        length = max(min(self._window_bytes, file_size - offset), min_bytes)
        if not scanner.has_room(buffers, length):
            self._append(scanner.take_rows(buffers))
        large = buffers if length <= buffers.size else ScanBuffers(length)
        try:
            size = file.read_into(large.data[:length], offset)
        except OSError as error:  # The rows of the windows before are in the buffers.
            self._failure = error
            return False
        if size < min(length, file_size - offset):
            return False
        self._next = scanner.read(large, size, offset, file_size)
        if scanner.is_seeking:
            self._next = self._after_hole(file)
        if large is not buffers:
            self._append(scanner.take_rows(large))
        # After a large payload was skipped, a small window is enough to find out whether another one follows.
        skipped = self._next.offset - (offset + size)
        self._window_bytes = _SMALLEST_WINDOW if skipped > _FAR_SKIP else min(4 * self._window_bytes, WINDOW_BYTES)
        return True

    def _after_hole(self, file: OpenFile) -> NextWindow:
        """Return the next window without the zeros of a hole, in which no header ends."""
        offset, *rest = self._next
        return NextWindow(max(offset, file.next_data(offset) - framing.HEADER_BYTES + 1), *rest)

    def _read_parallel(self, file: OpenFile, scanner: Scanner, buffers: ScanBuffers) -> bool:
        """Read several windows in parallel; return False if that failed or made no progress."""
        start = end = self._next.offset
        file_size = file.status.size
        windows = count_windows(scanner, file_size - start)
        if not windows:
            return False
        self._append(scanner.take_rows(buffers))
        if self._parallel is None:
            self._parallel = ParallelReader(file)
        pieces = self._parallel.read(scanner, start, windows, file_size)
        while (piece := self._next_piece(pieces)) is not None:
            end = piece.end
            self._next = NextWindow(end, 0, end + framing.HEADER_BYTES)
            self._append(scanner.join(piece))
        return end > start and not self._failure

    def _next_piece(self, pieces: Iterator[Piece]) -> Piece | None:
        try:
            return next(pieces, None)
        except OSError as error:
            self._failure = error
            return None

    def _append(self, rows: ScannedRows) -> None:
        assert self._scanner is not None
        assert self._status is not None
        entries = self._scanner.table.entries
        growth = self._status.size / self._next.offset if self._next.offset else 1.0
        for number, points in rows.parts:
            self._series.append(entries[number].tag, points, growth)
            self._note_values(entries[number].tag, points)
        self._large.append(rows.large)

    def _note_values(self, tag: Tag, points: Points | Payloads) -> None:
        if is_of_training(tag) and points.total:
            self._training_wall = max(self._training_wall, float(points.wall_time[-1]))
            self.training_edition += 1

    @property
    def phase(self) -> int:
        """What the training does, one of summary_pb2.Phase; 0 if it is unknown.

        The last heartbeat says so, unless the training has recorded a value since.
        """
        counters = self._scanner.counters if self._scanner else Counters()
        return counters.phase if counters.heartbeat >= self._training_wall else 0

    def _restore(self, file: OpenFile) -> Scanner | None:
        """Restore what the index contains of the file; return None if it contains nothing."""
        if self._indexed is None or self._bad_records or not self._trusts_index:
            return None
        segments = self._indexed.load(file)
        if not segments:
            return None
        if segments[-1].version.dialect == "tensorboard" and self._declared.contradict(segments[-1].entries):
            self._indexed.forget()
            return None
        for segment in segments:
            for tag, points in segment.series.items():
                self._series.append(tag, points)
                self._note_values(tag, points)
            self._large.append(segment.large)
        last = segments[-1]
        self._bad_records = frozenset(last.bad_records)
        scanner = self._make_scanner(file, last.version)
        scanner.restore(last.entries, last.counters, last.damage)
        self._next = NextWindow(last.end, framing.HEADER_BYTES, last.end + framing.HEADER_BYTES)
        self._identity, self._identified_bytes = last.identity, last.end
        self._large.verified = last.verified
        return scanner

    def declare(self) -> None:
        """Add the plugins of the tags read since the last call to those that the files of the run declare."""
        scanner = self._scanner
        if (
            scanner is not None
            and scanner.dialect == "tensorboard"
            and len(scanner.table.entries) > self._declared_tags
        ):
            self._declared.add(self.path, scanner.table.entries[self._declared_tags :])
            self._declared_tags = len(scanner.table.entries)

    def start_over(self) -> None:
        """Read the file again from its start, as other files declare the plugins of its tags."""
        self._start_over(self._bad_records)

    def save(self, is_quiet: bool) -> bool:
        """Write to the index what it lacks, unless that is little and the file still grows.

        Args:
            is_quiet: no growth is expected for now.

        Returns:
            Whether the index lacks nothing of what was read.
        """
        indexed, scanner, identity = self._indexed, self._scanner, self._identity
        if indexed is None or scanner is None or identity is None or not scanner.is_between_records:
            return True
        end = self._next.offset
        if indexed.has_all(*self._contents(), self._large.verified):
            return True
        if scanner.partially_read or self._large.damaged:  # The file will be read again, without some records.
            return False
        if not indexed.is_writable or (not is_quiet and not indexed.is_worth_storing(end)):
            return False
        # What is too large for the index is not tried again.
        return indexed.store(self._segment(scanner, identity)) or indexed.is_writable

    def _segment(self, scanner: Scanner, identity: Identity) -> Segment:
        """Return everything that was read."""
        assert self._version is not None
        return Segment(
            0,
            self._next.offset,
            identity,
            self._version,
            scanner.counters,
            scanner.damage,
            scanner.table.entries,
            self._large.verified,
            sorted(self._bad_records),
            self._series.points(),
            self._large.offsets,
        )

    @property
    def read_bytes(self) -> int:
        """How far the file was read."""
        return self._next.offset

    def read_completely(self) -> tuple[Status, Segment] | None:
        """Return (the status of the file when it was read, all that was read); None if that is not all of it."""
        read = self.read_up_to_now()
        return read if read is not None and read[1].end == read[0].size else None

    def read_up_to_now(self) -> tuple[Status, Segment] | None:
        """Return (the status of the file when it was read, all that was read and verified).

        None if that is not all of it, apart from an incomplete record at the end.
        """
        scanner, status, identity = self._scanner, self._status, self._identity
        if scanner is None or status is None or identity is None or not scanner.is_between_records:
            return None
        is_complete = not self.has_news(status) and self._large.are_verified and not self._large.damaged
        return (status, self._segment(scanner, identity)) if is_complete and not scanner.partially_read else None

    def view(self) -> FileView | None:
        """Return a snapshot of what was read; None before the first record is complete, or less is read than before."""
        if self._scanner is None or self._version is None or self._status is None or self._reached:
            return None
        offset = self._next.offset
        return FileView(
            self.path,
            self._rank,
            self._scanner.dialect == "lineage",
            self._version,
            self._series.publish(is_complete=self._status.size < self._next.min_file_size),
            replace(self._scanner.counters),
            tuple(self._scanner.damage),
            len(self._large),
            self._large.verified,
            self._large.verified_until(offset),
            self._status.inode,
            self._status.modified,
            offset,
            self._status.size,
            self.phase,
            place=self._place,
        )

    @property
    def _rank(self) -> int | None:
        """The rank of the writer: in the file's name, else in its start mark; None if it is unknown."""
        start = self._version.start if self._version else None
        return start.rank if self._name.rank is None and start else self._name.rank

    def verify(self, budget: int) -> bool:
        """Verify large records in file order, up to about `budget` bytes; return whether some are left.

        When all are verified and some are damaged, the file will be read again without those.

        Raises:
            OSError: the file cannot be opened or read.
        """
        large = self._large
        if large.are_verified:
            return False
        file = self._place.open(self.path)
        try:
            if self._was_replaced(file.status):
                return False  # The next read starts over.
            large.verify(file.read, budget)
        finally:
            file.close()
        if large.are_verified and large.damaged:
            self._start_over(self._bad_records | large.damaged)
            return True  # The others are verified again after the next read.
        return not large.are_verified
