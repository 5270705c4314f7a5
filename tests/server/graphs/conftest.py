"""Fixtures of the graph tests: the events of golden files."""

from collections.abc import Callable

import pytest
from support.event_files import GOLDEN

from toposcope.proto import framing
from toposcope.proto.tensorboard_pb2 import Event

GoldenEvents = Callable[[str], list[Event]]


def _golden_events(path: str) -> list[Event]:
    content, start = (GOLDEN / "tensorboard" / path).read_bytes(), 0
    events = []
    while start < len(content):
        begin = start + framing.HEADER_BYTES
        end = begin + framing.read_header(content[start:begin]).length
        events.append(Event.FromString(content[begin:end]))
        start = end + framing.FOOTER_BYTES
    return events


@pytest.fixture
def golden_events() -> GoldenEvents:
    """Return a function that reads the events of a golden TensorBoard file."""
    return _golden_events
