"""Fixtures that more than one folder of tests uses."""

import os
from contextlib import suppress

import pytest
from support import written_events
from support.written_events import ReadEvents

# The arrays of tests are small: threads for them only hold up the other files that are tested meanwhile.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

with suppress(ModuleNotFoundError):  # Frameworks are checked without it.
    from hypothesis import settings

    # No example is timed: machines are noisy. For longer: pytest --hypothesis-profile thorough
    settings.register_profile("usual", deadline=None, max_examples=30)
    settings.register_profile("thorough", deadline=None, max_examples=5000)
    settings.load_profile("usual")


@pytest.fixture
def read_events() -> ReadEvents:
    """Return a function that reads the events of a whole file, checksums verified."""
    return written_events.read_events
