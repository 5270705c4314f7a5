"""Fixtures of the interoperability checks in check_*.py, which pytest collects only in `make interop`."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.written_events import ReadEvents

from toposcope.proto.summary_pb2 import Summary
from toposcope.recorder import SummaryRecord

Recorded = Callable[[str, object], Summary.Value | None]


@pytest.fixture
def recorded(tmp_path: Path, read_events: ReadEvents) -> Recorded:
    """Return a function that records a value and returns it as read from the file; None if it was skipped."""

    def record(plugin: str, value: object) -> Summary.Value | None:
        with SummaryRecord(tmp_path) as recorder:
            recorder.add_value(plugin, "tag", value)
            is_recorded = recorder.record(1)
        values = [value for event in read_events(recorder.log_dir) for value in event.summary.value]
        assert len(values) == is_recorded
        return values[0] if values else None

    return record
