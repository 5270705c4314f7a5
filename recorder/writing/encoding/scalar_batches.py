"""Encodes many scalar events with the same tags together, column by column instead of event by event.

A training records the same tags at every step, so the records of consecutive steps differ in a few bytes only:
wall_time, step, values and checksum.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto.framing import FOOTER_BYTES, HEADER_BYTES, frame, masked_crcs
from toposcope.proto.wire import WireType, bytes_head, key

_Bytes = npt.NDArray[np.uint8]
_WALL_TIME = key(1, WireType.DOUBLE) + bytes(8)
_STEP = key(2, WireType.VARINT)
_SUMMARY, _VALUE, _TAG = 5, 1, 1
_DOUBLE = key(100, WireType.DOUBLE) + bytes(8)


class Batch(NamedTuple):
    """Events with the same tags, in order."""

    wall_times: Sequence[float]
    steps: Sequence[int]
    values: Iterable[Iterable[float]]
    """The values of each event, in the order of the tags."""


def batch_records(tags: Sequence[bytes], batch: Batch, scalar_field: int) -> list[bytes]:
    """Return one record per event of a batch.

    The content is what the generated classes would write, except that steps take the same number of bytes in all
    records, and that a tag that needs a double in any record has one in all. The float32 of a scalar is in the field
    scalar_field of Summary.Value.
    """
    steps = np.array(batch.steps, np.int64)
    flat = chain.from_iterable(batch.values)
    values = np.fromiter(flat, np.float64, len(steps) * len(tags)).reshape(len(steps), len(tags))
    with np.errstate(over="ignore"):
        singles = values.astype(np.float32)
    needs_double = ((singles != values) & (values == values)).any(axis=0)
    step_bytes = _varint_bytes(steps)
    record, offsets = _template(tags, needs_double, step_bytes, key(scalar_field, WireType.FLOAT) + bytes(4))
    rows = np.tile(np.frombuffer(record, np.uint8), (len(steps), 1))
    _put(rows, offsets.wall_time, np.array(batch.wall_times, "<f8"))
    rows[:, offsets.step : offsets.step + step_bytes.shape[1]] = step_bytes
    for column, offset in enumerate(offsets.values):
        _put(rows, offset, singles[:, column].astype("<f4"))
        if needs_double[column]:
            _put(rows, offset + len(_DOUBLE) - 8 + 4, values[:, column].astype("<f8"))
    _put(rows, len(record) - FOOTER_BYTES, masked_crcs(rows[:, HEADER_BYTES:-FOOTER_BYTES]))
    content = rows.tobytes()
    return [content[start : start + len(record)] for start in range(0, len(content), len(record))]


class _Offsets(NamedTuple):
    """Offsets in a record of the fields that differ between records."""

    wall_time: int
    step: int
    values: list[int]
    """The bits of each float32; the double, if there is one, follows with its key."""


def _template(
    tags: Sequence[bytes], needs_double: npt.NDArray[np.bool_], step_bytes: _Bytes, single: bytes
) -> tuple[bytes, _Offsets]:
    """Return a record with placeholders, and the offsets of the fields to fill in."""
    entries, ends = b"", []
    for tag, is_long in zip(tags, needs_double, strict=True):
        head = bytes_head(_TAG, len(tag)) + tag + single
        entry = head + (_DOUBLE if is_long else b"")
        start = bytes_head(_VALUE, len(entry))
        ends.append(len(entries) + len(start) + len(head))
        entries += start + entry
    event = _WALL_TIME + _STEP + bytes(step_bytes.shape[1]) + bytes_head(_SUMMARY, len(entries))
    before = HEADER_BYTES + len(event)
    offsets = _Offsets(
        HEADER_BYTES + len(_WALL_TIME) - 8, HEADER_BYTES + len(_WALL_TIME + _STEP), [before + end - 4 for end in ends]
    )
    return frame(event + entries), offsets


def _put(rows: _Bytes, offset: int, column: npt.NDArray[Any]) -> None:
    """Write one number to each row at the offset."""
    rows[:, offset : offset + column.itemsize] = column.view(np.uint8).reshape(len(column), column.itemsize)


def _varint_bytes(numbers: npt.NDArray[np.int64]) -> _Bytes:
    """Return numbers as varints of equal length, one per row; varints may be padded with zero groups."""
    length = 10 if numbers.min() < 0 else max(1, math.ceil(int(numbers.max()).bit_length() / 7))
    shifts = np.arange(0, 7 * length, 7, dtype=np.uint64)
    groups = (numbers.view(np.uint64)[:, np.newaxis] >> shifts) & np.uint64(0x7F)
    groups[:, :-1] |= np.uint64(0x80)
    return groups.astype(np.uint8)
