"""Reads several windows of one event file in parallel, on all cores."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from toposcope.server.places.place import OpenFile
from toposcope.server.reading.windows.scan_buffers import LARGEST_WINDOW_BYTES, WINDOW_BYTES, thread_buffers
from toposcope.server.reading.windows.scanner import Piece, Scanner

WORKERS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
_OVERLAP_BYTES = 8 << 10  # A small record that begins in a window ends at most this far after it.
_MAX_WINDOWS = 16
_WINDOWS_A_CORE = 4
_MAX_TAGS = 10_000  # Each window is scanned with a copy of the tag table.


def count_windows(scanner: Scanner, unread_bytes: int) -> int:
    """Return how many windows to read in parallel; 0 if one after the other is better."""
    windows = min(unread_bytes // window_bytes(unread_bytes), _MAX_WINDOWS)
    is_possible = windows > 1 and WORKERS > 1 and scanner.can_read_ahead and len(scanner.table.entries) <= _MAX_TAGS
    return windows if is_possible else 0


def window_bytes(unread_bytes: int) -> int:
    """Return the size of the windows: large ones take less time, but every core needs several."""
    return max(WINDOW_BYTES, min(unread_bytes // (_WINDOWS_A_CORE * WORKERS), LARGEST_WINDOW_BYTES))


class ParallelReader:
    """The threads that read an open event file."""

    def __init__(self, file: OpenFile) -> None:
        self._file = file
        self._pool = ThreadPoolExecutor(WORKERS, "toposcope-ahead")

    def read(self, scanner: Scanner, offset: int, windows: int, size: int) -> Iterator[Piece]:
        """Yield pieces that follow one another from `offset` on; the caller joins each to scanner.

        Args:
            scanner: whose next window begins at `offset`.
            offset: of the first window.
            windows: how many to read.
            size: bytes of the file.
        """
        window = window_bytes(size - offset)

        def read_window(fork: Scanner, start: int) -> Piece | None:
            buffers = thread_buffers(window + _OVERLAP_BYTES)
            wanted = min(window + _OVERLAP_BYTES, size - start)
            length = self._file.read_into(buffers.data[:wanted], start)
            return fork.read_ahead(buffers, length, start, start + window, size)

        forks = [scanner.fork() for _ in range(windows)]
        starts = range(offset, offset + windows * window, window)
        for piece in self._pool.map(read_window, forks, starts):
            if piece is None or piece.start != offset or not scanner.has_same_tags(piece):
                offset = -1  # No later piece follows what was read either, but its thread still reads the file.
                continue
            offset = piece.end
            yield piece

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()
