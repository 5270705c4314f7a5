"""Reads back the events of a whole file, with their checksums verified."""

from collections.abc import Callable
from pathlib import Path

from toposcope.proto import framing
from toposcope.proto.summary_pb2 import Event

ReadEvents = Callable[[Path | str], list[Event]]


def read_events(path: Path | str) -> list[Event]:
    """Return the events of a file; a damaged one fails the test."""
    content = Path(path).read_bytes()
    events, start = [], 0
    while start < len(content):
        header = framing.read_header(content[start : start + framing.HEADER_BYTES])
        begin = start + framing.HEADER_BYTES
        payload = content[begin : begin + header.length]
        record = framing.frame(payload)
        assert content[start : start + len(record)] == record, f"{path} is damaged at byte {start}"
        events.append(Event.FromString(payload))
        start += len(record)
    return events
