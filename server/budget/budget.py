"""Computes heavy requests within a budget: in threads of their own, cancelled when nobody waits for them."""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, NamedTuple, TypeVar

from toposcope.server.budget.admission import Admission
from toposcope.server.budget.cancellation import cancelled_by
from toposcope.server.budget.cost import Cost, check_cost

MEMORY_LIMIT = 1 << 30
"""Bytes."""
_THREADS = max(2, (os.cpu_count() or 2) // 2)
_NICENESS = 5

Result = TypeVar("Result")


class Computed(NamedTuple, Generic[Result]):
    """The result of a computation, whose memory is taken until it is released."""

    result: Result
    release: Callable[[], None]


class Budget:
    """What the requests of a server may compute at a time. Used in one event loop only.

    Args:
        memory: bytes that all heavy requests may take together.
    """

    def __init__(self, memory: int = MEMORY_LIMIT) -> None:
        self._admission = Admission(_THREADS, memory)
        self._threads = ThreadPoolExecutor(_THREADS, "toposcope-heavy", _give_way)
        self._computing = set[threading.Event]()
        """Set to cancel what is computed."""

    async def compute(self, client: str, cost: Cost, work: Callable[[], Result]) -> Computed[Result]:
        """Compute in a thread when the request is admitted; if this is cancelled, the thread ends at its next check().

        Args:
            client: whose request it is: clients take turns.
            cost: of the work.
            work: computes the result.

        Raises:
            QueueFullError: too many requests wait.
            TooExpensiveError: the request exceeds a limit.
        """
        check_cost(cost, self._admission.memory)
        await self._admission.enter(client, cost)
        is_delivered = False

        def leave() -> None:
            self._admission.leave_place()
            if not is_delivered:
                self._admission.free(cost.bytes)

        result = await self._run(work, leave)
        is_delivered = True
        return Computed(result, lambda: self._admission.free(cost.bytes))

    async def compute_part(self, work: Callable[[], Result]) -> Result:
        """Compute the next part of a result that is sent in parts; it was admitted with the first one."""
        return await self._run(work, lambda: None)

    async def _run(self, work: Callable[[], Result], ended: Callable[[], None]) -> Result:
        """Compute in a thread; `ended` is called after that, which is later than the end of this if it is cancelled."""
        loop, cancelled = asyncio.get_running_loop(), threading.Event()
        self._computing.add(cancelled)

        def run() -> Result:
            with cancelled_by(cancelled):
                return work()

        def leave() -> None:
            self._computing.discard(cancelled)
            ended()

        def notify(_: "Future[Result]") -> None:
            with contextlib.suppress(RuntimeError):  # The server has ended.
                loop.call_soon_threadsafe(leave)

        future = self._threads.submit(run)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        finally:
            future.add_done_callback(notify)  # Called after this, so that `ended` knows whether the result was taken.

    def stop(self) -> None:
        """Cancel everything; returns at once."""
        for cancelled in self._computing:
            cancelled.set()
        self._threads.shutdown(wait=False, cancel_futures=True)


def _give_way() -> None:
    """Lower the priority of this thread, where threads have one."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
