"""Fixtures that more than one folder of tests uses."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from toposcope.proto import framing
from toposcope.proto.summary_pb2 import Event

with suppress(ModuleNotFoundError):  # Frameworks are checked without it.
    from hypothesis import settings

    # No test is timed: machines are noisy.
    settings.register_profile("untimed", deadline=None)
    settings.load_profile("untimed")

ReadEvents = Callable[[Path | str], list[Event]]


def _read_events(path: Path | str) -> list[Event]:
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


@pytest.fixture
def read_events() -> ReadEvents:
    """Return a function that reads the events of a whole file, checksums verified."""
    return _read_events
