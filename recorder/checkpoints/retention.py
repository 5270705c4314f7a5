"""Retention: which of the checkpoints of a training are deleted when a new one was saved."""

from collections.abc import Sequence
from typing import NamedTuple


class SavedCheckpoint(NamedTuple):
    """A checkpoint that was saved."""

    path: str
    seconds: float
    """When, by a clock that never goes back."""


def surplus_by_count(saved: Sequence[SavedCheckpoint], most: int) -> list[SavedCheckpoint]:
    """Return the oldest checkpoints beyond most of them; saved is in order of time."""
    return list(saved[: max(0, len(saved) - most)])


def surplus_by_minutes(saved: Sequence[SavedCheckpoint], minutes: int) -> list[SavedCheckpoint]:
    """Return the checkpoints that follow a kept one within less than so many minutes; the newest is always kept."""
    surplus, kept_seconds = [], float("-inf")
    for checkpoint in saved[:-1]:
        if checkpoint.seconds - kept_seconds < 60 * minutes:
            surplus.append(checkpoint)
        else:
            kept_seconds = checkpoint.seconds
    return surplus
