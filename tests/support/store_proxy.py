"""A proxy between clients and a store: counts requests, and delays them or makes some fail."""

import contextlib
import http.client
import http.server
import threading
import time
import urllib.parse
from collections.abc import Iterator
from typing import NamedTuple

_NOT_FORWARDED = {"connection", "transfer-encoding", "content-length", "date", "server"}


class Request(NamedTuple):
    """A request that reached the proxy."""

    method: str
    path: str
    range: str | None
    """Its header Range."""
    sent: int = 0
    """Bytes of its body."""


class StoreProxy:
    """Forwards requests to a store; its attributes may change at any time.

    Args:
        target: URL of the store.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self.delay = 0.0
        """Seconds before each request."""
        self.fail_every = 0
        """Each request with such a number gets the status 503; 0: none does."""
        self.ignored_header = ""
        """A header of requests that does not reach the store, in lower case."""
        self.requests: list[Request] = []
        self.failed = 0
        """How many got the status 503 from here."""
        self.most_at_once = 0
        """The largest number of requests that were delayed at the same time."""
        self._delayed = 0
        self._counting = threading.Lock()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def serve(self) -> None:
        """Answer until close() is called."""
        self._server.serve_forever(0.05)

    def close(self) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()

    def reads(self) -> list[Request]:
        """Return the requests for objects, apart from listings."""
        return [request for request in self.requests if "list-type=2" not in request.path]

    def wait(self) -> None:
        """Wait as long as each request is delayed."""
        with self._counting:
            self._delayed += 1
            self.most_at_once = max(self.most_at_once, self._delayed)
        time.sleep(self.delay)
        with self._counting:
            self._delayed -= 1

    def admit(self, request: Request) -> bool:
        """Count a request; return whether it is forwarded."""
        with self._counting:
            self.requests.append(request)
            is_admitted = not self.fail_every or len(self.requests) % self.fail_every != 0
            self.failed += not is_admitted
        return is_admitted

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                """Forward a request."""
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                proxy.wait()
                if not proxy.admit(Request(self.command, self.path, self.headers.get("Range"), len(body))):
                    self.send_error(503)
                    return
                host = urllib.parse.urlsplit(proxy.target).netloc
                headers = {name: text for name, text in self.headers.items() if name.lower() != proxy.ignored_header}
                try:
                    connection = http.client.HTTPConnection(host)
                    connection.request(self.command, self.path, body or None, headers)
                    reply = connection.getresponse()
                    content = reply.read()
                except OSError:  # The store is gone, and so is the client's connection to it.
                    self.close_connection = True
                    return
                connection.close()
                self.send_response(reply.status)
                for name, value in reply.getheaders():
                    if name.lower() not in _NOT_FORWARDED:
                        self.send_header(name, value)
                length = reply.getheader("Content-Length") if self.command == "HEAD" else str(len(content))
                self.send_header("Content-Length", length or "0")
                self.end_headers()
                self.wfile.write(content)

            def do_HEAD(self) -> None:
                """Forward a request."""
                self.do_GET()

            def do_PUT(self) -> None:
                """Forward a request."""
                self.do_GET()

            def do_POST(self) -> None:
                """Forward a request."""
                self.do_GET()

            def do_DELETE(self) -> None:
                """Forward a request."""
                self.do_GET()

            def log_message(self, format: str, *arguments: object) -> None:
                """Print nothing."""

        return Handler


@contextlib.contextmanager
def store_proxy(target: str) -> Iterator[StoreProxy]:
    """Start a proxy in a thread; end it when the block ends."""
    proxy = StoreProxy(target)
    thread = threading.Thread(target=proxy.serve, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        proxy.close()
        thread.join()
