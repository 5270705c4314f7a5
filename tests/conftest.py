"""Fixtures and settings shared by all tests."""

import os
from contextlib import suppress

import pytest
from support import written_events
from support.written_events import ReadEvents

# The arrays in tests are small: threads for them only slow down the tests that run in parallel.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

with suppress(ModuleNotFoundError):  # The interop environments do not contain it.
    from hypothesis import settings

    # No deadline: machines are noisy. For more examples: pytest --hypothesis-profile thorough
    settings.register_profile("toposcope", deadline=None, max_examples=30)
    settings.register_profile("thorough", deadline=None, max_examples=5000)
    settings.load_profile("toposcope")


@pytest.fixture
def read_events() -> ReadEvents:
    """Return a function that reads all events of a file and verifies their checksums."""
    return written_events.read_events
