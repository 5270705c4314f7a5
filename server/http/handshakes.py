"""TLS handshakes, with the limits of connections: how many there are, and how long one may take.

asyncio counts a connection once its handshake is finished. Here it counts from accept on.
"""

import asyncio
import contextlib
import ssl
import time
from typing import Any

from toposcope.server.http.connections import HEAD_SECONDS, IDLE_SECONDS, LimitedConnection, close_idle

MAX_HANDSHAKES = 512
"""Each holds 300 KB. Of more, the one that has taken longest is closed."""


class Handshakes:
    """Those of a server that are not finished, the oldest first.

    Args:
        certfile: of a certificate.
        keyfile: of its private key; None: it is in `certfile`.
    """

    def __init__(self, certfile: str, keyfile: str | None) -> None:
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certfile, keyfile)
        self._pending: dict[Handshake, float] = {}
        """When each began."""

    def begin(self, handshake: "Handshake") -> bool:
        """Count a handshake; return False if it has to be closed, as there are too many connections."""
        while len(self._pending) >= MAX_HANDSHAKES or len(self._pending) + LimitedConnection.present >= (
            LimitedConnection.most
        ):
            if not self._close_oldest() and not close_idle(handshake.connections):
                return False
        self._pending[handshake] = time.monotonic()
        return True

    def end(self, handshake: "Handshake") -> None:
        """Forget a handshake, which may be forgotten already."""
        self._pending.pop(handshake, None)

    def _close_oldest(self) -> bool:
        """Close the handshake that has taken longest; return False if none has taken long."""
        oldest = next(iter(self._pending), None)
        if oldest is None or time.monotonic() - self._pending[oldest] < IDLE_SECONDS:
            return False
        self.end(oldest)
        oldest.abort()
        return True


class Handshake(asyncio.Protocol):
    """A connection that becomes a LimitedConnection once it is encrypted.

    Args:
        handshakes: count it.
        options: those of uvicorn for the connection.
    """

    def __init__(self, handshakes: Handshakes, **options: Any) -> None:
        self._handshakes = handshakes
        self._options = options
        self._transport: asyncio.Transport | None = None
        self._task: asyncio.Task[None] | None = None
        self._received: list[bytes] = []
        """Data that came with the last message of the handshake."""
        self._is_lost = False

    @property
    def connections(self) -> set[Any]:
        """The connections of the server whose handshakes are finished."""
        connections: set[Any] = self._options["server_state"].connections
        return connections

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the handshake, or close the connection if there are too many."""
        if self._task is not None:  # The encrypted transport calls this again on some versions of Python.
            return
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if self._handshakes.begin(self):
            self._task = asyncio.ensure_future(self._encrypt(transport))
        else:
            transport.abort()

    async def _encrypt(self, transport: asyncio.Transport) -> None:
        loop = asyncio.get_running_loop()
        encrypted = None
        with contextlib.suppress(OSError):  # Errors of TLS, of the network, and that it took too long.
            encrypted = await loop.start_tls(
                transport, self, self._handshakes.context, server_side=True, ssl_handshake_timeout=HEAD_SECONDS
            )
        self._handshakes.end(self)
        if encrypted is None or self._is_lost:
            transport.abort()
            return
        connection = LimitedConnection(**self._options)
        encrypted.set_protocol(connection)
        connection.connection_made(encrypted)
        for data in self._received:
            connection.data_received(data)

    def abort(self) -> None:
        """Close the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """Keep what arrives before the connection takes over."""
        self._received.append(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Remember that there is no connection to take over."""
        self._is_lost = True
        self._handshakes.end(self)
