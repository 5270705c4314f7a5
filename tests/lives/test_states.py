"""The state of a run, as a real server derives it from what real training processes leave behind."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support import http, servers

_SLOW_SECONDS = 60
_BEGIN = """
import os, signal, sys, time
from toposcope.recorder import SummaryRecord
from toposcope.recorder.callbacks import SummaryCollector

def record(steps=5, **options):
    recorder = SummaryRecord(sys.argv[1], heartbeat_seconds=0.2, flush_seconds=0.05, **options)
    for step in range(1, steps + 1):
        recorder.add_value("scalar", "loss", 1 / step)
        recorder.record(step)
    recorder.flush()
    return recorder

def ready():
    print("ready", flush=True)

def wait():
    ready()
    time.sleep(600)
"""
ENDS = {
    "with": ("with record():\n    pass", 0, "finished", None),
    "close": ("record().close()", 0, "finished", None),
    "never closed": ("recorder = record()", 0, "finished", None),
    "exit code 0": ("with record():\n    sys.exit(0)", 0, "finished", None),
    "exception in with": ("with record():\n    raise ValueError('too hot')", 1, "failed", "ValueError"),
    "exception, closed in finally": (
        "recorder = record()\ntry:\n    raise ValueError('too hot')\nfinally:\n    recorder.close()",
        1,
        "failed",
        "ValueError",
    ),
    "exception, never closed": ("recorder = record()\nraise ValueError('too hot')", 1, "failed", "ValueError"),
    "handled exception": (
        "recorder = record()\ntry:\n    raise ValueError('fine')\nexcept ValueError:\n    pass\nrecorder.close()",
        0,
        "finished",
        None,
    ),
    "exception in watch": (
        "with SummaryCollector(sys.argv[1]).watch() as run:\n    run.step(1.0)\n    raise ValueError('too hot')",
        1,
        "failed",
        "ValueError",
    ),
}
"""By name: the training script, its exit code, the state of its run, and the type of its error."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, httpx.Client]]:
    """A logdir, and a client of the server that serves it."""
    logdir = tmp_path_factory.mktemp("logdir")
    process, url = servers.start(logdir, "--reload-interval", "0.2")
    with http.client(base_url=url) as client:
        yield logdir, client
    servers.stop(process)


def _start(folder: Path, script: str, **variables: str) -> subprocess.Popen[str]:
    """Start a training process that records into folder."""
    command = [sys.executable, "-c", _BEGIN + textwrap.dedent(script), str(folder)]
    environment = {**os.environ, **variables}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def _start_waiting(
    folder: Path, script: str = "recorder = record()\nwait()", **variables: str
) -> subprocess.Popen[str]:
    """Start a training process and wait until it has recorded its steps."""
    process = _start(folder, script, **variables)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n", process.communicate()[1]
    return process


def _run(client: httpx.Client, name: str) -> dict[str, Any] | None:
    """Return what the server reports of a run; None if it does not list it yet."""
    runs = client.get("/api/runs").raise_for_status().json()["runs"]
    return next((run for run in runs if run["run"] == name), None)


def _wait_for(client: httpx.Client, name: str, *states: str) -> dict[str, Any]:
    """Wait until a run has one of the states; return it."""

    def run_in_state() -> dict[str, Any] | None:
        run = _run(client, name)
        return run if run and run["state"] in states else None

    return servers.wait_until(run_in_state)


def _end(process: subprocess.Popen[str]) -> int:
    process.communicate(timeout=_SLOW_SECONDS)
    return process.returncode


@pytest.mark.parametrize("name", ENDS)
def test_ends(server: tuple[Path, httpx.Client], name: str) -> None:
    """The end of a training determines the state of its run, however the recorder is closed."""
    logdir, client = server
    script, code, state, error = ENDS[name]
    folder = name.replace(" ", "_").replace(",", "")

    assert _end(_start(logdir / folder, script)) == code

    run = _wait_for(client, folder, "finished", "failed", "interrupted")
    assert run["state"] == state
    assert (run["error"] or {}).get("type") == error
    assert run["ended"] is not None
    if error:
        assert run["error"]["text"] == "too hot"
        assert "raise ValueError" in run["error"]["traceback"] or "ValueError: too hot" in run["error"]["traceback"]


