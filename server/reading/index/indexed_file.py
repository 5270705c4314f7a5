"""What the index contains of one event file, and which part of the file it lacks."""

from collections.abc import Mapping
from typing import NamedTuple

from toposcope.server.places.place import OpenFile
from toposcope.server.reading.index.index import Index
from toposcope.server.reading.index.segment import Segment
from toposcope.server.reading.tag_table import Tag

_WORTH_WRITING_BYTES = 64 << 10
_MAX_SEGMENTS = 8


class _Indexed(NamedTuple):
    """The state of a file up to which the index contains it."""

    end: int
    rows: Mapping[Tag, int]
    large: int
    events: int
    damage: int
    verified: int
    segments: int


_NOTHING = _Indexed(0, {}, 0, 0, 0, 0, 0)


class IndexedFile:
    """Loads and stores the segments of one event file. Not thread-safe."""

    def __init__(self, index: Index, path: str) -> None:
        self._index = index
        self._path = path
        self._indexed = _NOTHING

    def forget(self) -> None:
        """Replace all segments with the next one: the file is read again from its start."""
        self._indexed = _NOTHING

    def load(self, file: OpenFile) -> list[Segment]:
        """Return the segments of the file.

        Raises:
            OSError: the file cannot be read.
        """
        segments = self._index.load(self._path, file)
        rows: dict[Tag, int] = {}
        for segment in segments:
            for tag, points in segment.series.items():
                rows[tag] = rows.get(tag, 0) + points.total
        if segments:
            large = sum(len(segment.large) for segment in segments)
            last = segments[-1]
            self._indexed = _Indexed(
                last.end, rows, large, last.counters.events, len(last.damage), last.verified, len(segments)
            )
        return segments

    def has_all(self, events: int, damage: int, verified: int) -> bool:
        """Return whether the index lacks nothing that was read of a file, except heartbeats.

        Args:
            events: how many events were read.
            damage: how many damaged places were found.
            verified: how many of its large records were verified.
        """
        return (events, damage, verified) == (self._indexed.events, self._indexed.damage, self._indexed.verified)

    def is_worth_storing(self, end: int) -> bool:
        """Return whether so much was read up to `end` that it should be stored even if the file is still growing."""
        return end - self._indexed.end >= max(_WORTH_WRITING_BYTES, self._indexed.end // 8)

    @property
    def is_writable(self) -> bool:
        """Whether it is worth trying to store something."""
        return self._index.is_writable

    def store(self, whole: Segment) -> bool:
        """Write what the index lacks; return whether it was written.

        Args:
            whole: what was read of the file, from its start.
        """
        indexed = self._indexed if self._indexed.segments < _MAX_SEGMENTS else _NOTHING
        new = {tag: points.take(slice(indexed.rows.get(tag, 0), None)) for tag, points in whole.series.items()}
        segment = whole._replace(
            start=indexed.end,
            series={tag: points for tag, points in new.items() if points.total},
            large=whole.large[indexed.large :],
        )
        if not self._index.store(self._path, segment):
            return False
        rows = {tag: points.total for tag, points in whole.series.items()}
        self._indexed = _Indexed(
            whole.end,
            rows,
            len(whole.large),
            whole.counters.events,
            len(whole.damage),
            whole.verified,
            indexed.segments + 1,
        )
        return True
