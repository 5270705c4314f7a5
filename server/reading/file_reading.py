"""One reading of an event file, from its start on: how far it has come, and what it has found."""

from collections.abc import Iterator, Sequence

from toposcope.proto import framing
from toposcope.proto.file_name import FileName
from toposcope.server.places.place import OpenFile
from toposcope.server.reading.declared_plugins import DeclaredPlugins
from toposcope.server.reading.index.segment import Identity, Segment
from toposcope.server.reading.records.counters import Counters
from toposcope.server.reading.records.large_records import LargeRecords
from toposcope.server.reading.records.record import ReadAt
from toposcope.server.reading.records.version_event import (
    LARGEST_VERSION_EVENT,
    Version,
    read_version,
    version_event_bytes,
)
from toposcope.server.reading.series.file_series import FileSeries
from toposcope.server.reading.windows.parallel_read import ParallelReader, count_windows
from toposcope.server.reading.windows.scan_buffers import WINDOW_BYTES, ScanBuffers, thread_buffers
from toposcope.server.reading.windows.scanner import NextWindow, Piece, ScannedRows, Scanner

_SMALLEST_WINDOW = 16 << 10
_FAR_SKIP = 64 << 10
_START = NextWindow(0, framing.HEADER_BYTES, framing.HEADER_BYTES)


