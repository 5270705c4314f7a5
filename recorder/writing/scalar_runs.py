"""Many scalar events of the same tags as records at once: the columns of an array instead of a loop over events.

A training records the same tags at every step, so that the records of a run of steps differ in a few bytes: wall_time,
step, values and checksum.
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
_SINGLE = key(3, WireType.FLOAT) + bytes(4)
_DOUBLE = key(100, WireType.DOUBLE) + bytes(8)


class Run(NamedTuple):
    """Events of the same tags, in order."""

    wall_times: Sequence[float]
    steps: Sequence[int]
    values: Iterable[Iterable[float]]
    """For each event the values, in the order of the tags."""


def run_records(tags: Sequence[bytes], run: Run) -> list[bytes]:
    """Return the records of a run, one an event.

    They hold what the generated classes would write; but steps take the same number of bytes in all records, and a
    tag has a double in all records when it needs one in any.
    """
    steps = np.array(run.steps, np.int64)
    flat = chain.from_iterable(run.values)
    values = np.fromiter(flat, np.float64, len(steps) * len(tags)).reshape(len(steps), len(tags))
    with np.errstate(over="ignore"):
        singles = values.astype(np.float32)
    needs_double = ((singles != values) & (values == values)).any(axis=0)
    step_bytes = _varint_bytes(steps)
    record, places = _template(tags, needs_double, step_bytes)
    rows = np.tile(np.frombuffer(record, np.uint8), (len(steps), 1))
    _put(rows, places.wall_time, np.array(run.wall_times, "<f8"))
    rows[:, places.step : places.step + step_bytes.shape[1]] = step_bytes
    for column, place in enumerate(places.values):
        _put(rows, place, singles[:, column].astype("<f4"))
        if needs_double[column]:
            _put(rows, place + len(_DOUBLE) - 8 + 4, values[:, column].astype("<f8"))
    _put(rows, len(record) - FOOTER_BYTES, masked_crcs(rows[:, HEADER_BYTES:-FOOTER_BYTES]))
    content = rows.tobytes()
    return [content[at : at + len(record)] for at in range(0, len(content), len(record))]


class _Places(NamedTuple):
    """Where in a record the things are that differ."""

    wall_time: int
    step: int
    values: list[int]
    """Of the float32; the double, if there is one, stands behind its key."""


def _template(tags: Sequence[bytes], needs_double: npt.NDArray[np.bool_], step_bytes: _Bytes) -> tuple[bytes, _Places]:
    """Return the record that all records are like, and where they differ."""
    entries, ends = b"", []
    for tag, is_long in zip(tags, needs_double, strict=True):
        head = bytes_head(_TAG, len(tag)) + tag + _SINGLE
        entry = head + (_DOUBLE if is_long else b"")
        start = bytes_head(_VALUE, len(entry))
        ends.append(len(entries) + len(start) + len(head))
        entries += start + entry
    event = _WALL_TIME + _STEP + bytes(step_bytes.shape[1]) + bytes_head(_SUMMARY, len(entries))
    before = HEADER_BYTES + len(event)
    places = _Places(
        HEADER_BYTES + len(_WALL_TIME) - 8, HEADER_BYTES + len(_WALL_TIME + _STEP), [before + end - 4 for end in ends]
    )
    return frame(event + entries), places


def _put(rows: _Bytes, at: int, column: npt.NDArray[Any]) -> None:
    """Write a number into each row."""
    rows[:, at : at + column.itemsize] = column.view(np.uint8).reshape(len(column), column.itemsize)


def _varint_bytes(numbers: npt.NDArray[np.int64]) -> _Bytes:
    """Return numbers as varints of one length, a row each; zeroes at the end are allowed in a varint."""
    length = 10 if numbers.min() < 0 else max(1, math.ceil(int(numbers.max()).bit_length() / 7))
    shifts = np.arange(0, 7 * length, 7, dtype=np.uint64)
    groups = (numbers.view(np.uint64)[:, np.newaxis] >> shifts) & np.uint64(0x7F)
    groups[:, :-1] |= np.uint64(0x80)
    return groups.astype(np.uint8)
