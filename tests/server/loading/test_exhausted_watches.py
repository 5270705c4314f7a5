"""When the system has no watches left, the logdir is polled instead, and one log line says so."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import httpx
import pytest
from support.c_libraries import compile_library
from support.event_files import loss_run, scalar_event
from support.servers import ENVIRONMENT, wait_until

_SERVER = "import sys; from toposcope.server.cli import main; sys.exit(main(sys.argv[1:]))"
SET_UP = 1.2
SOON = 30.0
"""Seconds; a watched logdir is walked once in 60."""


def total(client: httpx.Client, run: str) -> int:
    """Return how many points of loss a run has."""
    reply = client.get("api/scalars", params={"tag": "loss", "run": run, "points": 1})
    return sum(series["total"] for series in reply.json().get("series", []))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")
@pytest.mark.parametrize("unwatched", ["runs", "later"], ids=["at the start", "of a new directory"])
def test_polling_takes_over(tmp_path: Path, unwatched: str) -> None:
    """Runs appear and grow soon, whichever directory has no watch."""
    library = tmp_path / "no_watches.so"
    compile_library(Path(__file__).parent / "no_watches.c", library)
    loss_run(tmp_path / "runs/first", range(5))
    command = [sys.executable, "-c", _SERVER, "--logdir", str(tmp_path / "runs"), "--port", "0"]
    variables = ENVIRONMENT | {"LD_PRELOAD": str(library), "UNWATCHED": f"/{unwatched}"}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env=variables, text=True)
    assert process.stdout is not None
    try:
        with httpx.Client(base_url=process.stdout.readline().split()[3], timeout=30) as client:
            wait_until(lambda: client.get("api/health").json()["uptime"] > SET_UP, SOON)
            path = loss_run(tmp_path / "runs/later", range(3))
            wait_until(partial(has_points, client, "later", 3), SOON)
            with path.open("ab") as file:
                file.write(scalar_event(9.0, 9, {"loss": 1.0}))
            wait_until(partial(has_points, client, "later", 4), SOON)
            loss_run(tmp_path / "runs/later/below", range(3))
            wait_until(partial(has_points, client, "later/below", 3), SOON)
    finally:
        process.terminate()
        process.communicate()

    lines = (tmp_path / "log").read_text().splitlines()
    assert len([line for line in lines if "polling it instead" in line]) == 1, lines


def has_points(client: httpx.Client, run: str, points: int) -> bool:
    """Return whether a run has so many points of loss."""
    return total(client, run) == points
