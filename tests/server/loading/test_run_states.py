"""States of runs that real processes record, as a real server shows them."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.event_files import NAME, end_event, heartbeat_event, scalar_event, version_event
from support.servers import SLOW_SECONDS, Serve, run, wait_until

import toposcope.server
from toposcope.proto import framing, summary_pb2

RECORDER = """
import sys
from toposcope.recorder import SummaryRecord
with SummaryRecord(sys.argv[1], heartbeat_seconds=0.3, flush_seconds=0.02) as recorder:
    recorder.add_value("scalar", "loss", 1.0)
    recorder.record(1)
    recorder.flush()
    print("flushed", flush=True)
    exec(sys.stdin.readline())
"""
KILLED_BY = {"SIGKILL": signal.SIGKILL, "SIGTERM": signal.SIGTERM}

Train = Callable[..., subprocess.Popen[str]]
"""Starts a recording process in a directory, with environment variables; returns when it has recorded a value."""


@pytest.fixture
def train() -> Iterator[Train]:
    """Return a function that starts a recording process."""
    processes: list[subprocess.Popen[str]] = []

    def start(folder: Path, **variables: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", RECORDER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **variables},
        )
        processes.append(process)
        assert process.stdout
        assert process.stdout.readline() == "flushed\n"
        return process

    yield start
    for process in processes:
        process.kill()
        process.communicate(timeout=SLOW_SECONDS)


def finish(process: subprocess.Popen[str], statement: str = "pass") -> None:
    """Make a recording process execute a statement, and wait for its end."""
    process.communicate(statement + "\n", timeout=SLOW_SECONDS)


def row_of(client: httpx.Client, name: str = "a") -> dict[str, Any]:
    """Return the entry of a run in /api/runs; an empty state if there is none."""
    rows = client.get("api/runs").raise_for_status().json()["runs"]
    return next((row for row in rows if row["run"] == name), {"state": None})


def has_phase(client: httpx.Client, phase: str) -> bool:
    """Return whether the run "a" has a phase."""
    return bool(row_of(client)["phase"] == phase)


def wait_for(client: httpx.Client, state: str, name: str = "a") -> dict[str, Any]:
    """Wait until a run has a state; return its entry in /api/runs."""
    wait_until(lambda: row_of(client, name)["state"] == state)
    return row_of(client, name)


def write_file(folder: Path, *records: bytes, heartbeat_seconds: float = 30.0, quiet: float = 0.0) -> Path:
    """Write a file of a recording, last written some seconds ago; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    start = summary_pb2.RecordingStart(host="node", process_id=7, heartbeat_seconds=heartbeat_seconds)
    path = folder / NAME.format(seconds=1, rank=0)
    path.write_bytes(version_event(1.0, b"session", start=start) + b"".join(records))
    os.utime(path, (time.time() - quiet, time.time() - quiet))
    return path


def append(path: Path, content: bytes) -> None:
    """Append bytes to a file."""
    with path.open("ab", buffering=0) as file:
        file.write(content)


@pytest.fixture
def live(tmp_path: Path, serve: Serve) -> httpx.Client:
    """Serve an empty logdir, `tmp_path / "runs"`."""
    (tmp_path / "runs").mkdir()
    return serve(tmp_path / "runs", "--reload-interval", "0.2", "--index-dir", str(tmp_path / "index"))


@pytest.mark.parametrize(
    ("statement", "state", "error"),
    [
        ("pass", "finished", None),
        ("raise ValueError('the loss is not finite')", "failed", ("ValueError", "the loss is not finite")),
        ("raise KeyboardInterrupt", "interrupted", ("KeyboardInterrupt", "")),
    ],
)
def test_end_of_a_process_is_shown(
    tmp_path: Path, live: httpx.Client, train: Train, statement: str, state: str, error: tuple[str, str] | None
) -> None:
    """A process runs until it ends; then the run says how, when and by which exception."""
    process = train(tmp_path / "runs" / "a")
    row = wait_for(live, "running")
    assert (row["ended"], row["error"], row["recordings"][0]["process_id"]) == (None, None, process.pid)

    finish(process, statement)

    row = wait_for(live, state)
    assert row["ended"] >= row["updated"]
    assert (row["error"] and (row["error"]["type"], row["error"]["text"])) == error
    if error:
        assert row["error"]["traceback"].splitlines()[-1].startswith(error[0])
    assert [each["state"] for each in row["recordings"]] == [state]


