"""The phase of saving: whether this process writes a checkpoint at present, other than in the background."""

from collections.abc import Iterator
from contextlib import contextmanager

_saves: list[None] = []
"""An item for each save in progress: appending and removing are atomic."""


@contextmanager
def saving() -> Iterator[None]:
    """Note that a checkpoint is being saved; also usable as a decorator."""
    _saves.append(None)
    try:
        yield
    finally:
        _saves.pop()


def is_saving() -> bool:
    """Return whether a checkpoint is being saved in any thread."""
    return bool(_saves)
