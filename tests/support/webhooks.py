"""A local receiver of webhooks, which refuses, fails or hangs if a test wants it to."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from support.servers import wait_until

RulesFor = Callable[..., str]
"""Writes a file of rules with some conditions, by which they are named, and returns its path."""


class Receiver:
    """Keeps what it received."""

    def __init__(self) -> None:
        self.received: list[dict[str, Any]] = []
        """The contents of the requests that it answered with success."""
        self.headers: list[dict[str, str]] = []
        self.requests = 0
        self.answers: list[int] = []
        """The statuses of the next requests; 0: it hangs. Afterwards it answers 200."""
        self.released = threading.Event()
        """Ends the requests that hang."""
        self.url = ""

    def wait_for(self, number: int) -> list[dict[str, Any]]:
        """Wait until it has received so many alerts; return them."""
        wait_until(lambda: len(self.received) >= number)
        return self.received

    def of_run(self, run: str) -> list[dict[str, Any]]:
        """Return what it received about a run."""
        return [each for each in self.received if each["run"] == run]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Receive webhooks at a free port."""
    receiver, lock = Receiver(), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                receiver.requests += 1
                status = receiver.answers.pop(0) if receiver.answers else 200
            if not status:
                receiver.released.wait(60)
                return
            if status == 200:
                with lock:
                    receiver.received.append(content)
                    receiver.headers.append(dict(self.headers))
            self.send_response(status)
            self.send_header("Content-Length", "0")
            if 300 <= status < 400:
                self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    receiver.url = f"http://127.0.0.1:{server.server_port}/hook"
    try:
        yield receiver
    finally:
        receiver.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