@pytest.mark.parametrize("script", ["sys.exit(3)", "raise SystemExit(3)"])
@pytest.mark.parametrize("begin", ["recorder = record()\n", "with record():\n    "])
def test_exit_code(server: tuple[Path, httpx.Client], script: str, begin: str) -> None:
    """A process that exits with a code other than 0 has not finished."""
    logdir, client = server
    folder = f"code{abs(hash((script, begin)))}"

    assert _end(_start(logdir / folder, begin + script)) == 3

    assert _wait_for(client, folder, "finished", "failed", "interrupted")["state"] in ("failed", "interrupted")


def test_os_exit_is_lost(server: tuple[Path, httpx.Client]) -> None:
    """A process that ends without running its exit handlers is lost."""
    logdir, client = server
    assert _end(_start(logdir / "os_exit", "recorder = record()\nos._exit(0)")) == 0
    _wait_for(client, "os_exit", "lost")


@pytest.mark.parametrize("begin", ["recorder = record()\nwait()", "with record():\n    wait()"])
def test_ctrl_c(server: tuple[Path, httpx.Client], begin: str) -> None:
    """Ctrl-C interrupts a run."""
    logdir, client = server
    folder = f"ctrl_c_{'with' in begin}"
    process = _start_waiting(logdir / folder, begin)
    assert _wait_for(client, folder, "running", "lost")["state"] == "running"

    process.send_signal(signal.SIGINT)

    assert _end(process) != 0
    run = _wait_for(client, folder, "interrupted", "finished", "failed")
    assert run["state"] == "interrupted"


def test_handled_sigterm(server: tuple[Path, httpx.Client]) -> None:
    """A program whose own handler of SIGTERM raises SystemExit is interrupted."""
    logdir, client = server
    script = """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with record():
        wait()
    """
    process = _start_waiting(logdir / "handled", textwrap.dedent(script))

    process.terminate()

    assert _end(process) == 143
    assert _wait_for(client, "handled", "interrupted", "finished", "failed")["state"] == "interrupted"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_killed(server: tuple[Path, httpx.Client], number: signal.Signals) -> None:
    """A process that a signal ends is lost once three heartbeats are missing."""
    logdir, client = server
    process = _start_waiting(logdir / number.name)
    _wait_for(client, number.name, "running")

    process.send_signal(number)

    assert _end(process) == -number
    run = _wait_for(client, number.name, "lost", "finished", "failed", "interrupted")
    assert run["state"] == "lost"
    assert run["ended"] is not None


def test_stopped(server: tuple[Path, httpx.Client]) -> None:
    """A process that is stopped is lost, and running again when it continues."""
    logdir, client = server
    process = _start_waiting(logdir / "stopped")
    _wait_for(client, "stopped", "running")

    process.send_signal(signal.SIGSTOP)
    _wait_for(client, "stopped", "lost")
    process.send_signal(signal.SIGCONT)
    _wait_for(client, "stopped", "running")

    process.kill()
    _end(process)


def test_copy(server: tuple[Path, httpx.Client], tmp_path: Path) -> None:
    """The copy of an unfinished run becomes lost, the copy of a finished one is finished."""
    logdir, client = server
    process = _start_waiting(tmp_path / "run")
    shutil.copytree(tmp_path / "run", logdir / "copied")
    process.kill()
    _end(process)
    assert _end(_start(tmp_path / "whole", "with record():\n    pass")) == 0
    shutil.copytree(tmp_path / "whole", logdir / "copied_whole")

    _wait_for(client, "copied", "lost")
    _wait_for(client, "copied_whole", "finished")


def test_two_ranks(server: tuple[Path, httpx.Client]) -> None:
    """If one of two ranks is killed, the run is lost, and the other rank is reported as running."""
    logdir, client = server
    ranks = [_start_waiting(logdir / "ranks", RANK=str(rank), WORLD_SIZE="2") for rank in range(2)]
    _wait_for(client, "ranks", "running")

    ranks[1].kill()

    run = _wait_for(client, "ranks", "lost")
    assert {each["rank"]: each["state"] for each in run["recordings"]} == {0: "running", 1: "lost"}
    ranks[0].kill()
    for process in ranks:
        _end(process)
