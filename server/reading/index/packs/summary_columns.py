"""The summaries of the scalar series in a pack, by tag: one metric of all files is read without their segments.

They are written in blocks of some thousand rows, so that writing needs memory for one block only. In a block the rows
of a tag follow one another.
"""

from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple

import google_crc32c
import numpy as np
import numpy.typing as npt

from toposcope.server.places.place import OpenFile
from toposcope.server.reading.index.segment import DamagedSegmentError
from toposcope.server.reading.series.series import Float64s, Int64s, Payloads, Points
from toposcope.server.reading.series.series_summary import (
    Extreme,
    NonFinitePoint,
    SeriesSummary,
    Statistic,
    all_finite,
    summarise,
)
from toposcope.server.reading.tag_table import Tag

_ROW = np.dtype(
    [
        ("file", "<u4"),
        ("has_finite", "u1"),
        ("has_non_finite", "u1"),
        ("unused", "<u2"),
        ("points", "<i8"),
        ("first_step", "<i8"),
        ("last", "<f8"),
        ("last_step", "<i8"),
        ("min", "<f8"),
        ("min_step", "<i8"),
        ("max", "<f8"),
        ("max_step", "<i8"),
        ("bad_step", "<i8"),
        ("bad_time", "<f8"),
        ("bad", "<f8"),
    ]
)
_BLOCK_ROWS = 32768
BYTES_OF_SUMMARY = _ROW.itemsize + 8
"""Bytes in memory of the summary of a file."""
_NO_EXTREME, _NO_POINT = Extreme(float("nan"), 0), NonFinitePoint(0, 0.0, 0.0)

Part = tuple[int, int, int]
"""Where the rows of a tag in a block are: their offset in the pack, how many there are, and their crc32c."""


class SummaryColumn(NamedTuple):
    """The summaries of one tag."""

    rows: npt.NDArray[Any]
    """One for each file that has points of the tag."""
    row_of: Int64s
    """Which of the rows is that of a file, by its number in the pack; -1: it has no points of the tag."""

    @property
    def nbytes(self) -> int:
        """Its size in memory."""
        return self.rows.nbytes + self.row_of.nbytes

    def summary(self, file: int) -> SeriesSummary | None:
        """Return the summary of a file, by its number in the pack; None if it has no points of the tag."""
        row = self.row_of.item(file)
        if row < 0:
            return None
        (_, has_finite, has_non_finite, _, points, first_step, last, last_step, *rest) = self.rows[row].item()
        low, low_step, high, high_step, *bad = rest
        return SeriesSummary(
            points,
            first_step,
            last,
            last_step,
            Extreme(low, low_step) if has_finite else None,
            Extreme(high, high_step) if has_finite else None,
            NonFinitePoint(*bad) if has_non_finite else None,
        )

    def statistic(self, files: Int64s, which: Statistic) -> tuple[Float64s, npt.NDArray[np.bool_]]:
        """Return (the last value or an extreme of some files, NaN if there is none; which of them have one)."""
        rows = self.row_of[files]
        present = rows >= 0
        if which != "last":
            present[present] = self.rows[rows[present]]["has_finite"] > 0
        values = np.full(len(rows), np.nan)
        values[present] = self.rows[rows[present]][which]
        return values, present


class SummaryWriter:
    """Writes the summaries of files to a pack.

    Args:
        out: the pack.
    """

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._rows: dict[Tag, list[tuple[float, ...]]] = {}
        self._count = 0
        self.parts: dict[Tag, list[Part]] = {}
        """Where the rows of each tag are."""

    def add(self, file: int, series: Mapping[Tag, Points | Payloads]) -> bool:
        """Add the summaries of a file, by its number in the pack; return whether all its values are finite."""
        is_finite = True
        for tag, points in series.items():
            if isinstance(points, Points) and points.total:
                is_finite = is_finite and all_finite(points.compact_value)
                self._rows.setdefault(tag, []).append(_row(file, summarise(points)))
                self._count += 1
        return is_finite

    def write(self, offset: int, *, is_last: bool = False) -> int:
        """Write a block at an offset of the pack if there are enough rows, or any at last; return its bytes."""
        if self._count < _BLOCK_ROWS and not is_last:
            return 0
        start = offset
        for tag, rows in self._rows.items():
            content = np.array(rows, _ROW).tobytes()
            self.parts.setdefault(tag, []).append((offset, len(rows), google_crc32c.value(content)))
            offset += self._out.write(content)
        self._rows, self._count = {}, 0
        return offset - start


def _row(file: int, summary: SeriesSummary) -> tuple[float, ...]:
    low, high = summary.min or _NO_EXTREME, summary.max or _NO_EXTREME
    bad = summary.first_non_finite or _NO_POINT
    flags = (summary.min is not None, summary.first_non_finite is not None, 0)
    return file, *flags, summary.points, summary.first_step, summary.last, summary.last_step, *low, *high, *bad


def read_column(pack: OpenFile, parts: list[Part], files: int) -> SummaryColumn:
    """Return the summaries of a tag.

    Args:
        pack: contains them.
        parts: where they are.
        files: how many the pack has.

    Raises:
        OSError: the pack cannot be read.
        DamagedSegmentError: they are damaged.
    """
    rows = np.empty(sum(count for _, count, _ in parts), _ROW)
    at = 0
    for offset, count, checksum in parts:
        content = rows[at : at + count].view(np.uint8)
        if pack.read_into(content.data, offset) < len(content) or google_crc32c.value(content.tobytes()) != checksum:
            raise DamagedSegmentError("the checksum of its summaries does not match")
        at += count
    row_of = np.full(files, -1, np.int64)
    row_of[rows["file"]] = np.arange(len(rows))
    return SummaryColumn(rows, row_of)
