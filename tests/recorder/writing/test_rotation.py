"""Recordings with max_file_size, written by the recorder and read by a real server."""

import csv
import io
import json
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import servers
from support.written_events import ReadEvents

from toposcope.proto.file_name import parse_file_name
from toposcope.proto.summary_pb2 import Event
from toposcope.recorder import Node, SummaryRecord, graph, train_lineage

LIMIT = 100_000
STEPS = 10_000


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record 10,000 steps of two scalars, and sometimes a histogram, to files of at most 100,000 bytes."""
    directory = tmp_path_factory.mktemp("logdir") / "run"
    with SummaryRecord(directory, max_file_size=LIMIT, network=graph([Node("x", "Parameter")])) as recorder:
        first = recorder.log_dir
        recorder.add_value("train_lineage", "train", train_lineage(optimizer="Adam"))
        for step in range(STEPS):
            recorder.add_value("scalar", "loss", 1 / (1 + step))
            recorder.add_value("scalar", "accuracy", step / STEPS)
            if step % 100 == 0:
                recorder.add_value("histogram", "weights", np.arange(1000) + step)
            assert recorder.record(step)
        recorder.flush()
        last = recorder.log_dir
    assert (first, last) == (str(summaries(directory)[0]), str(summaries(directory)[-1]))
    return directory


def summaries(directory: Path) -> list[Path]:
    """Return the files of summaries in order of name."""
    return sorted(directory.glob("*_MS"))


@pytest.fixture(scope="module")
def url(run: Path) -> Iterator[str]:
    """Serve the run."""
    process, url = servers.start(run.parent)
    yield url
    servers.stop(process)


def test_every_file_respects_the_limit(run: Path) -> None:
    """Each file except the last is as full as its records allow."""
    sizes = [path.stat().st_size for path in summaries(run)]

    assert len(sizes) > 5
    assert max(sizes) <= LIMIT
    assert min(sizes[:-1]) > LIMIT - 5000


def test_every_file_is_readable_on_its_own(run: Path, read_events: ReadEvents) -> None:
    """Each starts with a version event with the session and its number; graph and lineage are not repeated."""
    contents: list[list[Event]] = [read_events(path) for path in summaries(run)]

    heads = [events[0] for events in contents]
    assert [head.rotation for head in heads] == list(range(len(heads)))
    assert {(head.version, head.session_id) for head in heads} == {("MindSpore.Event:1", heads[0].session_id)}
    assert sum(event.HasField("graph_def") for events in contents for event in events) == 1
    assert len(list(run.glob("*_lineage"))) == 1


def test_names_are_unique_and_increasing(run: Path) -> None:
    """Names are in order even if several rotations happen within one second."""
    names = [parse_file_name(path.name) for path in summaries(run)]

    seconds = [name.seconds for name in names if name]
    assert seconds == sorted(set(seconds))


def test_nothing_is_lost(run: Path, read_events: ReadEvents) -> None:
    """The steps are complete and in order across the files."""
    events = [event for path in summaries(run) for event in read_events(path) if event.HasField("summary")]

    assert [event.step for event in events] == list(range(STEPS))
    assert sum(value.HasField("histogram") for event in events for value in event.summary.value) == STEPS // 100


def test_server_reads_all_steps_in_order(run: Path, url: str) -> None:
    """The rotated files are one run with one attempt, in which every point is kept and exact."""

    def runs() -> list[dict[str, Any]]:
        with urllib.request.urlopen(f"{url}api/runs") as reply:
            listed = json.load(reply)  # The last file may be read before the others.
        return [] if listed["loading"] else [run for run in listed["runs"] if run["last_step"] == STEPS - 1]

    (entry,) = servers.wait_until(runs)
    with urllib.request.urlopen(f"{url}api/scalars.csv?tag=loss") as reply:
        rows = list(csv.DictReader(io.TextIOWrapper(reply)))

    assert entry["attempts"] == 1
    assert [(int(row["step"]), float(row["value"])) for row in rows] == [
        (step, 1 / (1 + step)) for step in range(STEPS)
    ]


def test_lineage_files_respect_the_limit(tmp_path: Path) -> None:
    """A lineage file is limited separately, and followed by another one."""
    with SummaryRecord(tmp_path, max_file_size=200) as recorder:
        for step in range(10):
            recorder.add_value("train_lineage", "train", train_lineage(network="n" * 50, epoch=step))
            recorder.record(step)

    sizes = [path.stat().st_size for path in tmp_path.glob("*_lineage")]
    assert len(sizes) > 1
    assert max(sizes) <= 200


def test_value_larger_than_the_limit_is_in_a_separate_file(
    tmp_path: Path, read_events: ReadEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A value larger than the limit is written in order, like any other."""
    monkeypatch.setattr(sys, "argv", ["train.py"])  # It is in each version event, which takes a part of the limit.
    with SummaryRecord(tmp_path, max_file_size=1000) as recorder:
        for step in range(4):
            recorder.add_value("tensor", "x", np.zeros(1000 if step == 2 else 1, np.float32))
            recorder.record(step)

    contents = [read_events(path)[1:] for path in summaries(tmp_path)]
    assert [[event.step for event in events] for events in contents] == [[0, 1], [2], [3]]


def test_version_event_larger_than_the_limit_leaves_one_value_a_file(
    tmp_path: Path, read_events: ReadEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a command line as long as the limit, nothing is lost: each file contains one event."""
    monkeypatch.setattr(sys, "argv", ["train.py", "x" * 1000])
    with SummaryRecord(tmp_path, max_file_size=1000) as recorder:
        for step in range(3):
            recorder.add_value("scalar", "x", 1.0)
            recorder.record(step)

    contents = [read_events(path)[1:] for path in summaries(tmp_path)]
    assert [[event.step for event in events] for events in contents] == [[0], [1], [2]]
