"""What earlier recordings have left in a directory, read from the ends of their event files."""

import os

from google.protobuf.message import DecodeError

from toposcope.proto import framing
from toposcope.proto.file_name import parse_file_name
from toposcope.proto.summary_pb2 import Event

# Values recorded at the end of a training may take much more than its steps.
_TAILS = (1 << 16, 1 << 20)
_MAX_FILES = 16
_ZEROS = b"\0\0\0\0"
_MAX_CANDIDATES = 10_000


def last_recorded_step(directory: str, rank: int) -> int | None:
    """Return the last step above 0 that an earlier recording of a rank has in a directory; None if there is none.

    Only the last 64 KiB of the newest files are read, if they do not suffice the last MiB; no files of TensorBoard.
    """
    for path in _newest_files(directory, rank)[:_MAX_FILES]:
        try:
            step = _last_step_in(path)
        except OSError:
            continue
        if step:
            return step
    return None


def _newest_files(directory: str, rank: int) -> list[str]:
    """Return the event files of a rank, the newest first."""
    try:
        names = os.listdir(directory)
    except OSError:
        return []
    files = []
    for name in names:
        parsed = parse_file_name(name)
        if parsed and parsed.dialect == "mindspore" and parsed.rank == rank and not parsed.is_lineage:
            files.append((parsed.seconds, name))
    return [os.path.join(directory, name) for _, name in sorted(files, reverse=True)]


def _last_step_in(path: str) -> int | None:
    """Return the largest step of the summaries at the end of a file; None if there are none."""
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        for length in _TAILS:
            file.seek(max(0, size - length))
            if (step := _last_step(file.read(length))) is not None or size <= length:
                return step
    return None


def _last_step(tail: bytes) -> int | None:
    offset, steps = _next_record(tail, 0), [-1]
    while offset is not None:
        start = offset + framing.HEADER_BYTES
        end = start + framing.read_header(tail[offset:start]).length
        if end + framing.FOOTER_BYTES > len(tail):
            break
        steps.append(_step_of(tail[start:end]))
        offset = _next_record(tail, end + framing.FOOTER_BYTES)
    return max(steps) if max(steps) >= 0 else None


def _next_record(tail: bytes, offset: int) -> int | None:
    """Return the offset of the first sound header from an offset on; None if there is none."""
    # The last four of the eight bytes of a length are 0.
    for _ in range(_MAX_CANDIDATES):
        offset = tail.find(_ZEROS, offset + 4) - 4
        if offset < 0 or offset + framing.HEADER_BYTES > len(tail):
            return None
        if framing.header_is_sound(framing.read_header(tail[offset : offset + framing.HEADER_BYTES])):
            return offset
        offset += 1
    return None


def _step_of(payload: bytes) -> int:
    try:
        event = Event.FromString(payload)
    except DecodeError:
        return -1
    return event.step if event.HasField("summary") else -1
