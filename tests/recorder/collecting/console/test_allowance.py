"""How much output may be recorded."""

from toposcope.recorder.collecting.console import allowance
from toposcope.recorder.collecting.console.allowance import Allowance


class Clock:
    """Time that passes only when it is set."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_many_lines_at_once_and_few_per_second_later() -> None:
    """The newest are recorded."""
    clock = Clock()
    lines = Allowance(clock)
    assert lines.newest([10] * (allowance.LINES + 1)) == allowance.LINES
    assert lines.newest([10]) == 0
    clock.seconds = 2
    assert lines.newest([10] * 1000) == 2 * allowance.LINES_PER_SECOND
    clock.seconds = 1e6
    assert lines.newest([10] * (2 * allowance.LINES)) == allowance.LINES


def test_long_lines_count_by_their_characters() -> None:
    """A line longer than what is left is not recorded."""
    lines = Allowance(Clock())

    assert lines.newest([allowance.CHARACTERS // 2] * 3) == 2
    assert lines.newest([1]) == 0
    assert lines.newest([0]) == 1


def test_the_end_of_a_flood_is_recorded() -> None:
    """It contains the reason why a training failed."""
    lines = Allowance(Clock())
    lines.newest([10] * allowance.LINES)

    assert lines.newest([10] * 1000, is_last=True) == allowance.LAST_LINES
