"""Starts the workers, and starts one again when it has died or does not answer."""

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
_SILENT_SECONDS = 30.0
_INTERVALS = 10
"""In which the silence of a worker is counted. One in which this process is stopped counts once."""
_COMMAND = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from toposcope.server.workers.worker import main; "
    "main(*map(int, sys.argv[2:]))"
)

log = logging.getLogger(__name__)


class _Worker:
    """A worker process."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.silence: int | None = None
        """For how many intervals it has not reported that it answers; None: it is starting, which takes any time."""
        self.was_killed = False
        """Whether it was killed for its silence."""

    def note_report(self) -> None:
        """Note that it has reported that it answers."""
        self.silence = 0

    def note_interval(self) -> None:
        """Note that an interval has passed; kill it if there were too many without a report."""
        if self.silence is not None:
            self.silence += 1
            if self.silence > _INTERVALS:
                self.was_killed = True
                self.process.kill()


class Workers:
    """Worker processes that accept connections from one listening socket.

    Args:
        count: how many.
        publisher: keeps them up to date.
        settings: how they serve.
        listener: a listening socket.
        silent_seconds: how long a worker may not answer before it is killed.
    """

    def __init__(
        self,
        count: int,
        publisher: Publisher,
        settings: Settings,
        listener: socket.socket,
        silent_seconds: float = _SILENT_SECONDS,
    ) -> None:
        self._publisher = publisher
        self._settings = settings
        self._listener = listener
        self._silent_seconds = silent_seconds
        self._stopping = threading.Event()
        self._workers: dict[int, _Worker] = {}
        self._lock = threading.Lock()
        self._threads = [
            threading.Thread(target=self._keep, args=(number,), name=f"toposcope-worker-{number}", daemon=True)
            for number in range(count)
        ]
        self._threads.append(threading.Thread(target=self._watch, name="toposcope-worker-watch", daemon=True))

    def start(self) -> None:
        """Start the workers."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End the workers; returns when they have ended."""
        with self._lock:
            self._stopping.set()
            for worker in self._workers.values():
                worker.process.terminate()
        for thread in self._threads:
            thread.join(_END_SECONDS)
        for worker in self._workers.values():
            worker.process.kill()

    def _watch(self) -> None:
        """Kill workers that do not answer."""
        while not self._stopping.wait(self._silent_seconds / _INTERVALS):
            with self._lock:
                for worker in self._workers.values():
                    worker.note_interval()

    def _keep(self, number: int) -> None:
        """Run one worker after another until the server stops."""
        pause = 0.0
        while not self._stopping.wait(pause):
            started = time.monotonic()
            try:
                ending = self._run(number)
            except Exception as error:  # The top of the thread: the worker is started again.
                log.error("worker %d failed", number, exc_info=error)
                ending = ""
            if self._stopping.is_set():
                return
            is_early = time.monotonic() - started < _STARTED_SECONDS
            pause = min(max(1.0, 2 * pause), _LONGEST_PAUSE_SECONDS) if is_early and pause else 0.1 if is_early else 0.0
            if ending:
                log.warning("worker %d %s and is started again", number, ending)

    def _run(self, number: int) -> str:
        """Run a worker until it ends; return how it ended."""
        ours, theirs = socket.socketpair()
        with theirs:
            # The settings contain the token, so they are no arguments, which every user of the machine can read.
            inherited = [theirs.fileno(), self._listener.fileno()]
            command = [sys.executable, "-P", "-c", _COMMAND, json.dumps(sys.path), *map(str, inherited)]
            with self._lock:
                if self._stopping.is_set():
                    ours.close()
                    return ""
                # A session of its own: Ctrl-C is for the process that loads, which ends the workers.
                process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, pass_fds=inherited, start_new_session=True
                )
                worker = self._workers[number] = _Worker(process)
        self._publisher.serve(str(number), ours, self._settings, worker.note_report)
        if not self._stopping.is_set():
            process.terminate()  # It has lost its connection, if it has not ended.
        try:
            status = process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        if worker.was_killed:
            return f"did not answer for {self._silent_seconds:g} s, was killed"
        return f"ended with {_name(status)}"


def _name(status: int) -> str:
    try:
        return signal.Signals(-status).name if status < 0 else f"status {status}"
    except ValueError:
        return f"signal {-status}"
