"""Fixtures and settings shared by all tests."""

import os
import signal
import sys
from collections.abc import Generator
from contextlib import suppress

import pytest
from support import written_events
from support.pytorch import skip_for_missing_torch
from support.written_events import ReadEvents

# The arrays in tests are small: threads for them only slow down the tests that run in parallel.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

if sys.platform == "linux":  # Where the name of the machine cannot be resolved, Gloo prints that it uses this one.
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")

if (
    signal.getsignal(signal.SIGINT) == signal.SIG_IGN
):  # A shell in the background ignores it, and so would all children.
    signal.signal(signal.SIGINT, signal.default_int_handler)

with suppress(ModuleNotFoundError):  # The interop environments do not contain it.
    from hypothesis import settings

    # No deadline: machines are noisy. For more examples: pytest --hypothesis-profile thorough
    settings.register_profile("toposcope", deadline=None, max_examples=30)
    settings.register_profile("thorough", deadline=None, max_examples=5000)
    settings.load_profile("toposcope")


def pytest_sessionstart() -> None:
    """Log the faults of the installation, such as a missing compiler: later they would be in the log of some test."""
    with suppress(ModuleNotFoundError):  # The interop environments do not contain all that the server needs.
        from toposcope.server.installation import log_installation_warnings

        log_installation_warnings()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip the files that import PyTorch where it is not installed."""
    report = yield
    skip_for_missing_torch(report)
    return report


@pytest.fixture
def read_events() -> ReadEvents:
    """Return a function that reads all events of a file and verifies their checksums."""
    return written_events.read_events
