"""Retention: which checkpoints of a training are deleted after a new one has been saved."""

from collections.abc import Sequence
from typing import NamedTuple


class SavedCheckpoint(NamedTuple):
    """A saved checkpoint."""

    path: str
    seconds: float
    """Time of saving, by a monotonic clock."""


def surplus_by_count(saved: Sequence[SavedCheckpoint], limit: int) -> list[SavedCheckpoint]:
    """Return all but the newest checkpoints, limit of them; saved is in order of time."""
    return list(saved[: max(0, len(saved) - limit)])


def surplus_by_minutes(saved: Sequence[SavedCheckpoint], minutes: int) -> list[SavedCheckpoint]:
    """Return the checkpoints saved less than minutes after the last one kept; the newest is always kept."""
    surplus, kept_seconds = [], float("-inf")
    for checkpoint in saved[:-1]:
        if checkpoint.seconds - kept_seconds < 60 * minutes:
            surplus.append(checkpoint)
        else:
            kept_seconds = checkpoint.seconds
    return surplus
