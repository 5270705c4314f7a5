"""Real server processes for tests."""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Answer = TypeVar("Answer")
_kept = tempfile.TemporaryDirectory(prefix="toposcope-kept-")
"""Where the servers keep their index and notes, unless they are told."""
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": f"{_kept.name}/cache", "XDG_DATA_HOME": f"{_kept.name}/data"}


def start(logdir: Path | str, *arguments: str) -> tuple[subprocess.Popen[str], str]:
    """Start summary-server on any free port; return the process and its URL."""
    command = [sys.executable, "-m", "toposcope.server.cli", "--logdir", str(logdir), "--port", "0", *arguments]
    process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout
    line = process.stdout.readline()
    url = re.search(r"http://\S+", line)
    assert url, f"{line!r} {process.stderr.read() if process.stderr else ''}"
    return process, url[0]


def stop(process: subprocess.Popen[str]) -> None:
    """End a server and release its pipes."""
    process.terminate()
    process.communicate(timeout=10)


def wait_until(reached: Callable[[], Answer], seconds: float = 10.0) -> Answer:
    """Return what reached() returns once it is true."""
    end = time.monotonic() + seconds
    while not (answer := reached()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return answer
