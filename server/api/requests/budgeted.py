"""Answers requests within the budget of the server: light ones at once, heavy ones when they are admitted."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from fastapi import HTTPException, Request, Response
from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.types import Receive, Scope, Send

from toposcope.server.budget.admission import QueueFullError
from toposcope.server.budget.budget import Budget
from toposcope.server.budget.cancellation import CancelledError
from toposcope.server.budget.cost import Cost, TooExpensiveError
from toposcope.server.budget.turns import in_turns

_PART_BYTES = 1 << 20
"""The bytes of a large reply that are sent at a time, so that other requests do not wait while they are copied."""
_CLIENT_LEFT = 499
"""A status that nobody receives."""


class Work(NamedTuple):
    """What remains of a request after its cost is known."""

    cost: Cost
    compute: Callable[[], Response]


async def within_budget(request: Request, plan: Callable[[], Response | Work]) -> Response:
    """Return the reply to a request.

    Args:
        request: is watched while it waits: when the client leaves, the work is cancelled.
        plan: returns the reply, or what has to be computed for it; takes little time itself.

    Raises:
        HTTPException: 503 if too many heavy requests wait, 422 if it exceeds a limit.
    """
    planned = await run_in_threadpool(_planned, plan)
    if isinstance(planned, Response):
        return planned
    computing = asyncio.ensure_future(_compute(request, planned))
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait([computing, leaving], return_when=asyncio.FIRST_COMPLETED)
        return computing.result() if computing.done() else Response(status_code=_CLIENT_LEFT)
    finally:
        leaving.cancel()
        computing.cancel()


def _planned(plan: Callable[[], Response | Work]) -> Response | Work:
    planned = plan()
    if not isinstance(planned, Work) or not planned.cost.is_light:
        return planned
    with in_turns():
        return planned.compute()


async def _compute(request: Request, work: Work) -> Response:
    with _as_replies():
        reply, release = await budget_of(request).compute(_client(request), work.cost, work.compute)
    return _LargeReply(reply, release)


@contextmanager
def _as_replies() -> Iterator[None]:
    """Turn the errors of the budget into replies."""
    try:
        yield
    except QueueFullError as error:
        raise HTTPException(503, str(error), {"Retry-After": str(error.retry_after)}) from error
    except TooExpensiveError as error:
        raise HTTPException(422, str(error)) from error
    except CancelledError as error:
        raise HTTPException(503, "the server stops") from error


async def _left(request: Request) -> None:
    """Wait until the client leaves; the body of the request has been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def budget_of(request: Request) -> Budget:
    """Return the budget of the server."""
    budget: Budget = request.app.state.budget
    return budget


def _client(request: Request) -> str:
    return request.client.host if request.client else ""


class _LargeReply(Response):
    """A reply that is sent in parts, and releases its memory when that has ended.

    Args:
        reply: with its body.
        release: is called once.
    """

    def __init__(self, reply: Response, release: Callable[[], None]) -> None:
        super().__init__(None, reply.status_code)
        self.raw_headers = reply.raw_headers
        self.body = reply.body
        self._release = release

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the reply."""
        body = memoryview(self.body)
        try:
            start = {"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers}
            await send(start)
            for begin in range(0, len(body) or 1, _PART_BYTES):
                part, is_last = bytes(body[begin : begin + _PART_BYTES]), begin + _PART_BYTES >= len(body)
                await send({"type": "http.response.body", "body": part, "more_body": not is_last})
        finally:
            self._release()


async def in_parts(request: Request, cost: Cost, parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Return the parts of a long reply; each is computed when the client has taken the one before.

    Args:
        request: of the client.
        cost: of computing what several parts are made of. More than that takes only time.
        parts: not empty; the first one is computed before this returns.

    Raises:
        HTTPException: as within_budget().
    """
    if cost.is_light:
        return iterate_in_threadpool(parts)
    budget = budget_of(request)
    with _as_replies():
        first, release = await budget.compute(_client(request), cost, lambda: next(parts))

    async def stream() -> AsyncIterator[bytes]:
        try:
            part: bytes | None = first
            while part is not None:
                yield part
                part = await budget.compute_part(lambda: next(parts, None))
        finally:
            release()

    return stream()
