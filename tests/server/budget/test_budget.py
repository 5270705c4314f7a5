"""The threads of heavy requests: what is cancelled, and whose place and memory is free then."""

import asyncio
import threading
import time

import pytest
from support.loops import run_alone

from toposcope.server.budget.budget import Budget
from toposcope.server.budget.cancellation import CancelledError, check
from toposcope.server.budget.cost import MAX_SECONDS, Cost, TooExpensiveError

MOST = 1000


def test_who_leaves_ends_the_computation() -> None:
    """Its thread ends at the next check, and its memory is free for others."""
    ended = threading.Event()

    def compute_for_ever() -> None:
        try:
            while True:
                check()
                time.sleep(0.001)
        except CancelledError:
            ended.set()
            raise

    async def leave() -> int:
        budget = Budget(MOST)
        everything = Cost(1.0, MOST)
        task = asyncio.ensure_future(budget.compute("a", everything, compute_for_ever))
        await asyncio.sleep(0.01)
        task.cancel()
        computed = await budget.compute("b", everything, lambda: 7)
        budget.stop()
        return computed.result

    assert run_alone(leave()) == 7
    assert ended.is_set()


def test_memory_of_a_reply_is_taken_until_it_is_sent() -> None:
    """The next request waits for it."""

    async def send() -> None:
        budget = Budget(MOST)
        first = await budget.compute("a", Cost(1.0, MOST), lambda: 1)
        second = asyncio.ensure_future(budget.compute("a", Cost(1.0, MOST), lambda: 2))
        await asyncio.wait([second], timeout=0.05)
        assert not second.done()
        first.release()
        assert (await second).result == 2
        budget.stop()

    run_alone(send())


@pytest.mark.parametrize(
    ("cost", "limit"), [(Cost(2 * MAX_SECONDS, 0), "at most 60 s"), (Cost(1.0, 2 << 20), "at most 1 MiB")]
)
def test_what_can_never_be_computed_is_refused(cost: Cost, limit: str) -> None:
    """The error names the limit."""

    async def refuse() -> None:
        with pytest.raises(TooExpensiveError, match=limit):
            await Budget(1 << 20).compute("a", cost, lambda: 1)

    run_alone(refuse())


def test_what_fails_frees_its_memory() -> None:
    """The error is that of the work."""

    async def fail() -> None:
        budget = Budget(MOST)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await budget.compute("a", Cost(1.0, MOST), lambda: 1 // 0)
        budget.stop()

    run_alone(fail())
