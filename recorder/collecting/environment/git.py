"""Git: runs git commands that only read, within a time limit and without running anything else."""

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

_SETTINGS = (
    # Git would otherwise refresh the index, for which "diff" takes its lock even with --no-optional-locks.
    *("--no-optional-locks", "-c", "diff.autoRefreshIndex=false"),
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "diff.relative=false"),
)
_VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ALLOW_PROTOCOL": "none",  # A partial clone would download the blobs that it lacks.
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
_CHUNK = 1 << 16
_POLL_SECONDS = 0.1


def _read_beginning(chunks: Iterator[bytes]) -> tuple[bytes, int]:
    content = next(chunks, b"")
    return content, len(content) + sum(map(len, chunks))


class Output(NamedTuple):
    """What a command wrote to stdout."""

    content: bytes
    """The beginning."""
    size: int
    """Bytes of the whole output."""
    is_complete: bool
    """False if the time limit ended the command: it would have written more."""


class Git:
    """Runs git in one directory until stop() or a time limit ends it. Used by one thread, except for stop()."""

    def __init__(self, directory: str, seconds: float) -> None:
        """Start the time limit, in seconds, of all commands together.

        Args:
            directory: where the commands run.
            seconds: the time limit.
        """
        self.directory = directory
        """Where the commands run."""
        self._end = time.monotonic() + seconds
        self._environment = {**os.environ, **_VARIABLES}
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self.is_stopped = False
        """Whether a command was ended, or not started, because the time was over."""

    def run(
        self, *command: str, read: Callable[[Iterator[bytes]], tuple[bytes, int]] = _read_beginning
    ) -> Output | None:
        """Return the output of a command; None if it failed, did not end in time, or git is not installed.

        A command that did not end in time but wrote something returns what it wrote.

        Args:
            command: a git command and its arguments.
            read: returns the content and size of the Output, from the consecutive parts of stdout.
        """
        try:
            process = self._start(command)
        except OSError:
            return None
        if process is None:
            return None
        timer = threading.Timer(max(0.0, self._end - time.monotonic()), self.stop)
        timer.daemon = True
        timer.start()
        try:
            content, size = read(_chunks(process))
            status = process.wait()
        finally:
            timer.cancel()
            with self._lock:
                self._process = None
        is_cut = self.is_stopped and size > 0
        return Output(content, size, not self.is_stopped) if status == 0 or is_cut else None

    def stop(self) -> None:
        """End the running command, and do not start another."""
        with self._lock:
            self.is_stopped = True
            if self._process is not None:
                _kill(self._process)

    def _start(self, command: tuple[str, ...]) -> "subprocess.Popen[bytes] | None":
        with self._lock:
            if self.is_stopped or time.monotonic() >= self._end:
                self.is_stopped = True
                return None
            self._process = subprocess.Popen(
                ("git", *_SETTINGS, "-C", self.directory, *command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._environment,
                start_new_session=True,  # Without a terminal to prompt on, and in a process group that can be killed.
            )
            return self._process


def _chunks(process: "subprocess.Popen[bytes]") -> Iterator[bytes]:
    """Yield what a process writes to stdout until it ends."""
    assert process.stdout is not None
    with process.stdout as stdout, selectors.DefaultSelector() as selector:
        if os.name == "posix":  # Windows cannot wait for a pipe.
            selector.register(stdout, selectors.EVENT_READ)
        while True:
            # A process that the training forks just now inherits the pipe, whose end would then not be seen.
            has_ended = os.name == "posix" and process.poll() is not None
            if os.name == "posix" and not selector.select(0 if has_ended else _POLL_SECONDS):
                if has_ended:
                    return
                continue
            if not (chunk := os.read(stdout.fileno(), _CHUNK)):
                return
            yield chunk


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with suppress(OSError):  # It has ended.
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