class FileReading:
    """Reads windows and keeps their contents. A file that must be read again gets another one. Not thread-safe.

    Args:
        name: of the file.
        declared: the plugins that the files of the run declare.
        bad_records: offsets of records that are known to be damaged.
        training_edition: the number with which that of the series begins.
    """

    def __init__(
        self, name: FileName, declared: DeclaredPlugins, bad_records: frozenset[int], training_edition: int
    ) -> None:
        self.bad_records = bad_records
        self.version: Version | None = None
        """None: its version event is not complete yet, and there is no scanner."""
        self.scanner: Scanner | None = None
        self.next = _START
        self.series = FileSeries(training_edition)
        self.large = LargeRecords()
        self.failure: OSError | None = None
        """Why the last call of read() ended early; what was read before it stays."""
        self._name = name
        self._declared = declared
        self._declared_tags = 0
        self._window_bytes = _FAR_SKIP
        self._parallel: ParallelReader | None = None

    @property
    def is_new(self) -> bool:
        """Whether nothing was read yet."""
        return self.next is _START

    def open(self, file: OpenFile) -> None:
        """Read the version event, unless it is not complete yet.

        Raises:
            OSError: the file cannot be read.
        """
        head = file.read(0, min(LARGEST_VERSION_EVENT, file.status.size))
        self.next = NextWindow(0, framing.HEADER_BYTES, version_event_bytes(head))
        if len(head) >= self.next.min_file_size:
            self._make_scanner(file.read, read_version(head, self._name))

    def restore(self, segments: Sequence[Segment], read_at: ReadAt) -> None:
        """Take what the index contains of the file, in place of reading it."""
        for segment in segments:
            for tag, points in segment.series.items():
                self.series.append(tag, points)
            self.large.append(segment.large)
        last = segments[-1]
        self.bad_records = frozenset(last.bad_records)
        scanner = self._make_scanner(read_at, last.version)
        scanner.restore(last.entries, last.counters, last.damage)
        self.next = NextWindow(last.end, framing.HEADER_BYTES, last.end + framing.HEADER_BYTES)
        self.large.verified = last.verified

    def _make_scanner(self, read_at: ReadAt, version: Version) -> Scanner:
        self.version = version
        dialect = "lineage" if self._name.is_lineage and version.dialect == "mindspore" else version.dialect
        self.scanner = Scanner(dialect, read_at, self.bad_records, declared=self._declared)
        return self.scanner

    def read(self, file: OpenFile, scanner: Scanner, end: int) -> None:
        """Read windows until `end` is passed, or nothing more can be read for now; see `failure`.

        Args:
            file: the file as it is open now.
            scanner: that of this reading.
            end: an offset.
        """
        buffers = thread_buffers(WINDOW_BYTES)
        scanner.read_at = file.read
        try:
            while self._read_next(file, scanner, buffers) and self.next.offset < end:
                pass
        finally:
            # No thread outlives the read: a process that forks or exits meets none.
            if self._parallel is not None:
                self._parallel.close()
                self._parallel = None
        self._append(scanner.take_rows(buffers), file)

    def _read_next(self, file: OpenFile, scanner: Scanner, buffers: ScanBuffers) -> bool:
        """Read one window, or several in parallel; return False if nothing more can be read for now."""
        if file.status.size < self.next.min_file_size:
            return False
        if self._window_bytes == WINDOW_BYTES and self._read_parallel(file, scanner, buffers):
            return True
        return not self.failure and self._read_window(file, scanner, buffers)

    def _read_window(self, file: OpenFile, scanner: Scanner, buffers: ScanBuffers) -> bool:
        """Read a window; return False if that failed, or the file ended before the expected bytes."""
        offset, min_bytes, _ = self.next
        file_size = file.status.size
        # Not larger than what is there: a live file grows by a few hundred bytes at a time.
        length = max(min(self._window_bytes, file_size - offset), min_bytes)
        if not scanner.has_room(buffers, length):
            self._append(scanner.take_rows(buffers), file)
        large = buffers if length <= buffers.size else ScanBuffers(length)
        try:
            size = file.read_into(large.data[:length], offset)
        except OSError as error:  # The rows of the windows before are in the buffers.
            self.failure = error
            return False
        if size < min(length, file_size - offset):
            return False
        self.next = scanner.read(large, size, offset, file_size)
        if scanner.is_seeking:
            self.next = self._after_hole(file)
        if large is not buffers:
            self._append(scanner.take_rows(large), file)
        # After a large payload was skipped, a small window is enough to find out whether another one follows.
        skipped = self.next.offset - (offset + size)
        self._window_bytes = _SMALLEST_WINDOW if skipped > _FAR_SKIP else min(4 * self._window_bytes, WINDOW_BYTES)
        return True

    def _after_hole(self, file: OpenFile) -> NextWindow:
        """Return the next window without the zeros of a hole, in which no header ends."""
        offset, *rest = self.next
        return NextWindow(max(offset, file.next_data(offset) - framing.HEADER_BYTES + 1), *rest)

    def _read_parallel(self, file: OpenFile, scanner: Scanner, buffers: ScanBuffers) -> bool:
        """Read several windows in parallel; return False if that failed or made no progress."""
        start = end = self.next.offset
        file_size = file.status.size
        windows = count_windows(scanner, file_size - start)
        if not windows:
            return False
        self._append(scanner.take_rows(buffers), file)
        if self._parallel is None:
            self._parallel = ParallelReader(file)
        pieces = self._parallel.read(scanner, start, windows, file_size)
        while (piece := self._next_piece(pieces)) is not None:
            end = piece.end
            self.next = NextWindow(end, 0, end + framing.HEADER_BYTES)
            self._append(scanner.join(piece), file)
        return end > start and not self.failure

    def _next_piece(self, pieces: Iterator[Piece]) -> Piece | None:
        try:
            return next(pieces, None)
        except OSError as error:
            self.failure = error
            return None

    def _append(self, rows: ScannedRows, file: OpenFile) -> None:
        assert self.scanner is not None
        entries = self.scanner.table.entries
        growth = file.status.size / self.next.offset if self.next.offset else 1.0
        for number, points in rows.parts:
            self.series.append(entries[number].tag, points, growth)
        self.large.append(rows.large)

    @property
    def counts(self) -> tuple[int, int]:
        """(events, damaged places): numbers that change with what was read, except heartbeats."""
        scanner = self.scanner
        return (scanner.counters.events, len(scanner.damage)) if scanner else (-1, 0)

    @property
    def phase(self) -> int:
        """What the training does, one of summary_pb2.Phase; 0 if it is unknown.

        The last heartbeat says so, unless the training has recorded a value since.
        """
        counters = self.scanner.counters if self.scanner else Counters()
        return counters.phase if counters.heartbeat >= self.series.training_wall else 0

    @property
    def rank(self) -> int | None:
        """The rank of the writer: in the file's name, else in its start mark; None if it is unknown."""
        start = self.version.start if self.version else None
        return start.rank if self._name.rank is None and start else self._name.rank

    def declare(self, path: str) -> None:
        """Add the plugins of the tags read since the last call to those that the files of the run declare."""
        scanner = self.scanner
        if (
            scanner is not None
            and scanner.dialect == "tensorboard"
            and len(scanner.table.entries) > self._declared_tags
        ):
            self._declared.add(path, scanner.table.entries[self._declared_tags :])
            self._declared_tags = len(scanner.table.entries)

    def segment(self, scanner: Scanner, identity: Identity) -> Segment:
        """Return everything that was read of a file with this identity."""
        assert self.version is not None
        return Segment(
            0,
            self.next.offset,
            identity,
            self.version,
            scanner.counters,
            scanner.damage,
            scanner.table.entries,
            self.large.verified,
            sorted(self.bad_records),
            self.series.points(),
            self.large.offsets,
        )
