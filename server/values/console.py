"""Output of a training: the lines in a ConsoleOutput message."""

from typing import NamedTuple

from google.protobuf.message import DecodeError

from toposcope.proto.summary_pb2 import ConsoleOutput

_STREAMS = {ConsoleOutput.STREAM_STDOUT: "stdout", ConsoleOutput.STREAM_STDERR: "stderr"}


class OutputLine(NamedTuple):
    """One line."""

    wall_time: float
    """Seconds since 1970."""
    stream: str
    """"stdout", "stderr" or "unknown"."""
    text: str


class Output(NamedTuple):
    """The lines of one message."""

    lines: list[OutputLine]
    dropped: int
    """Lines that were not recorded before these."""


def read_output(payload: bytes) -> Output:
    """Decode a message.

    Raises:
        ValueError: it is malformed.
    """
    try:
        message = ConsoleOutput.FromString(payload)
        lines = [
            OutputLine(line.wall_time, _STREAMS.get(line.stream, "unknown"), str(line.text)) for line in message.lines
        ]
    except (DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"the output is malformed: {error}") from None
    return Output(lines, max(0, message.dropped_lines))


def count_output(payload: bytes) -> tuple[int, int]:
    """Return the numbers of lines and of dropped lines in a message; (0, 0) if it is malformed."""
    try:
        message = ConsoleOutput.FromString(payload)
    except DecodeError:
        return 0, 0
    return len(message.lines), max(0, message.dropped_lines)
