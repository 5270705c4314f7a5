"""Fixtures shared by the tests of the recorder."""

from collections.abc import Iterator

import pytest
from support.torch_programs import TorchPrograms, torch_programs


@pytest.fixture(scope="session")
def programs() -> Iterator[TorchPrograms]:
    """Yield what starts programs with PyTorch, which is imported once."""
    with torch_programs() as programs:
        yield programs
