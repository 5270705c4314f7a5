"""Starts the workers, and starts one again when it has died."""

import json
import logging
import signal
import socket
import subprocess
import sys
import threading
import time

from toposcope.server.workers.publisher import Publisher
from toposcope.server.workers.settings import Settings

_STARTED_SECONDS = 10.0
"""A worker that dies earlier is started again after a pause."""
_LONGEST_PAUSE_SECONDS = 30.0
_END_SECONDS = 2.0
_COMMAND = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from toposcope.server.workers.worker import main; "
    "main(*map(int, sys.argv[2:]))"
)

log = logging.getLogger(__name__)


class Workers:
    """Worker processes that accept connections from one listening socket.

    Args:
        count: how many.
        publisher: keeps them up to date.
        settings: how they serve.
        listener: a listening socket.
    """

    def __init__(self, count: int, publisher: Publisher, settings: Settings, listener: socket.socket) -> None:
        self._publisher = publisher
        self._settings = settings
        self._listener = listener
        self._stopping = threading.Event()
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._keep, args=(number,), name=f"toposcope-worker-{number}", daemon=True)
            for number in range(count)
        ]

    def start(self) -> None:
        """Start the workers."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End the workers; returns when they have ended."""
        with self._lock:
            self._stopping.set()
            for process in self._processes.values():
                process.terminate()
        for thread in self._threads:
            thread.join(_END_SECONDS)
        for process in self._processes.values():
            process.kill()

    def _keep(self, number: int) -> None:
        """Run one worker after another until the server stops."""
        pause = 0.0
        while not self._stopping.wait(pause):
            started = time.monotonic()
            try:
                status = self._run(number)
            except Exception as error:  # The top of the thread: the worker is started again.
                log.error("worker %d failed", number, exc_info=error)
                status = None
            if self._stopping.is_set():
                return
            is_early = time.monotonic() - started < _STARTED_SECONDS
            pause = min(max(1.0, 2 * pause), _LONGEST_PAUSE_SECONDS) if is_early and pause else 0.1 if is_early else 0.0
            if status is not None:
                log.warning("worker %d ended with %s and is started again", number, _ending(status))

    def _run(self, number: int) -> int:
        """Run a worker until it ends; return its exit status."""
        ours, theirs = socket.socketpair()
        with theirs:
            # The settings contain the token, so they are no arguments, which every user of the machine can read.
            inherited = [theirs.fileno(), self._listener.fileno()]
            command = [sys.executable, "-P", "-c", _COMMAND, json.dumps(sys.path), *map(str, inherited)]
            with self._lock:
                if self._stopping.is_set():
                    ours.close()
                    return 0
                # A session of its own: Ctrl-C is for the process that loads, which ends the workers.
                process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, pass_fds=inherited, start_new_session=True
                )
                self._processes[number] = process
        self._publisher.serve(ours, self._settings)
        if not self._stopping.is_set():
            process.terminate()  # It has lost its connection, if it has not ended.
        try:
            return process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()


def _ending(status: int) -> str:
    try:
        return signal.Signals(-status).name if status < 0 else f"status {status}"
    except ValueError:
        return f"signal {-status}"
