"""Fixtures of the tests of subcommands: the real command as a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def command() -> Command:
    """Return a function that runs summary-server with arguments and returns what came of it."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "toposcope.server.cli", *map(str, arguments)]
        environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
        return subprocess.run(words, capture_output=True, encoding="utf-8", timeout=30, env=environment)

    return run
