"""The turns of the requests that look at a folder, and of the thread that does it for them."""

import threading
import time

_LONGEST_LOOK = 1.0
"""Seconds that a request waits for the folder; then it gets what was read before."""
_POLL_SECONDS = 1.0
"""How often to check whether another server changed files."""


class Turns:
    """Lets the thread look soon after requests have asked for it. Thread-safe."""

    def __init__(self) -> None:
        self.is_stopping = False
        self._turn = threading.Condition()
        self._asked, self._answered = 0, 0
        """How many requests have asked, and how many of them the thread has looked for."""
        self._looking_since: float | None = None

    def ask(self) -> None:
        """Wait until the thread has looked for this request, unless that takes long."""
        with self._turn:
            self._asked += 1
            number = self._asked
            self._turn.notify_all()
            if not self._is_overdue():
                self._turn.wait_for(lambda: self._answered >= number, _LONGEST_LOOK)

    def _is_overdue(self) -> bool:
        return self._looking_since is not None and time.monotonic() - self._looking_since > _LONGEST_LOOK

    def begin(self) -> int:
        """Begin to look; return how many requests have asked for it."""
        with self._turn:
            self._looking_since = time.monotonic()
            return self._asked

    def end(self, asked: int) -> None:
        """Answer the requests that had asked before, then wait for others, or until it is time to look again."""
        with self._turn:
            self._answered, self._looking_since = asked, None
            self._turn.notify_all()
            self._turn.wait_for(lambda: self.is_stopping or self._asked > self._answered, _POLL_SECONDS)

    def stop(self, thread: threading.Thread) -> None:
        """Stop the thread; returns when it has ended, unless the folder does not answer."""
        with self._turn:
            self.is_stopping = True
            self._turn.notify_all()
        thread.join(_LONGEST_LOOK)
