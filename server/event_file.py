"""One growing event file: how far it was read, its points by tag, and what in it is damaged."""

import os
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from google.protobuf.message import DecodeError

from toposcope.proto import framing, summary_pb2
from toposcope.proto.file_name import FileName
from toposcope.server.scanner import Columns, Damage, Scanner
from toposcope.server.series import Points, Series
from toposcope.server.tag_table import Tag

WINDOW_BYTES = 4 << 20
_LARGEST_VERSION_EVENT = 4096


class Version(NamedTuple):
    """What the version event, the first record, says about the file."""

    dialect: str
    """"mindspore" or "tensorboard"."""
    session_id: bytes
    """Equal for the files of one recorder; empty when the writer was not ours."""
    starts_attempt: bool


class FileView(NamedTuple):
    """What is known of an event file at one moment; never changes."""

    path: str
    rank: int | None
    version: Version
    series: Mapping[Tag, Points]
    """The points of each scalar tag; tags of other plugins are there without points."""
    wall_times: tuple[float, float] | None
    """Smallest and largest wall_time of its events, in seconds since 1970."""
    steps: tuple[int, int] | None
    """Smallest and largest step of its summaries."""
    damage: tuple[Damage, ...]
    modified: float
    """When the file was last written, in seconds since 1970."""


class EventFile:
    """Reads an event file as it grows; holds no descriptor between two reads. Not safe for threads."""

    def __init__(self, path: str, name: FileName) -> None:
        self.path = path
        self._name = name
        self._start_over()

    def _start_over(self) -> None:
        self._inode = -1
        self._offset = 0
        self._worth_reading_at = framing.HEADER_BYTES
        self._version: Version | None = None
        self._scanner: Scanner | None = None
        self._series: dict[Tag, Series] = {}
        self._points: dict[Tag, Points] = {}
        self._modified = 0.0

    def has_news(self, status: os.stat_result) -> bool:
        """Say whether read would find something, given the file's status."""
        return status.st_size >= self._worth_reading_at or self._was_replaced(status)

    def _was_replaced(self, status: os.stat_result) -> bool:
        return self._inode >= 0 and (status.st_ino != self._inode or status.st_size < self._offset)

    def read(self, budget: int) -> bool:
        """Read what was appended, up to about `budget` bytes; return whether more can be read at once.

        A file that was replaced or cut short is read again from its start.

        Raises:
            OSError: the file cannot be opened or read.
        """
        descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            status = os.fstat(descriptor)
            if self._was_replaced(status):
                self._start_over()
            self._inode = status.st_ino
            self._modified = status.st_mtime
            end = self._offset + budget
            while self._offset < end and status.st_size >= self._worth_reading_at:
                if not self._read_window(descriptor, status.st_size):
                    return False
            return status.st_size >= self._worth_reading_at
        finally:
            os.close(descriptor)

    def _read_window(self, descriptor: int, file_bytes: int) -> bool:
        """Read one window; False when the file ended before the bytes that were expected."""
        # No larger than what is there: a live file brings a few hundred bytes at a time.
        usual = min(WINDOW_BYTES, file_bytes - self._offset)
        window = bytearray(max(usual, self._worth_reading_at - self._offset))
        size = os.preadv(descriptor, [window], self._offset)
        if self._offset + size < self._worth_reading_at:
            return False
        if self._scanner is None:
            head = bytes(window[: min(size, _LARGEST_VERSION_EVENT)])
            self._worth_reading_at = version_event_bytes(head)
            if size < self._worth_reading_at:
                return False
            self._version = read_version(head, self._name)
            self._scanner = Scanner(self._version.dialect)
        columns, self._offset, self._worth_reading_at = self._scanner.read(window, size, self._offset)
        self._append(self._scanner.tags, columns)
        return True

    def _append(self, tags: list[Tag], columns: Columns) -> None:
        for tag in tags[len(self._series) :]:
            self._series[tag] = Series()
            self._points[tag] = self._series[tag].points()
        for number, points in group_by_tag(columns):
            series = self._series[tags[number]]
            series.append(points)
            self._points[tags[number]] = series.points()

    def view(self) -> FileView | None:
        """Return what is known now; None before the first record is complete."""
        if self._scanner is None or self._version is None:
            return None
        return FileView(
            self.path,
            self._name.rank,
            self._version,
            dict(self._points),
            self._scanner.wall_times,
            self._scanner.steps,
            tuple(self._scanner.damage),
            self._modified,
        )


def version_event_bytes(head: bytes) -> int:
    """Return how many bytes the head of a file must have before the version event can be read from it."""
    header = framing.read_header(head[: framing.HEADER_BYTES])
    record = framing.HEADER_BYTES + header.length + framing.FOOTER_BYTES
    is_version = framing.header_is_sound(header) and record <= _LARGEST_VERSION_EVENT
    return record if is_version else framing.HEADER_BYTES


def read_version(head: bytes, name: FileName) -> Version:
    """Return what the version event at the head of a file says; without one the name tells the dialect."""
    unknown = Version(name.dialect, b"", False)
    header = framing.read_header(head[: framing.HEADER_BYTES])
    if not framing.header_is_sound(header) or framing.HEADER_BYTES + header.length > len(head):
        return unknown
    try:
        event = summary_pb2.Event.FromString(head[framing.HEADER_BYTES : framing.HEADER_BYTES + header.length])
    except DecodeError:
        return unknown
    if event.version.startswith("brain.Event"):
        return Version("tensorboard", b"", False)
    if event.version.lower().startswith("mindspore.event"):
        return Version("mindspore", event.session_id, event.starts_attempt)
    return unknown


def group_by_tag(columns: Columns) -> list[tuple[int, Points]]:
    """Split columns into (number of the tag, its points in file order)."""
    rows = len(columns.tag)
    if not rows:
        return []
    largest = int(columns.tag.max())
    # NumPy sorts 16-bit keys by radix, four times as fast.
    keys = columns.tag.astype(np.uint16) if largest < 1 << 16 else columns.tag
    order = np.argsort(keys, kind="stable")
    points = Points(columns.step, columns.wall_time, columns.value).take(order)
    counts = np.bincount(columns.tag, minlength=largest + 1)
    ends = np.cumsum(counts)
    return [(tag, points.take(slice(ends[tag] - counts[tag], ends[tag]))) for tag in np.flatnonzero(counts).tolist()]
