"""Reads the events of a file and verifies their checksums."""

from collections.abc import Callable
from pathlib import Path

from toposcope.proto import framing
from toposcope.proto.summary_pb2 import Event

ReadEvents = Callable[[Path | str], list[Event]]


def read_events(path: Path | str) -> list[Event]:
    """Return the version event of a file and the events with values, without marks such as the end of the recording."""
    return [event for event in read_all_events(path) if event.WhichOneof("what")]


def read_all_events(path: Path | str) -> list[Event]:
    """Return all events of a file; a damaged record fails the test."""
    content = Path(path).read_bytes()
    events, start = [], 0
    while start < len(content):
        header = framing.read_header(content[start : start + framing.HEADER_BYTES])
        payload = content[start + framing.HEADER_BYTES :][: header.length]
        record = framing.frame(payload)
        assert content[start : start + len(record)] == record, f"{path} is damaged at byte {start}"
        events.append(Event.FromString(payload))
        start += len(record)
    return events