@pytest.mark.parametrize("name", KILLED_BY)
def test_killed_process_is_lost(tmp_path: Path, live: httpx.Client, train: Train, name: str) -> None:
    """Nothing says how it ended; `ended` is the time of the last write. A process that resumes makes the run live."""
    killed = train(tmp_path / "runs" / "a")
    wait_for(live, "running")
    killed.send_signal(KILLED_BY[name])
    killed.wait(SLOW_SECONDS)

    row = wait_for(live, "lost")
    (path,) = (tmp_path / "runs" / "a").iterdir()
    assert row["ended"] == path.stat().st_mtime
    assert row["error"] is None

    resumed = train(tmp_path / "runs" / "a")
    wait_until(lambda: [each["state"] for each in row_of(live)["recordings"]] == ["lost", "running"])
    wait_for(live, "running")
    finish(resumed)
    wait_for(live, "finished")


def test_stopped_process_is_lost_until_it_continues(tmp_path: Path, live: httpx.Client, train: Train) -> None:
    """A process that SIGSTOP suspends writes no heartbeats."""
    process = train(tmp_path / "runs" / "a")
    wait_for(live, "running")
    process.send_signal(signal.SIGSTOP)
    wait_for(live, "lost")
    process.send_signal(signal.SIGCONT)
    wait_for(live, "running")


def test_killed_rank_makes_the_run_lost(tmp_path: Path, live: httpx.Client, train: Train) -> None:
    """Of two ranks one is killed: the run is lost, and the other rank's state is beside it."""
    ranks = [train(tmp_path / "runs" / "a", RANK=str(rank)) for rank in (0, 1)]
    wait_for(live, "running")

    ranks[1].kill()

    wait_for(live, "lost")
    by_rank = [(0, "running"), (1, "lost")]
    wait_until(lambda: [(each["rank"], each["state"]) for each in row_of(live)["recordings"]] == by_rank)
    finish(ranks[0])
    wait_until(lambda: [each["state"] for each in row_of(live)["recordings"]] == ["finished", "lost"])
    assert row_of(live)["state"] == "lost"


class Stream:
    """The updates that a server sends, collected in a thread."""

    def __init__(self, client: httpx.Client) -> None:
        self.updates: list[dict[str, Any]] = []
        self._client = client
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        wait_until(lambda: self.updates)

    def _run(self) -> None:
        with httpx.stream("GET", f"{self._client.base_url}api/updates", timeout=None) as stream:
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    self.updates.append(json.loads(line.removeprefix("data: ")))


@pytest.mark.parametrize("is_polling", [False, True])
def test_heartbeats_change_nothing(tmp_path: Path, live: httpx.Client, is_polling: bool) -> None:
    """No revision, no update, no refetch, the same `updated`, and no segment of the index; only the phase follows."""
    if is_polling:  # What is behind a link is not reported.
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "runs" / "linked").symlink_to(tmp_path / "elsewhere")
    path = write_file(tmp_path / "runs" / "a", scalar_event(2.0, 1, {"loss": 1.0}))
    before = wait_for(live, "running")
    segments = tmp_path / "index"
    wait_until(lambda: list(segments.rglob("*-*-*")))
    revision = live.get("api/runs").json()["revision"]
    stream = Stream(live)

    for number, phase in enumerate(["training", "evaluating", "saving"] * 2, 1):
        append(path, heartbeat_event(100.0 + number, f"PHASE_{phase.upper()}"))
        wait_until(partial(has_phase, live, phase))

    assert live.get("api/runs").json()["revision"] == revision
    assert row_of(live) | {"phase": None, "recordings": 0} == before | {"recordings": 0}
    for address in ("api/overview?metric=loss", "api/scalars?tag=loss"):
        assert live.get(f"{address}&since={revision}").status_code == 304
    assert len(stream.updates) == 1
    assert len(list(segments.rglob("*-*-*"))) == 1

    append(path, end_event(120.0))
    wait_for(live, "finished")
    wait_until(lambda: len(stream.updates) == 2)
    assert stream.updates[1]["changed"] == ["a"]


def test_metrics_of_the_machine_do_not_end_a_stall(tmp_path: Path, live: httpx.Client) -> None:
    """They and the console are recorded while a training hangs; the next value of the training ends the stall."""
    records = [scalar_event(2.0 + step, step, {"loss": 1.0}) for step in range(5)]
    path = write_file(tmp_path / "runs" / "a", *records, heartbeat_event(40.0), heartbeat_seconds=300, quiet=100)
    wait_for(live, "stalled")
    lines = summary_pb2.ConsoleOutput(lines=[summary_pb2.ConsoleOutput.Line(text="waiting")])
    console = framing.frame(summary_pb2.Event(wall_time=51.0, console=lines).SerializeToString())

    append(path, scalar_event(50.0, 4, {"machine/cpu_percent": 1.0}) + console)

    wait_until(lambda: row_of(live)["updated"] == 51.0)
    assert (row_of(live)["state"], row_of(live)["phase"]) == ("stalled", "training")
    append(path, scalar_event(52.0, 5, {"loss": 1.0}))
    wait_for(live, "running")
    assert row_of(live)["phase"] is None


