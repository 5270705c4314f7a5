"""Fixtures of the subcommand tests: the real command in a separate process."""

import subprocess
from collections.abc import Callable

import pytest
from support import servers

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def command() -> Command:
    """Return a function that runs summary-server with arguments and returns the completed process."""
    return servers.run
