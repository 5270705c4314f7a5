"""Fixtures of the tests of subcommands: the real command as a process of its own."""

import subprocess
from collections.abc import Callable

import pytest
from support import servers

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def command() -> Command:
    """Return a function that runs summary-server with arguments and returns what came of it."""
    return servers.run
