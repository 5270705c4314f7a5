"""Fixtures of the tests of landscape models."""

from collections.abc import Iterator

import pytest
from support.landscape_networks import Take, taking


@pytest.fixture
def take() -> Iterator[Take]:
    """Return what makes a model of a module."""
    yield from taking()