def test_change_of_state_by_time_is_reported(tmp_path: Path, live: httpx.Client) -> None:
    """The page is notified of the runs whose state changed, and values are not sent again."""
    records = [scalar_event(2.0 + step, step, {"loss": 1.0}) for step in range(5)]
    for name in "ab":
        write_file(tmp_path / "runs" / name, *records, heartbeat_event(9.0), heartbeat_seconds=300, quiet=40)
    wait_for(live, "running", "a")
    wait_for(live, "running", "b")
    # Of heartbeats and of nothing else it is known when the server sees them: it takes this file for one that grew at
    # its modification time, because it is new.
    write_file(tmp_path / "runs" / "c", *records, heartbeat_event(9.0), heartbeat_seconds=300, quiet=57)
    row = wait_for(live, "running", "c")
    assert row["phase"] == "training"
    revision = live.get("api/runs").json()["revision"]
    stream = Stream(live)

    row = wait_for(live, "stalled", "c")

    assert (row["ended"], row["phase"]) == (None, "training")
    wait_until(lambda: len(stream.updates) > 1)
    update = stream.updates[1]
    assert (update["states"], update["changed"], update["revision"]) == (["c"], [], revision + 1)
    assert live.get(f"api/scalars?tag=loss&since={revision}").status_code == 304
    overview = live.get(f"api/overview?since={revision}").raise_for_status().json()
    assert {each["run"]: each["state"] for each in overview["runs"]} == {"a": "running", "b": "running", "c": "stalled"}


def test_server_that_starts_later_uses_the_time_of_the_last_write(tmp_path: Path, serve: Serve) -> None:
    """It did not see the files grow. With `--reload-interval 0` states are derived once."""
    write_file(tmp_path / "old", quiet=100)
    write_file(tmp_path / "new", quiet=50)
    write_file(tmp_path / "future", quiet=-1000)
    write_file(tmp_path / "ended", end_event(3.0), quiet=100)

    for arguments in ((), ("--reload-interval", "0"), ()):
        client = serve(tmp_path, *arguments)
        states = {row["run"]: row["state"] for row in client.get("api/runs").json()["runs"]}
        assert states == {"old": "lost", "new": "running", "future": "running", "ended": "finished"}


def test_copied_directory_has_the_states_of_the_original(tmp_path: Path, live: httpx.Client) -> None:
    """End marks decide; a copy of a running recording does not grow, and so is lost after three heartbeats."""
    write_file(tmp_path / "ended", end_event(3.0, "STATE_FAILED", error_type="E"), quiet=1e6)
    write_file(tmp_path / "open", scalar_event(2.0, 1, {"loss": 1.0}), heartbeat_seconds=0.5)
    for name in ("ended", "open"):
        shutil.copytree(tmp_path / name, tmp_path / "runs" / name, copy_function=shutil.copyfile)

    assert wait_for(live, "failed", "ended")["ended"] == 3.0
    wait_for(live, "lost", "open")


def test_inspect_prints_the_state(tmp_path: Path) -> None:
    """Of a failed run also the exception."""
    failed = end_event(3.0, "STATE_FAILED", error_type="ValueError", error_text="no\x1b data")
    write_file(tmp_path / "a", failed)
    write_file(tmp_path / "b", scalar_event(2.0, 1, {"loss": 1.0}), heartbeat_event(9.0), quiet=100)

    lines = run("inspect", tmp_path).stdout.splitlines()

    assert lines[0].startswith("a: mindspore, failed, 1 attempt")
    assert lines[1] == r"  ValueError: no\x1b data"
    assert any(line.startswith("b: mindspore, lost, 1 attempt") for line in lines)
    printed = json.loads(run("inspect", tmp_path, "--json").stdout)["runs"]
    assert [each["state"]["state"] for each in printed] == ["failed", "lost"]
    assert [each["events"] for each in printed] == [2, 2]
    with toposcope.server.open(tmp_path) as logdir:
        assert [each.state.state for each in logdir.runs.values()] == ["failed", "lost"]
