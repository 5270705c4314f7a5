"""Trainings that tests run, in this process or a child process, and checks of their recordings."""

import re
import subprocess
import sys
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from toposcope.proto.summary_pb2 import Event
from toposcope.recorder import SummaryRecord

NEVER = 1e6
SLOW_SECONDS = 60
ReadEvents = Callable[[Path | str], list[Event]]
# The beginning of each training script that runs in a child process.
TRAINING = """
import gc, os, sys, threading, time, warnings
import numpy as np
warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of every fork of a multi-threaded process.
from pathlib import Path
from toposcope.recorder import SummaryRecord

def train(recorder, steps, kind="scalar"):
    outcomes = []
    for step in steps:
        recorder.add_value("scalar", "loss", step / 3)
        if kind == "tensor":
            recorder.add_value("tensor", "weights", np.full(1000, step, np.float32))
        outcomes.append(recorder.record(step))
    return outcomes
"""


def run_training(
    tmp_path: Path, script: str, *arguments: object, expected: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run TRAINING and script in a child process; assert its exit status and return its output."""
    path = tmp_path / "training.py"
    path.write_text(TRAINING + textwrap.dedent(script))
    command = [sys.executable, "-W", "error", str(path), *map(str, arguments)]
    process = subprocess.run(command, capture_output=True, text=True, timeout=SLOW_SECONDS)
    assert process.returncode == expected, process.stderr
    return process


def add_all_kinds(recorder: SummaryRecord, step: int, number: int = 0) -> None:
    """Add a value of every kind."""
    array = np.arange(300, dtype=np.float32).reshape(10, 10, 3) + step
    recorder.add_value("scalar", f"loss/{number}", step / 3)
    recorder.add_value("tensor", f"weights/{number}", array)
    recorder.add_value("histogram", f"gradients/{number}", array)
    recorder.add_value("image", f"input/{number}", array)
    recorder.add_value("text", f"note/{number}", f"step {step}")


def train(recorder: SummaryRecord, steps: Iterable[int]) -> list[bool]:
    """Record a scalar and a tensor at each step; return the results of record()."""
    outcomes = []
    for step in steps:
        recorder.add_value("scalar", "loss", step / 3)
        recorder.add_value("tensor", "weights", np.full(1000, step, np.float32))
        outcomes.append(recorder.record(step))
    return outcomes


def event_files(directory: Path) -> list[Path]:
    """Return the event files of a directory, oldest first."""
    return sorted(directory.glob("*.summary.*"))


def read_sessions(directory: Path, read_events: ReadEvents) -> list[list[Event]]:
    """Return the events of each recording in directory; assert that its rotation numbers are consecutive."""
    sessions: dict[bytes, list[Event]] = {}
    rotations: dict[bytes, list[int]] = defaultdict(list)
    for path in event_files(directory):
        head, *events = read_events(path)
        sessions.setdefault(head.session_id, []).extend(events)
        rotations[head.session_id].append(head.rotation)
    assert all(numbers == list(range(numbers[0], numbers[0] + len(numbers))) for numbers in rotations.values())
    return list(sessions.values())


def steps_in(directory: Path, read_events: ReadEvents) -> list[int]:
    """Return the steps of the only recording in directory; assert that its values are correct."""
    (events,) = read_sessions(directory, read_events)
    for event in events:
        for value in event.summary.value:
            if value.HasField("tensor"):
                assert np.array_equal(value.tensor.float_data, np.full(1000, event.step, np.float32))
            else:
                number = value.scalar_double if value.HasField("scalar_double") else value.scalar_value
                assert number == event.step / 3
    return [event.step for event in events]


def lost_in(log: str) -> int:
    """Return the number of lost events according to the log."""
    return sum(int(number) for number in re.findall(r"(\d+) recorded events are lost", log))
