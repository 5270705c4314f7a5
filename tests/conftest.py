"""Fixtures that more than one folder of tests uses."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from toposcope.proto import framing
from toposcope.proto.summary_pb2 import Event

# The arrays of tests are small: threads for them only hold up the other files that are tested meanwhile.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

with suppress(ModuleNotFoundError):  # Frameworks are checked without it.
    from hypothesis import settings

    # No example is timed: machines are noisy. For longer: pytest --hypothesis-profile thorough
    settings.register_profile("usual", deadline=None, max_examples=30)
    settings.register_profile("thorough", deadline=None, max_examples=5000)
    settings.load_profile("usual")

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
