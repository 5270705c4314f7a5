"""Limits of connections: how many there are, how long one may take to send a request, and to receive a reply.

A connection that exceeds a limit is answered, 503 or 408, and closed. When there are too many, the one that has waited
longest for a request is closed instead, so that connections without requests do not keep others out.
"""

import asyncio
import logging
import resource
import time
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS = 4096
"""If the system allows so many descriptors."""
HEAD_SECONDS, BODY_SECONDS = 10.0, 60.0
"""How long the head, and all of a request, may take to arrive."""
WRITE_SECONDS = 60.0
"""How long a client may receive nothing of a reply that waits for it."""
MAX_UNSENT_BYTES = 512 << 20
"""The size of the replies that wait for their clients, of all connections."""
_WANTED_DESCRIPTORS = 65_536
_RESERVED_DESCRIPTORS = 256
"""For event files, the index, notes and subprocesses."""
_MAX_REFUSED = 64
_REFUSED_SECONDS = 1.0
"""So many connections beyond the limit may wait for so long to be answered with 503."""
IDLE_SECONDS = 1.0
"""A connection that has waited for less is not closed for another one."""

log = logging.getLogger(__name__)


def raise_descriptor_limit() -> int:
    """Let this process open as many files as it may; return how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(_WANTED_DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):  # Some systems allow less than they say.
            return soft
        return wanted
    return _WANTED_DESCRIPTORS if soft == resource.RLIM_INFINITY else soft


def connection_limit(descriptors: int) -> int:
    """Return how many connections a process with so many descriptors may have."""
    return min(MAX_CONNECTIONS, descriptors - min(_RESERVED_DESCRIPTORS, descriptors // 2))


class LimitedConnection(H11Protocol):
    """A connection of uvicorn with limits."""

    most: ClassVar[int] = MAX_CONNECTIONS
    """How many connections the process may have."""
    present: ClassVar[int] = 0
    """How many it has."""
    _deadline: asyncio.TimerHandle | None = None
    """The deadline of the request that is awaited."""
    _next_check: asyncio.TimerHandle | None = None
    """The next check of a client that has not received what was sent, also if that was all of the reply."""
    waiting_since = 0.0
    _paused_since = 0.0
    _unsent = 0
    _is_refused = False
    """Whether it is closed when its request arrives: a client that is still sending would not see the answer."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection, or answer 503 and close it if there are too many."""
        LimitedConnection.present += 1
        self.waiting_since = time.monotonic()
        if len(self.connections) >= self.most and not close_idle(self.connections):
            log.warning("%d connections are open: others are answered with 503", len(self.connections))
            super().connection_made(transport)
            self._is_refused = True
            if len(self.connections) < self.most + _MAX_REFUSED:
                self._limit(_REFUSED_SECONDS)
            else:
                self._expire()
            return
        super().connection_made(transport)
        self._limit(HEAD_SECONDS)

    @property
    def is_answering(self) -> bool:
        """Whether a request has arrived, at least its head, that is not answered yet."""
        return self.cycle is not None and not self.cycle.response_complete

    def data_received(self, data: bytes) -> None:
        """Read a part of a request."""
        if self._is_refused:
            self._expire()
            return
        if self._deadline is None and not self.is_answering:
            self._limit(HEAD_SECONDS)
        was_answering = self.is_answering
        super().data_received(data)
        if not self.is_answering:
            return
        if not self.cycle.more_body:
            self._unlimit()
        elif not was_answering:
            self._limit(BODY_SECONDS)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self.waiting_since = time.monotonic()
        self._unlimit()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        LimitedConnection.present -= 1
        self._unlimit()
        self._check_no_more()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait until the client has received more of the reply."""
        super().pause_writing()
        self._paused_since = time.monotonic()
        self._unsent = self.transport.get_write_buffer_size()
        self._next_check = self._next_check or self.loop.call_later(WRITE_SECONDS, self._check_receiving)
        self._close_unread()

    def _close_unread(self) -> None:
        """Close the connections that have waited longest for their clients while they hold too much together."""
        waiting = [each for each in self.connections if isinstance(each, LimitedConnection) and each._next_check]
        unsent = {each: each.transport.get_write_buffer_size() for each in waiting}
        total = sum(unsent.values())
        for connection in sorted(unsent, key=lambda each: each._paused_since)[:-1]:
            if total <= MAX_UNSENT_BYTES:
                break
            total -= unsent[connection]
            connection.transport.abort()

    def resume_writing(self) -> None:
        """Go on writing."""
        self._check_no_more()
        super().resume_writing()

    def _check_receiving(self) -> None:
        self._next_check = None
        unsent = self.transport.get_write_buffer_size()
        if unsent >= self._unsent:
            self.transport.abort()
            return
        self._unsent = unsent
        self._next_check = self.loop.call_later(WRITE_SECONDS, self._check_receiving)

    def _check_no_more(self) -> None:
        if self._next_check is not None:
            self._next_check.cancel()
            self._next_check = None

    def _limit(self, seconds: float) -> None:
        """Close the connection if the request has not arrived after some seconds."""
        self._unlimit()
        self._deadline = self.loop.call_later(seconds, self._expire)

    def _unlimit(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _expire(self) -> None:
        self._deadline = None
        if self._is_refused:
            self._refuse(503, "Service Unavailable", "Too many connections are open: try again soon.")
        elif self.is_answering:  # Its answer is not an HTTP message that this one could follow.
            self.transport.abort()
        else:
            self._refuse(408, "Request Timeout", "The request did not arrive in time.")

    def _refuse(self, status: int, phrase: str, detail: str) -> None:
        """Send a reply without a request, and close."""
        head = f"HTTP/1.1 {status} {phrase}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(detail)}"
        retry = "\r\nRetry-After: 2" if status == 503 else ""
        self.transport.write(f"{head}{retry}\r\nConnection: close\r\n\r\n{detail}".encode())
        self.transport.close()


def close_idle(connections: set[Any]) -> bool:
    """Close the connection that has waited longest for a request; return False if none has waited for long."""
    waiting = [each for each in connections if isinstance(each, LimitedConnection) and not each.is_answering]
    oldest = min(waiting, key=lambda each: each.waiting_since, default=None)
    if oldest is None or time.monotonic() - oldest.waiting_since < IDLE_SECONDS:
        return False
    oldest.transport.abort()
    connections.discard(oldest)
    return True
