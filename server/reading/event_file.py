"""One growing event file: how far it was read, its points by tag, and what in it is damaged."""

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from toposcope.proto import framing
from toposcope.proto.file_name import FileName
from toposcope.server.reading.counters import Counters
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.index import Index, identify
from toposcope.server.reading.large_records import LargeRecords
from toposcope.server.reading.record import read_at
from toposcope.server.reading.scan_buffers import WINDOW_BYTES, ScanBuffers, scratch
from toposcope.server.reading.scanner import Piece, Rows, Scanner
from toposcope.server.reading.segment import Identity, Segment
from toposcope.server.reading.series import Payloads, Points, Series
from toposcope.server.reading.tag_table import Tag
from toposcope.server.reading.version_event import LARGEST_VERSION_EVENT, Version, read_version, version_event_bytes

WORKERS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_SMALLEST_WINDOW = 16 << 10
_FAR_HOP = 64 << 10
_OVERLAP = 8 << 10  # A light record that begins in a piece ends within so many bytes behind it.
_WINDOWS_AHEAD = 16
_MOST_TAGS_AHEAD = 10_000  # Each piece has a tag table of its own.
_WORTH_SAVING_BYTES = 64 << 10
_MOST_SEGMENTS = 8


class _Saved(NamedTuple):
    """What of a file the index has."""

    end: int
    rows: Mapping[Tag, int]
    heavy: int
    verified: int
    segments: int


_NOTHING_SAVED = _Saved(0, {}, 0, 0, 0)


