"""Fixtures of the tests of landscape models."""

from collections.abc import Iterator

import pytest
from support.landscape_networks import MakeModel, landscape_models


@pytest.fixture
def make_model() -> Iterator[MakeModel]:
    """Return a function that creates the landscape model of a module."""
    yield from landscape_models()
