"""Admits heavy requests: a few at a time, as long as their memory is free, and fairly by client."""

import asyncio
from collections import OrderedDict, deque
from typing import NamedTuple

from toposcope.server.budget.cost import Cost

MAX_WAITING = 128
"""Requests; further ones are refused."""
_LONGEST_PAUSE = 60


class QueueFullError(Exception):
    """Too many heavy requests wait."""

    def __init__(self, retry_after: int) -> None:
        super().__init__("the server computes other requests at present: try again soon")
        self.retry_after = retry_after
        """Seconds after which there may be room."""


class _Waiting(NamedTuple):
    cost: Cost
    turn: asyncio.Future[None]


class Admission:
    """The requests that wait, by client, and what those take that were admitted. Used in one event loop only.

    Args:
        places: how many requests are computed at a time.
        memory: bytes that all admitted requests may take together.
    """

    def __init__(self, places: int, memory: int) -> None:
        self._places, self._free_places = places, places
        self.memory = memory
        self._free_memory = memory
        self._clients = OrderedDict[str, deque[_Waiting]]()
        """In the order of their turns."""

    @property
    def waiting(self) -> int:
        """How many requests wait."""
        return sum(map(len, self._clients.values()))

    async def enter(self, client: str, cost: Cost) -> None:
        """Wait until a request is admitted: it has a place and its memory then.

        Raises:
            QueueFullError: too many wait.
        """
        if self.waiting >= MAX_WAITING:
            seconds = sum(each.cost.seconds for queue in self._clients.values() for each in queue)
            raise QueueFullError(min(_LONGEST_PAUSE, 1 + round(seconds / self._places)))
        waiting = _Waiting(cost, asyncio.get_running_loop().create_future())
        self._clients.setdefault(client, deque()).append(waiting)
        self._admit()
        try:
            await waiting.turn
        except asyncio.CancelledError:
            if waiting.turn.cancelled():
                self._forget(client, waiting)
            else:  # It was admitted just now.
                self.leave_place()
                self.free(cost.bytes)
            raise

    def leave_place(self) -> None:
        """End the computation of a request; its memory stays taken until it is freed."""
        self._free_places += 1
        self._admit()

    def free(self, size: int) -> None:
        """Give back bytes of memory."""
        self._free_memory += size
        self._admit()

    def _admit(self) -> None:
        while self._free_places and (client := self._next()):
            queue = self._clients.pop(client)
            waiting = queue.popleft()
            if queue:
                self._clients[client] = queue  # Behind all others.
            if waiting.turn.cancelled():  # Its client has left just now.
                continue
            self._free_places -= 1
            self._free_memory -= waiting.cost.bytes
            waiting.turn.set_result(None)

    def _next(self) -> str | None:
        """Return the first client whose first request fits."""
        return next(
            (client for client, (first, *_) in self._clients.items() if first.cost.bytes <= self._free_memory), None
        )

    def _forget(self, client: str, waiting: _Waiting) -> None:
        queue = self._clients.get(client, deque())
        if waiting in queue:
            queue.remove(waiting)
            if not queue:
                del self._clients[client]
