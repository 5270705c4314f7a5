"""Reads the payloads of a run's points from its event files on demand."""

import os
from collections.abc import Iterable, Iterator

from toposcope.proto.framing import HEADER_BYTES
from toposcope.server.budget.bounded_access import BoundedAccess
from toposcope.server.places.place import OpenFile, is_gone, reason_of
from toposcope.server.reading.records.record import payload_bytes, payload_is_sound
from toposcope.server.reading.scan import LARGE_RECORD_BYTES
from toposcope.server.reading.series.series import Payloads
from toposcope.server.runs.run import RunView

_MAX_READERS = 16
_WAIT_SECONDS = 1.0
READERS = BoundedAccess(_MAX_READERS, _WAIT_SECONDS, f"the disk does not answer {_MAX_READERS} other reads")
"""A disk that does not answer blocks so many of the threads that answer requests, and not all of them."""


class PayloadError(ValueError):
    """The payload is lost: its record is damaged, or its file was changed or removed."""


def read_payload(run: RunView, payloads: Payloads, row: int) -> bytes:
    """Read and verify the payload of one point.

    Args:
        run: the run that the points belong to.
        payloads: points of one of its series.
        row: index of the point.

    Raises:
        PayloadError: the record is damaged or no longer there.
        OSError: it cannot be read at present.
    """
    with READERS.admitted():
        opened = _open(run, payloads, row)
        try:
            return _read_open(run, payloads, row, opened)
        finally:
            opened.close()


def read_payloads(run: RunView, payloads: Payloads, rows: Iterable[int]) -> Iterator[bytes | PayloadError]:
    """Read and verify the payloads of many points; each file is opened once if the rows are in file order.

    Args:
        run: the run that the points belong to.
        payloads: points of one of its series.
        rows: indices of the points.

    Yields:
        The payload, or the reason why it is lost.

    Raises:
        OSError: one cannot be read at present.
    """
    number = -1
    opened: OpenFile | None = None
    with READERS.admitted():
        try:
            for row in rows:
                if number != (number := int(payloads.file[row])) and opened is not None:
                    opened.close()
                    opened = None
                try:
                    opened = opened or _open(run, payloads, row)
                    payload = _read_open(run, payloads, row, opened)
                except PayloadError as error:
                    yield error
                else:
                    yield payload
        finally:
            if opened is not None:
                opened.close()


def _open(run: RunView, payloads: Payloads, row: int) -> OpenFile:
    file = run.files[int(payloads.file[row])]
    try:
        return file.place.open(file.path)
    except OSError as error:
        raise _failure(run, payloads, row, error) from None


def _failure(run: RunView, payloads: Payloads, row: int, error: OSError) -> PayloadError | OSError:
    """Return the error to raise if the file cannot be opened or read."""
    if is_gone(error):
        return PayloadError(f"{_place(run, payloads, row)}: the event file was removed")
    return OSError(error.errno, f"{_place(run, payloads, row)}: the event file cannot be read: {reason_of(error)}")


def _place(run: RunView, payloads: Payloads, row: int) -> str:
    file, record = run.files[int(payloads.file[row])], int(payloads.record[row])
    return f"step {int(payloads.step[row])} of run {run.name!r}, {os.path.basename(file.path)} at {record}"


def _read_open(run: RunView, payloads: Payloads, row: int, opened: OpenFile) -> bytes:
    file = run.files[int(payloads.file[row])]
    record, start, length = (int(column[row]) for column in (payloads.record, payloads.start, payloads.length))
    try:
        read = opened.read
        size = payload_bytes(read, record)
        is_inside = size is not None and start + length <= HEADER_BYTES + size
        if size is None or not is_inside or opened.status.inode != file.inode:
            raise PayloadError(f"{_place(run, payloads, row)}: the event file was replaced or truncated")
        is_verified = record < file.verified_until and size >= LARGE_RECORD_BYTES
        if not is_verified and not payload_is_sound(read, record, size):
            raise PayloadError(f"{_place(run, payloads, row)}: the record is damaged: its checksum does not match")
        content = read(record + start, length)
    except OSError as error:
        raise _failure(run, payloads, row, error) from None
    if len(content) < length:
        raise PayloadError(f"{_place(run, payloads, row)}: the event file was truncated")
    return content
