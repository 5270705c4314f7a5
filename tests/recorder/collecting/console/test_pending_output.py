"""What was written and is not recorded yet, in bounded memory."""

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from toposcope.recorder.collecting.console.pending_output import PendingOutput

LINES = 100_000


@pytest.fixture
def many_switches() -> Iterator[None]:
    """Let threads take turns as often as possible."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("many_switches")
def test_dropped_lines_are_counted_once_while_another_thread_takes_the_count() -> None:
    for _ in range(5):
        pending, has_ended = PendingOutput(), threading.Event()
        with ThreadPoolExecutor(1) as executor:
            taken = executor.submit(taken_until, has_ended, pending)
            add = pending.adder(1)
            for _ in range(LINES):
                add("line\n")
            has_ended.set()

        assert taken.result() + pending.take_dropped_lines() + len(pending.take()) == LINES


def taken_until(has_ended: threading.Event, pending: PendingOutput) -> int:
    """Take the count of dropped lines again and again; return the sum."""
    count = 0
    while not has_ended.is_set():
        count += pending.take_dropped_lines()
    return count