class EventFile:
    """Reads an event file as it grows; holds no descriptor between two reads. Not safe for threads."""

    def __init__(self, path: str, name: FileName, index: Index | None = None) -> None:
        self.path = path
        self._name = name
        self._index = index
        self._ahead: ThreadPoolExecutor | None = None
        self._start_over(frozenset())

    def _start_over(self, bad_records: frozenset[int]) -> None:
        """Forget all but the records that are known to be damaged."""
        self._bad_records = bad_records
        self._inode = -1
        self._offset = 0
        self._wanted = framing.HEADER_BYTES
        self._worth_reading_at = framing.HEADER_BYTES
        self._window_bytes = _FAR_HOP
        self._version: Version | None = None
        self._scanner: Scanner | None = None
        self._series: dict[Tag, Series] = {}
        self._points: dict[Tag, Points | Payloads] = {}
        self._grown: dict[Tag, None] = {}
        self._heavy = LargeRecords()
        self._modified = 0.0
        self._size = 0
        self._identity: Identity | None = None
        self._saved = _NOTHING_SAVED

    def has_news(self, status: os.stat_result) -> bool:
        """Say whether read would find something, given the file's status."""
        return status.st_size >= self._worth_reading_at or self._was_replaced(status)

    def _was_replaced(self, status: os.stat_result) -> bool:
        return self._inode >= 0 and (status.st_ino != self._inode or status.st_size < self._size)

    def read(self, budget: int) -> bool:
        """Read what was appended, up to about `budget` bytes; return whether more can be read at once.

        A file that was replaced or cut short is read again from its start.

        Raises:
            OSError: the file cannot be opened or read.
        """
        self._descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            status = os.fstat(self._descriptor)
            if self._was_replaced(status) or self._was_overwritten():
                self._start_over(frozenset())
            self._inode, self._modified, self._size = status.st_ino, status.st_mtime, status.st_size
            arrays = scratch(WINDOW_BYTES)
            end = self._offset + budget
            while self._offset < end and self._size >= self._worth_reading_at and self._read_some(arrays):
                pass
            if self._scanner:
                self._append(self._scanner, self._scanner.take(arrays))
            self._identity = identify(self._descriptor, self._inode, self._offset)
            if self._size < self._worth_reading_at and self._scanner and self._scanner.torn:
                self._start_over(self._bad_records | self._scanner.torn)
                return True
            return self._size >= self._worth_reading_at
        except BaseException:  # Rows that nobody took are lost.
            self._start_over(self._bad_records)
            raise
        finally:
            # Its threads end with the read: whoever forks or waits for a process to end meets none.
            if self._ahead is not None:
                self._ahead.shutdown()
                self._ahead = None
            os.close(self._descriptor)

    def _was_overwritten(self) -> bool:
        """Say whether other bytes stand where those were that were read last."""
        return self._identity is not None and self._identity != identify(self._descriptor, self._inode, self._offset)

    def _read_some(self, arrays: ScanBuffers) -> bool:
        """Read a window, or several at once; False when nothing more can be read at once."""
        scanner = self._scanner or self._open_scanner()
        if scanner is None or self._size < self._worth_reading_at:
            return False
        if self._window_bytes == WINDOW_BYTES and scanner.can_read_ahead and self._read_ahead(scanner, arrays):
            return True
        return self._read_window(scanner, arrays)

    def _open_scanner(self) -> Scanner | None:
        """Read the version event; None when it is not complete yet."""
        if self._restore():
            return self._scanner
        head = os.pread(self._descriptor, LARGEST_VERSION_EVENT, 0)
        self._worth_reading_at = version_event_bytes(head)
        if len(head) < self._worth_reading_at:
            return None
        return self._make_scanner(read_version(head, self._name))

    def _make_scanner(self, version: Version) -> Scanner:
        self._version = version
        dialect = "lineage" if self._name.is_lineage and version.dialect == "mindspore" else version.dialect
        self._scanner = Scanner(dialect, self._read_at, self._bad_records)
        return self._scanner

    def _read_at(self, offset: int, length: int) -> bytes:
        return os.pread(self._descriptor, length, offset)

    def _read_window(self, scanner: Scanner, arrays: ScanBuffers) -> bool:
        """Read a window; False when the file ended before the bytes that were expected."""
        # No larger than what is there: a live file brings a few hundred bytes at a time.
        length = max(min(self._window_bytes, self._size - self._offset), self._wanted)
        if not scanner.has_room(arrays, length):
            self._append(scanner, scanner.take(arrays))
        large = arrays if length <= arrays.size else ScanBuffers(length)
        size = os.preadv(self._descriptor, [large.data[:length]], self._offset)
        if size < min(length, self._size - self._offset):
            return False
        read = scanner.read(large, size, self._offset, self._size)
        if large is not arrays:
            self._append(scanner, scanner.take(large))
        # Behind a heavy payload that was hopped over a small window finds out whether there is another.
        hop = read.next_offset - (self._offset + size)
        self._window_bytes = _SMALLEST_WINDOW if hop > _FAR_HOP else min(4 * self._window_bytes, WINDOW_BYTES)
        self._offset, self._wanted, self._worth_reading_at = read
        return True

    def _read_ahead(self, scanner: Scanner, arrays: ScanBuffers) -> bool:
        """Read several windows at once, each on a core of its own; False when that brought nothing."""
        windows = min((self._size - self._offset) // WINDOW_BYTES, _WINDOWS_AHEAD)
        if windows < 2 or WORKERS < 2 or len(scanner.table.entries) > _MOST_TAGS_AHEAD:
            return False
        self._append(scanner, scanner.take(arrays))
        starts = [self._offset + i * WINDOW_BYTES for i in range(windows)]
        began, is_in_turn = self._offset, True
        self._ahead = self._ahead or ThreadPoolExecutor(WORKERS, "toposcope-ahead")
        # Each is taken as soon as it is there; all are waited for, as they read from the open file.
        for piece in self._ahead.map(self._read_piece, [scanner.fork() for _ in starts], starts):
            is_in_turn = is_in_turn and piece is not None and piece.start == self._offset
            is_in_turn = is_in_turn and piece is not None and scanner.agrees(piece)
            if piece is not None and is_in_turn:
                self._offset = piece.end
                self._append(scanner, scanner.join(piece))
        self._wanted, self._worth_reading_at = 0, self._offset + framing.HEADER_BYTES
        return self._offset > began

    def _read_piece(self, scanner: Scanner, start: int) -> Piece | None:
        arrays = scratch(WINDOW_BYTES + _OVERLAP)
        size = os.preadv(self._descriptor, [arrays.data[: WINDOW_BYTES + _OVERLAP]], start)
        return scanner.read_ahead(arrays, size, start, start + WINDOW_BYTES, self._size)

    def _append(self, scanner: Scanner, rows: Rows) -> None:
        entries = scanner.table.entries
        growth = self._size / self._offset if self._offset else 1.0
        for number, points in rows.parts:
            self._append_points(entries[number].tag, points, growth)
        self._heavy.append(rows.heavy)

    def _append_points(self, tag: Tag, points: Points | Payloads, growth: float = 1.0) -> None:
        self._grown[tag] = None
        if tag in self._series:
            self._series[tag].append(points, growth)
        else:
            self._series[tag] = Series(points)

    def _restore(self) -> bool:
        """Take over what the index has of the file; False when it has nothing."""
        if self._index is None or self._bad_records:
            return False
        segments = self._index.load(self.path, self._descriptor, self._inode, self._size)
        if not segments:
            return False
        for segment in segments:
            for tag, points in segment.series.items():
                self._append_points(tag, points)
            self._heavy.append(segment.heavy)
        last = segments[-1]
        self._bad_records = frozenset(last.bad_records)
        self._make_scanner(last.version).restore(last.entries, last.counters, last.damage)
        self._offset = last.end
        self._worth_reading_at = last.end + framing.HEADER_BYTES
        self._heavy.verified = last.verified
        rows = {tag: series.total for tag, series in self._series.items()}
        self._saved = _Saved(last.end, rows, len(self._heavy), last.verified, len(segments))
        return True

    def save(self, is_quiet: bool) -> bool:
        """Write to the index what it lacks, unless that is little and more may come; return whether it lacks nothing.

        Args:
            is_quiet: nothing more is expected for now.
        """
        scanner, version, saved = self._scanner, self._version, self._saved
        if self._index is None or scanner is None or version is None or not scanner.is_between_records:
            return True
        news = self._offset - saved.end
        if not news and self._heavy.verified == saved.verified:
            return True
        if scanner.torn or self._heavy.damaged:  # The file is to be read again, without some records.
            return False
        if not is_quiet and news < max(_WORTH_SAVING_BYTES, saved.end // 8):
            return False
        self._save(self._index, scanner, version, saved if saved.segments < _MOST_SEGMENTS else _NOTHING_SAVED)
        return True

    def _save(self, index: Index, scanner: Scanner, version: Version, saved: _Saved) -> None:
        """Write a segment of what came since something was saved."""
        assert self._identity is not None
        points = {tag: series.points() for tag, series in self._series.items()}
        rows = {tag: each.total for tag, each in points.items()}
        news = {tag: each.take(slice(saved.rows.get(tag, 0), None)) for tag, each in points.items()}
        segment = Segment(
            saved.end,
            self._offset,
            self._identity,
            version,
            scanner.counters,
            scanner.damage,
            scanner.table.entries,
            self._heavy.verified,
            sorted(self._bad_records),
            {tag: each for tag, each in news.items() if each.total},
            self._heavy.offsets[saved.heavy :],
        )
        if index.store(self.path, segment):
            self._saved = _Saved(self._offset, rows, len(self._heavy), self._heavy.verified, saved.segments + 1)

    def view(self) -> FileView | None:
        """Return what is known now; None before the first record is complete."""
        if self._scanner is None or self._version is None:
            return None
        for tag in self._grown:
            if self._size < self._worth_reading_at:
                self._series[tag].trim()
            self._points[tag] = self._series[tag].points()
        self._grown.clear()
        return FileView(
            self.path,
            self._name.rank,
            self._scanner.dialect == "lineage",
            self._version,
            dict(self._points),
            Counters(**vars(self._scanner.counters)),
            tuple(self._scanner.damage),
            len(self._heavy),
            self._heavy.verified,
            self._heavy.verified_until(self._offset),
            self._inode,
            self._modified,
            self._offset,
            self._size,
        )

    def verify(self, budget: int) -> bool:
        """Verify heavy records in the order of the file, up to about `budget` bytes; return whether some are left.

        Once all are verified and some are damaged, the file is to be read again without those.

        Raises:
            OSError: the file cannot be opened or read.
        """
        heavy = self._heavy
        if heavy.are_verified:
            return False
        descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            if self._was_replaced(os.fstat(descriptor)):
                return False  # The next read finds out.
            heavy.verify(read_at(descriptor), budget)
        finally:
            os.close(descriptor)
        if heavy.are_verified and heavy.damaged:
            self._start_over(self._bad_records | heavy.damaged)
            return True  # The others are verified anew, once they were read again.
        return not heavy.are_verified
