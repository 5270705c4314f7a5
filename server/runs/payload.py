"""Payloads of a run's points, read from its event files when they are asked for."""

import os

from toposcope.proto.framing import HEADER_BYTES
from toposcope.server.reading.record import payload_bytes, payload_is_sound, read_at
from toposcope.server.reading.scan import LARGE_RECORD_BYTES
from toposcope.server.reading.series import Payloads
from toposcope.server.runs.run import RunView


class PayloadError(ValueError):
    """A payload that cannot be had: its record is damaged, or its file changed or went away."""


def read_payload(run: RunView, payloads: Payloads, row: int) -> bytes:
    """Read the payload of one point, verified.

    Args:
        run: the run that the points belong to.
        payloads: points of one of its series.
        row: which of them.

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
        whole = payload_bytes(read, record)
        fits = whole is not None and start + length <= HEADER_BYTES + whole
        if whole is None or not fits or os.fstat(descriptor).st_ino != file.inode:
            raise PayloadError(f"{where}: the event file was replaced or cut short")
        is_verified = record < file.verified_until and whole >= LARGE_RECORD_BYTES
        if not is_verified and not payload_is_sound(read, record, whole):
            raise PayloadError(f"{where}: the record is damaged, its checksum does not fit its bytes")
        content = read(record + start, length)
    except OSError as error:
        raise PayloadError(f"{where}: the event file cannot be read: {error.strerror}") from None
    finally:
        os.close(descriptor)
    if len(content) < length:
        raise PayloadError(f"{where}: the event file was cut short")
    return content
