"""Reads the events of a file and verifies their checksums."""

from collections.abc import Callable
from pathlib import Path

from toposcope.proto import framing, tensorboard_pb2
from toposcope.proto.summary_pb2 import Event

ReadEvents = Callable[[Path | str], list[Event]]


def read_events(path: Path | str) -> list[Event]:
    """Return the version event of a file and the events with values, without marks such as the end of the recording."""
    return [event for event in read_all_events(path) if event.WhichOneof("what")]


def read_all_events(path: Path | str) -> list[Event]:
    """Return all events of a file; a damaged record fails the test."""
    return [Event.FromString(payload) for payload in read_payloads(path)]


def read_tensorboard_events(path: Path | str) -> list[tensorboard_pb2.Event]:
    """Return all events of a file in TensorBoard's dialect; a damaged record fails the test."""
    return [tensorboard_pb2.Event.FromString(payload) for payload in read_payloads(path)]


def read_payloads(path: Path | str) -> list[bytes]:
    """Return the payloads of all records of a file; a damaged record fails the test."""
    content = Path(path).read_bytes()
    payloads, start = [], 0
    while start < len(content):
        header = framing.read_header(content[start : start + framing.HEADER_BYTES])
        payload = content[start + framing.HEADER_BYTES :][: header.length]
        record = framing.frame(payload)
        assert content[start : start + len(record)] == record, f"{path} is damaged at byte {start}"
        payloads.append(payload)
        start += len(record)
    return payloads
