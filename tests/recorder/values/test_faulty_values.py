"""Recording of values whose methods fail."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.trainings import ReadEvents, add_all_kinds, read_sessions

from toposcope.recorder import SummaryRecord


class Unreadable:
    """A tensor whose device is lost."""

    shape: tuple[int, ...] = (3,)
    dtype = np.dtype(np.float32)

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        raise RuntimeError("device is lost")


class Garbage(Unreadable):
    """A tensor whose __array__() does not return an array."""

    def __array__(self, *_: object, **__: object) -> Any:
        return "garbage"


class Recursive(Unreadable):
    """A tensor whose conversion recurses infinitely."""

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        return np.asarray(self)


@pytest.mark.parametrize("plugin", ["scalar", "tensor", "histogram", "image"])
@pytest.mark.parametrize("value", [Unreadable(), Garbage(), Recursive()], ids=lambda value: type(value).__name__)
def test_value_that_cannot_be_read(
    tmp_path: Path, read_events: ReadEvents, caplog: pytest.LogCaptureFixture, plugin: str, value: Unreadable
) -> None:
    """A value that cannot be converted causes one warning per tag, loses no other values, and record() is False."""
    value.shape = (1,) if plugin == "scalar" else (4, 4, 3)
    with SummaryRecord(tmp_path) as recorder:
        for step in range(3):
            recorder.add_value(plugin, "broken", value)
            add_all_kinds(recorder, step)
            recorder.add_value(plugin, "broken too", value)
            assert recorder.record(step) is False

    (events,) = read_sessions(tmp_path, read_events)
    assert [event.step for event in events for _ in event.summary.value] == [0] * 5 + [1] * 5 + [2] * 5
    assert {value.tag.partition("/")[2] for event in events for value in event.summary.value} == {"0"}
    assert [len(caplog.records), caplog.text.count(" broken "), caplog.text.count(" broken too ")] == [2, 2, 1]


@pytest.mark.parametrize("plugin", ["scalar", "tensor", "histogram", "image"])
@pytest.mark.parametrize("dtype", ["O", "M8[s]", "U3", "S3", "V4", [("x", "f4")]], ids=str)
def test_value_of_an_unsupported_dtype(tmp_path: Path, read_events: ReadEvents, plugin: str, dtype: Any) -> None:
    """An array of other elements than numbers is rejected by add_value(); the other values are recorded."""
    with SummaryRecord(tmp_path) as recorder:
        with pytest.raises(TypeError):
            recorder.add_value(plugin, "unsupported", np.zeros(1 if plugin == "scalar" else (4, 4, 3), dtype))
        add_all_kinds(recorder, 1)
        assert recorder.record(1)

    (events,) = read_sessions(tmp_path, read_events)
    assert [len(event.summary.value) for event in events] == [5]
