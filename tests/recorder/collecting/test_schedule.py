"""The steps at which values and tensors are collected."""

from itertools import pairwise

import pytest

from toposcope.recorder.collecting.steps.schedule import MAX_TENSOR_STEPS, Due, Schedule


def steps_due(schedule: Schedule, numbers: range) -> tuple[list[int], list[int]]:
    """Return the steps of values and the steps of tensors; advance() is called only when next is reached."""
    due = {number: schedule.advance(number) for number in numbers if number >= schedule.next}
    return [n for n, d in due.items() if d.values], [n for n, d in due.items() if d.tensors]


def test_600_steps_have_20_tensors_and_61_other_records() -> None:
    """These are the numbers in the API documentation; the tensors range from the first step to the last."""
    values, tensors = steps_due(Schedule(10, None, 600), range(1, 601))

    assert values == [1, *range(10, 601, 10)]
    assert len(tensors) == 20
    assert set(tensors) <= set(values)
    assert tensors[0] == 1
    assert tensors[-1] == 600
    gaps = [after - before for before, after in pairwise(tensors)]
    assert set(gaps) <= {29, 30, 40}


def test_20_steps_have_3_tensors_and_3_other_records() -> None:
    """These are the other numbers in the API documentation."""
    assert steps_due(Schedule(10, None, 20), range(1, 21)) == ([1, 10, 20], [1, 10, 20])


@pytest.mark.parametrize("freq", [1, 2, 7, 10, 1000])
@pytest.mark.parametrize("length", [1, 2, 19, 20, 21, 25, 48, 92, 5000])
@pytest.mark.parametrize("first", [1, 8, 1001])
def test_tensors_are_at_most_twenty_and_end_with_the_last_values(freq: int, length: int, first: int) -> None:
    """For any length and first step, tensors are due only with values, and as often as possible."""
    values, tensors = steps_due(Schedule(freq, None, length), range(first, first + length))

    assert values == [n for n in range(first, first + length) if n == first or n % freq == 0]
    assert len(tensors) == min(MAX_TENSOR_STEPS, len(values))
    assert set(tensors) <= set(values)
    assert (tensors[0], tensors[-1]) == ((values[0], values[-1]) if len(values) > 1 else (first, first))


def test_training_of_unknown_length_has_increasingly_sparse_tensors() -> None:
    """Twenty in the first 61 collections, four more per doubling, the last in the last fifth of the training."""
    values, tensors = steps_due(Schedule(10), range(1, 10_001))

    collections = [0 if n == 1 else n // 10 for n in tensors]
    assert collections[:16] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28]
    assert sum(collection < 61 for collection in collections) == 20
    assert sum(64 <= collection < 128 for collection in collections) == 4
    assert len(values) == 1001
    assert tensors[-1] >= 8000


def test_collect_tensor_freq_sets_the_frequency_of_tensors() -> None:
    """It works as collect_freq does, also at steps without other values."""
    values, tensors = steps_due(Schedule(10, 4, 30), range(1, 31))

    assert values == [1, 10, 20, 30]
    assert tensors == [1, 4, 8, 12, 16, 20, 24, 28]


@pytest.mark.parametrize("options", [(10, None, 600), (10, None, None), (10, 5, 600), (1, 1, 40)])
def test_processes_take_the_tensors_in_turns(options: tuple[int, int | None, int | None]) -> None:
    """Three processes share the steps of tensors evenly; each collects all other values."""
    values, tensors = steps_due(Schedule(*options), range(1, 601))
    shares = [steps_due(Schedule(*options, rank, 3), range(1, 601)) for rank in range(3)]

    assert all(share[0] == values for share in shares)
    assert sorted(step for share in shares for step in share[1]) == tensors
    assert [share[1] for share in shares] == [tensors[0::3], tensors[1::3], tensors[2::3]]


def test_next_is_the_next_due_step() -> None:
    """A step that is not due costs one comparison."""
    schedule = Schedule(10)

    assert schedule.advance(1) == Due(values=True, tensors=True)
    assert schedule.next == 10
    assert schedule.advance(10).values
    assert schedule.next == 20
