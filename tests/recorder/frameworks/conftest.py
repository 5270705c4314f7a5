"""Fixtures of the tests of landscape models."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.landscape_networks import MakeModel


@pytest.fixture
def make_model() -> Iterator["MakeModel"]:
    """Return a function that creates the landscape model of a module."""
    from support.landscape_networks import landscape_models  # Imports PyTorch, which is not installed everywhere.

    yield from landscape_models()
