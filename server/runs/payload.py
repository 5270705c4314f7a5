"""Reads the payloads of a run's points from its event files on demand."""

import os

from toposcope.proto.framing import HEADER_BYTES
from toposcope.server.reading.record import payload_bytes, payload_is_sound, read_at
from toposcope.server.reading.scan import LARGE_RECORD_BYTES
from toposcope.server.reading.series import Payloads
from toposcope.server.runs.run import RunView


class PayloadError(ValueError):
    """The payload cannot be read: its record is damaged, or its file was changed or removed."""


def read_payload(run: RunView, payloads: Payloads, row: int) -> bytes:
    """Read and verify the payload of one point.

    Args:
        run: the run that the points belong to.
        payloads: points of one of its series.
        row: index of the point.

    Raises:
        PayloadError: the record is damaged or no longer there.
    """
    file = run.files[int(payloads.file[row])]
    record, start, length = (int(column[row]) for column in (payloads.record, payloads.start, payloads.length))
    where = f"step {int(payloads.step[row])} of run {run.name!r}, {os.path.basename(file.path)} at {record}"
    try:
        descriptor = os.open(file.path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise PayloadError(f"{where}: the event file cannot be opened: {error.strerror}") from None
    try:
        read = read_at(descriptor)
        size = payload_bytes(read, record)
        is_inside = size is not None and start + length <= HEADER_BYTES + size
        if size is None or not is_inside or os.fstat(descriptor).st_ino != file.inode:
            raise PayloadError(f"{where}: the event file was replaced or truncated")
        is_verified = record < file.verified_until and size >= LARGE_RECORD_BYTES
        if not is_verified and not payload_is_sound(read, record, size):
            raise PayloadError(f"{where}: the record is damaged: its checksum does not match")
        content = read(record + start, length)
    except OSError as error:
        raise PayloadError(f"{where}: the event file cannot be read: {error.strerror}") from None
    finally:
        os.close(descriptor)
    if len(content) < length:
        raise PayloadError(f"{where}: the event file was truncated")
    return content
