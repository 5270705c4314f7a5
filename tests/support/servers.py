"""Real processes of summary-server for tests.

They are forked from one that has imported all that they need: to import it costs a second each time.
"""

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from toposcope.server import cli

Answer = TypeVar("Answer")
_kept = tempfile.TemporaryDirectory(prefix="toposcope-kept-")
"""Where the servers keep their index and notes, unless they are told, and what they print."""
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": f"{_kept.name}/cache", "XDG_DATA_HOME": f"{_kept.name}/data"}
SLOW_SECONDS = 30.0
_forked = multiprocessing.get_context("forkserver")
# Without the last one every server that tells importances would import it for itself: seconds on a busy machine.
if "coverage" not in sys.modules:  # Which measures nothing before the fork.
    _forked.set_forkserver_preload(
        ["toposcope.server.commands.serve", "toposcope.server.commands.export", "sklearn.ensemble"]
    )


class Process:
    """A process of summary-server, and what it prints."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        folder = tempfile.mkdtemp(dir=_kept.name)
        self._printed = Path(folder, "stdout"), Path(folder, "stderr")
        work = (arguments, ENVIRONMENT | variables, *self._printed)
        self._process = _forked.Process(target=_main, args=work, daemon=True)
        self._process.start()
        self.pid: int = self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit status, negative for the signal that ended it; None while it runs."""
        return self._process.exitcode

    def first_line(self) -> str:
        """Return the first line of standard output once it is there; what there is when the process ended without."""
        out = self._printed[0]
        wait_until(lambda: self.returncode is not None or (out.exists() and "\n" in out.read_text()), SLOW_SECONDS)
        return out.read_text().partition("\n")[0]

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def ended(self) -> tuple[str, str]:
        """Wait for the end; return what was printed to standard output and to standard error."""
        self._process.join(SLOW_SECONDS)
        assert self.returncode is not None, "summary-server does not end"
        out, error = (path.read_text(encoding="utf-8") for path in self._printed)
        return out, error


def _main(arguments: list[str], environment: dict[str, str], out: Path, error: Path) -> None:
    """Be summary-server, in a forked process."""
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    for number, (name, path) in enumerate((("stdout", out), ("stderr", error)), 1):
        with path.open("wb") as file:
            os.dup2(file.fileno(), number)
        setattr(sys, name, os.fdopen(number, "w", 1, encoding="utf-8"))
    sys.exit(cli.main(arguments))


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run summary-server to its end; return what came of it."""
    process = Process(*map(str, arguments))
    out, error = process.ended()
    return subprocess.CompletedProcess(arguments, process.returncode or 0, out, error)


def start(logdir: Path | str, *arguments: str, **variables: str) -> tuple[Process, str]:
    """Start summary-server, on any free port unless one is named; return the process and its URL."""
    port = () if "--port" in arguments else ("--port", "0")
    process = Process("--logdir", str(logdir), *port, *arguments, **variables)
    line = process.first_line()
    url = re.search(r"http://\S+", line)
    assert url, f"{line!r} instead of an address; {process.ended()[1]}"
    return process, url[0]


def stop(process: Process) -> tuple[str, str]:
    """End a server; return what it printed."""
    process.send_signal(signal.SIGTERM)
    return process.ended()


def wait_until(reached: Callable[[], Answer], seconds: float = SLOW_SECONDS) -> Answer:
    """Return what reached() returns once it is true."""
    end = time.monotonic() + seconds
    while not (answer := reached()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return answer
