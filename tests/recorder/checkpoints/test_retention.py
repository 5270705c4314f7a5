"""Which checkpoints are deleted after a new one has been saved."""

import pytest

from toposcope.recorder.checkpoints.keeping.retention import SavedCheckpoint, surplus_by_count, surplus_by_minutes


def saved_at(*minutes: float) -> list[SavedCheckpoint]:
    """Return checkpoints saved at the given minutes."""
    return [SavedCheckpoint(str(minute), 60 * minute) for minute in minutes]


@pytest.mark.parametrize(("limit", "surplus"), [(1, [0, 1]), (2, [0]), (3, []), (9, [])])
def test_count_keeps_the_newest(limit: int, surplus: list[float]) -> None:
    assert surplus_by_count(saved_at(0, 1, 2), limit) == saved_at(*surplus)


@pytest.mark.parametrize(
    ("minutes", "surplus"),
    [
        ([], []),
        ([0], []),
        ([0, 1], []),
        ([0, 1, 2], [1]),
        ([0, 9, 10, 11], [9]),
        ([0, 10, 20], []),
        ([0, 9, 11, 19, 21], [9, 19]),
    ],
)
def test_minutes_keep_one_every_ten_and_the_newest(minutes: list[float], surplus: list[float]) -> None:
    assert surplus_by_minutes(saved_at(*minutes), 10) == saved_at(*surplus)
