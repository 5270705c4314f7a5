"""Fixtures of the interoperability checks in check_*.py, which pytest collects only in `make interop`."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.written_events import read_events

from toposcope.proto.summary_pb2 import Summary
from toposcope.recorder import SummaryRecord

Recorded = Callable[[str, object], Summary.Value]
IsSkipped = Callable[[str, object], bool]


@pytest.fixture
def recorded(tmp_path: Path) -> Recorded:
    """Return a function that records a value and returns it as read from the file."""

    def record(plugin: str, value: object) -> Summary.Value:
        (read_value,) = record_and_read(tmp_path, plugin, value)
        return read_value

    return record


@pytest.fixture
def is_skipped(tmp_path: Path) -> IsSkipped:
    """Return a function that records a value and returns whether it is missing in the file."""
    return lambda plugin, value: not record_and_read(tmp_path, plugin, value)


def record_and_read(directory: Path, plugin: str, value: object) -> list[Summary.Value]:
    """Record a value; return the values in the file: one, or none if it was skipped."""
    with SummaryRecord(directory) as recorder:
        recorder.add_value(plugin, "tag", value)
        is_recorded = recorder.record(1)
    values = [value for event in read_events(recorder.log_dir) for value in event.summary.value]
    assert len(values) == is_recorded
    return values
