"""Event files after kill -9 at a random time of a recording."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from toposcope.proto import framing
from toposcope.proto.summary_pb2 import Event, RecordingEnd, Summary
from toposcope.recorder import SummaryRecord

KILLS = 54
# One file, many records per file, and a separate file for each large record.
FILE_SIZES = (None, 1 << 20, 10_000)
TRAINING = """
import numpy as np
from toposcope.recorder import SummaryRecord

NOISE = np.random.default_rng(0).random((2, 64, 256), np.float32)

def train(recorder, step):
    recorder.add_value("scalar", "loss", step / 3)
    if step % 4 == 1:
        recorder.add_value("tensor", "weights", NOISE * step)
    if step % 4 == 2:
        recorder.add_value("histogram", "gradients", NOISE[0] * step)
    if step % 16 == 3:
        recorder.add_value("image", "input", NOISE[0, :64, :64] * step)
    return recorder.record(step)
"""
# Children are forked from a process with all modules imported, two at a time, and report each flush through a pipe.
KILLER = """
import itertools, json, os, random, select, signal, struct, sys, tempfile, time

def record(directory, max_file_size, on_backlog, reports):
    recorder = SummaryRecord(directory, max_file_size=max_file_size, flush_seconds=0.002, on_backlog=on_backlog)
    for step in itertools.count():
        train(recorder, step)
        if step % 7 == 0:
            recorder.flush()
            os.write(reports, struct.pack("<q", step))

def start(number):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        record(f"{sys.argv[1]}/{number:02}", SIZES[number % len(SIZES)], ("wait", "drop")[number % 2], writing)
    os.close(writing)
    return child, reading

def kill(child, reading):
    # Some are killed before their first flush.
    if random.random() < 0.9:
        select.select([reading], [], [], 30)
    time.sleep(random.uniform(0, 0.03))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as reports:
        flushed = [step for step, in struct.iter_unpack("<q", reports.read())]
    return os.WTERMSIG(status), flushed[-1] if flushed else -1

# Imports all modules, also Pillow's writer; close() ends the only thread.
with tempfile.TemporaryDirectory() as directory, SummaryRecord(directory) as recorder:
    for step in range(4):
        train(recorder, step)

SIZES = json.loads(sys.argv[2])
endings = []
for number in range(0, int(sys.argv[3]), 2):
    started = [start(number), start(number + 1)]
    endings += [kill(*child) for child in started]
print(json.dumps(endings))
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, int]:
    """Return the directories of killed recordings, with the last step that each has reported as flushed."""
    root = tmp_path_factory.mktemp("killed")
    command = [sys.executable, "-c", TRAINING + KILLER, root, json.dumps(FILE_SIZES), KILLS]
    printed = subprocess.run([*map(str, command)], check=True, stdout=subprocess.PIPE, text=True, timeout=120).stdout
    endings = json.loads(printed)
    assert [signal for signal, _ in endings] == [9] * KILLS
    return {root / f"{number:02}": flushed for number, (_, flushed) in enumerate(endings)}


def read_complete_records(path: Path) -> tuple[list[Event], int]:
    """Return the events of a file, with verified checksums, and the size of an incomplete record at the end."""
    content = memoryview(path.read_bytes())
    events, start = [], 0
    while len(content) - start >= framing.HEADER_BYTES:
        header = framing.read_header(bytes(content[start : start + framing.HEADER_BYTES]))
        assert framing.header_is_sound(header), f"{path} is damaged at byte {start}"
        end = start + framing.HEADER_BYTES + header.length + framing.FOOTER_BYTES
        if end > len(content):
            break
        payload = bytes(content[start + framing.HEADER_BYTES : end - framing.FOOTER_BYTES])
        assert content[start:end] == framing.frame(payload), f"{path} is damaged at byte {start}"
        events.append(Event.FromString(payload))
        start = end
    return events, len(content) - start


def read_killed(directory: Path) -> list[Event]:
    """Return the events of all files of a recording; verify their heads, and that only the newest is incomplete."""
    paths = sorted(directory.iterdir()) if directory.exists() else []
    events: list[Event] = []
    for rotation, path in enumerate(paths):
        file_events, incomplete = read_complete_records(path)
        assert incomplete == 0 or path == paths[-1]
        assert file_events or path == paths[-1]
        assert [head.rotation for head in file_events[:1]] in ([rotation], [])
        events += file_events[1:]
    return events


def values_of(summary: Summary) -> list[tuple[str, float] | Summary.Value]:
    """Return the values of an event; scalars as numbers, as they may be stored with an unnecessary double."""
    return [
        (value.tag, value.scalar_double if value.HasField("scalar_double") else value.scalar_value)
        if value.HasField("scalar_value")
        else value
        for value in summary.value
    ]


@pytest.fixture(scope="module")
def survivors(killed: dict[Path, int]) -> dict[Path, list[Event]]:
    """Return the events of the killed recordings."""
    return {directory: read_killed(directory) for directory in killed}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory, survivors: dict[Path, list[Event]]) -> dict[int, Summary]:
    """Return the summaries by step that the same training records if it is not killed."""
    training: dict[str, Any] = {}
    exec(TRAINING, training)
    with SummaryRecord(tmp_path_factory.mktemp("uninterrupted")) as recorder:
        assert all(training["train"](recorder, step) for step in range(max(map(len, survivors.values()))))
    events, incomplete = read_complete_records(Path(recorder.log_dir))
    assert incomplete == 0
    *events, last = events[1:]
    assert last.end.state == RecordingEnd.STATE_FINISHED
    return {event.step: event.summary for event in events}


def test_flushed_records_survive(killed: dict[Path, int], survivors: dict[Path, list[Event]]) -> None:
    """After kill -9 the steps have no gap, and all steps before the last flush() are present."""
    assert sum(flushed >= 0 for flushed in killed.values()) > KILLS / 2
    for directory, events in survivors.items():
        assert [event.step for event in events] == list(range(len(events))), directory
        assert len(events) > killed[directory], directory


def test_killed_recordings_have_no_end(survivors: dict[Path, list[Event]]) -> None:
    """A recording of a killed process never shows as finished, failed or interrupted."""
    assert not any(event.HasField("end") for events in survivors.values() for event in events)


def test_surviving_records_are_intact(survivors: dict[Path, list[Event]], uninterrupted: dict[int, Summary]) -> None:
    """Every record of a killed process contains the values that an uninterrupted one writes."""
    for directory, events in survivors.items():
        for event in events:
            assert values_of(event.summary) == values_of(uninterrupted[event.step]), (directory, event.step)
