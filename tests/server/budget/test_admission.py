"""Which heavy requests are admitted, and in which order."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from support.loops import run_alone

from toposcope.server.budget.admission import MAX_WAITING, Admission, QueueFullError
from toposcope.server.budget.cost import Cost

ADMITTED = list[str]


async def run_ready_tasks() -> None:
    """Let other tasks run until they wait."""
    for _ in range(5):
        await asyncio.sleep(0)


def waiting(admission: Admission, log: ADMITTED, *requests: tuple[str, str, int]) -> list[asyncio.Task[None]]:
    """Start requests (client, name, bytes), which note their names when they are admitted."""

    async def enter(client: str, name: str, size: int) -> None:
        await admission.enter(client, Cost(1.0, size))
        log.append(name)

    return [asyncio.ensure_future(enter(*request)) for request in requests]


def run(test: Coroutine[Any, Any, None]) -> None:
    """Run a test in an event loop of its own."""
    run_alone(test)


def test_clients_take_turns() -> None:
    """One with many requests does not keep another one out."""

    async def turns() -> None:
        admission, log = Admission(1, 100), ADMITTED()
        waiting(admission, log, ("a", "a1", 0), ("a", "a2", 0), ("a", "a3", 0), ("b", "b1", 0))
        for _ in range(4):
            await run_ready_tasks()
            admission.leave_place()
        assert log == ["a1", "a2", "b1", "a3"]

    run(turns())


def test_memory_is_never_exceeded() -> None:
    """A request waits until its memory is free; one that needs less goes first meanwhile."""

    async def fit() -> None:
        admission, log = Admission(3, 100), ADMITTED()
        waiting(admission, log, ("a", "large", 80), ("b", "larger", 90), ("c", "small", 10))
        await run_ready_tasks()
        assert log == ["large", "small"]
        admission.free(80)
        await run_ready_tasks()
        assert log == ["large", "small", "larger"]

    run(fit())


def test_a_full_queue_refuses_and_says_when_to_try_again() -> None:
    """Of the requests that it refuses nothing remains."""

    async def fill() -> None:
        admission, log = Admission(1, 100), ADMITTED()
        tasks = waiting(admission, log, *[("a", "", 0)] * (MAX_WAITING + 1))
        await run_ready_tasks()
        with pytest.raises(QueueFullError) as refused:
            await admission.enter("b", Cost(1.0, 0))
        assert refused.value.retry_after == 60
        for task in tasks:
            task.cancel()
        await run_ready_tasks()
        assert admission.waiting == 0

    run(fill())


def test_who_leaves_the_queue_takes_nothing() -> None:
    """The requests behind are admitted as if it had never come, also if it leaves in its turn."""

    async def leave() -> None:
        admission, log = Admission(1, 100), ADMITTED()
        waiting(admission, log, ("a", "first", 100))
        await run_ready_tasks()
        _, second, third = waiting(admission, log, ("a", "", 0), ("b", "second", 50), ("a", "third", 100))
        second.cancel()
        await run_ready_tasks()
        admission.leave_place()
        admission.free(100)
        await run_ready_tasks()
        admission.leave_place()
        await run_ready_tasks()
        assert log == ["first", "", "third"]
        assert third.done()

    run(leave())


def test_a_request_is_not_admitted_while_its_client_leaves() -> None:
    """The place that becomes free in the same moment is that of the next request."""

    async def leave() -> None:
        admission, log = Admission(1, 100), ADMITTED()
        waiting(admission, log, ("a", "first", 100))
        await run_ready_tasks()
        second, _ = waiting(admission, log, ("b", "second", 100), ("b", "third", 100))
        await run_ready_tasks()
        second.cancel()
        admission.leave_place()
        admission.free(100)
        await run_ready_tasks()
        assert log == ["first", "third"]

    run(leave())
