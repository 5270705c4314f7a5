"""Real processes of summary-server for tests.

They are forked from a process that has imported everything they need, as importing it takes a second each time.
"""

import atexit
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

import httpx

from toposcope.server import cli
from toposcope.server.installation import installation_warnings

Result = TypeVar("Result")
Serve = Callable[..., httpx.Client]
"""Serves a logdir, with more arguments of summary-server, and returns a client."""
FOLDER = Path(tempfile.gettempdir(), f"toposcope-kept-{uuid.uuid4().hex}")
"""Contains the output of the servers, and their index and notes by default. Processes that only import this lack it."""
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": f"{FOLDER}/cache", "XDG_DATA_HOME": f"{FOLDER}/data"}
SLOW_SECONDS = 30.0
FORMATS = (
    "mlflow.database",
    "mlflow.folders",
    "tables.tables",
    "trackio.trackio",
    "trainer_state.trainer_state",
    "wandb.wandb",
)
_forked = multiprocessing.get_context("forkserver")
# Without the last one every server that computes importances would import it, which takes seconds on a busy machine.
if "coverage" not in sys.modules:  # Coverage does not measure a process that was forked from a preloaded one.
    _forked.set_forkserver_preload(
        [
            "httpx",  # What this module imports.
            "toposcope.server.app",
            "toposcope.server.later_routes",
            "toposcope.server.http.http_server",
            "toposcope.server.commands.asking",
            "toposcope.server.commands.export",
            *(f"toposcope.server.formats.{name}" for name in FORMATS),
            "sklearn.ensemble",
        ]
    )


class Process:
    """A process of summary-server, and its output."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        FOLDER.mkdir(exist_ok=True)
        folder = tempfile.mkdtemp(dir=FOLDER)
        self._output = Path(folder, "stdout"), Path(folder, "stderr")
        parameters = (arguments, ENVIRONMENT | variables, *self._output)
        self._process = _forked.Process(target=_main, args=parameters, daemon=True)
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit status, negative for the signal that ended it; None while it runs."""
        return self._process.exitcode

    def first_line(self) -> str:
        """Wait for the first line of standard output and return it; or what was printed before the process ended."""
        out = self._output[0]
        wait_until(lambda: self.returncode is not None or (out.exists() and "\n" in out.read_text()), SLOW_SECONDS)
        return out.read_text().partition("\n")[0]

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def ended(self) -> tuple[str, str]:
        """Wait for the end; return what was written to standard output and to standard error, without true warnings."""
        self._process.join(SLOW_SECONDS)
        assert self.returncode is not None, "summary-server did not end"
        out, error = (path.read_text(encoding="utf-8") for path in self._output)
        return out, without_installation_warnings(error)


def without_installation_warnings(log: str) -> str:
    """Leave out what is reported of the installation under test: without a C compiler its scan is not compiled."""
    messages = [warning.message for warning in installation_warnings()]
    return "".join(line for line in log.splitlines(True) if not any(message in line for message in messages))


def _main(arguments: list[str], environment: dict[str, str], out: Path, error: Path) -> None:
    """Run summary-server in a forked process."""
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    for number, (name, path) in enumerate((("stdout", out), ("stderr", error)), 1):
        with path.open("wb") as file:
            os.dup2(file.fileno(), number)
        setattr(sys, name, os.fdopen(number, "w", 1, encoding="utf-8"))
    sys.exit(cli.main(arguments))


def new_client(url: str) -> httpx.Client:
    """Return a client of a server without TLS. It reads no certificates, which takes 20 ms of a processor each time."""
    return httpx.Client(base_url=url, timeout=SLOW_SECONDS, verify=False)


def run(*arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run summary-server, with variables of the environment, until it ends; return its exit status and output."""
    texts = [str(argument) for argument in arguments]
    process = Process(*texts, **variables)
    out, error = process.ended()
    return subprocess.CompletedProcess(texts, process.returncode or 0, out, error)


def start(logdir: Path | str, *arguments: str, **variables: str) -> tuple[Process, str]:
    """Start summary-server, on a free port by default; return the process and its URL."""
    port = () if "--port" in arguments else ("--port", "0")
    process = Process("--logdir", str(logdir), *port, *arguments, **variables)
    line = process.first_line()
    url = re.search(r"https?://\S+", line)
    assert url, f"{line!r} instead of an address; {process.ended()[1]}"
    return process, url[0]


def stop(process: Process) -> tuple[str, str]:
    """Stop a server; return its output."""
    process.send_signal(signal.SIGTERM)
    return process.ended()


def wait_until(condition: Callable[[], Result | Literal[False] | None], seconds: float = SLOW_SECONDS) -> Result:
    """Wait until condition() is true; return its value."""
    end = time.monotonic() + seconds
    while not (result := condition()):
        assert time.monotonic() < end, "the condition was not met in time"
        time.sleep(0.02)
    return result
