"""The largest of many numbers, some of which are still being computed."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from toposcope.recorder.collecting.steps.peak import Peak


class Computed:
    """An array on a device, which is ready when that is set."""

    shape = ()

    def __init__(self, number: float) -> None:
        self.number, self.reads, self.is_done = number, 0, False

    def is_ready(self) -> bool:
        """Return whether the number is computed."""
        return self.is_done

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.reads += 1
        return np.asarray(self.number, dtype)


@given(st.lists(st.tuples(st.floats(-5, 5), st.booleans())))
def test_the_peak_is_the_largest(numbers: list[tuple[float, bool]]) -> None:
    """Whether they are numbers or arrays."""
    peak = Peak()
    for number, is_array in numbers:
        peak.add(Computed(number) if is_array else number)
    assert peak.value() == max((number for number, _ in numbers), default=None)


def test_an_array_that_is_not_ready_is_not_waited_for() -> None:
    """It is read by value(), or when it is ready."""
    first, second = Computed(1.0), Computed(2.0)
    peak = Peak()
    peak.add(first)
    first.is_done = True
    peak.add(second)
    assert (first.reads, second.reads) == (1, 0)
    assert peak.value() == 2.0
