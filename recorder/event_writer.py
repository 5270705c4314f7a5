"""The thread that writes one recording: events go in through a bounded queue and come out as records of a file.

The caller's side (put, flush, close) does no I/O and never waits for a writer that makes no progress. The thread
sleeps while nothing is queued, lets events gather for flush_seconds, and writes at once when asked to or when many
have gathered.
"""

import threading
import time
from collections.abc import Callable

from toposcope.recorder.event_file import EventFile
from toposcope.recorder.faults import Faults
from toposcope.recorder.fork import make_inert_in_children
from toposcope.recorder.scalar_events import ScalarEncoder, ScalarEvent

# Events report at least 256 bytes: the high water stands far below the largest number of events.
_MAX_EVENTS = 65_536
_MAX_BYTES = 128 << 20
_HIGH_WATER_BYTES = 4 << 20
_RETRY_SECONDS = 1.0
_STALL_SECONDS = 30.0


class EventWriter:
    """One background thread that writes scalar events into one event file, in the order of put().

    A failed write is logged once and tried again every second. Until it succeeds put() keeps what finds room in the
    queue, and says False.
    """

    def __init__(
        self, file: EventFile, head: bytes, flush_seconds: float, *, stall_seconds: float = _STALL_SECONDS
    ) -> None:
        """Own *file* and begin it with the record *head*.

        An event waits at most *flush_seconds* to be written; a caller waits at most *stall_seconds* for a writer that
        makes no progress.
        """
        self._file = file
        self._flush_seconds = min(flush_seconds, threading.TIMEOUT_MAX)
        self._stall_seconds = stall_seconds
        self._encoder = ScalarEncoder()
        self._faults = Faults(file.path)
        # Reentrant: a signal handler or a finaliser may flush while its own thread is inside put().
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._queue: list[ScalarEvent] = []
        self._queued_bytes = 0
        self._deadline = 0.0
        self._urgent = False
        # Events taken from the queue, and those of them that are written or lost. The head counts as one.
        self._taken = 1
        self._settled = 0
        self._progress_time = 0.0
        self._stalled = self._closing = self._done = False
        file.append(head)
        self._thread = threading.Thread(target=self._run, name="toposcope-writer", daemon=True)
        make_inert_in_children(self)
        self._thread.start()

    # The caller's side.

    @property
    def path(self) -> str:
        """Path of the file that is being written."""
        return self._file.path

    @property
    def closed(self) -> bool:
        """True after close(), and in a process forked from the writer's: nothing more can be put."""
        return self._closing

    @property
    def works(self) -> bool:
        """False when closed, or when the writer fails at present."""
        return not self._closing and self._faults.present is None

    def put(self, event: ScalarEvent, size: int) -> bool:
        """Queue event, which takes about size bytes of memory; wait for room while the writer makes progress.

        Returns:
            False when closed or when the writer fails at present: event is lost, or waits if there is room for it.
        """
        with self._lock:
            # The common case first: more events wait, there is room, and nothing has to be woken.
            queue = self._queue
            if queue and self._queued_bytes < _HIGH_WATER_BYTES and self._faults.present is None and not self._closing:
                queue.append(event)
                self._queued_bytes += size
                return True
        return self._put_late(event, size)

    def flush(self) -> bool:
        """Return True once every event put before is in the file; False when the writer fails or was closed so."""
        if threading.current_thread() is self._thread:
            return False
        with self._lock:
            target = self._taken + len(self._queue)
            faults = self._faults.count
            if self._settled < target:
                self._hurry()
            self._wait_for(lambda: self._settled >= target or self._faults.count > faults or self._done)
            flushed = self._settled >= target and self._faults.present is None
        self._faults.log()
        return flushed

    def close(self) -> bool:
        """Write what is queued, bring the file to the disk and end the thread; False when that failed. Idempotent."""
        if threading.current_thread() is self._thread:
            self._closing = True
            return False
        with self._lock:
            self._closing = True
            self._changed.notify_all()
            closed = self._wait_for(lambda: self._done)
        self._faults.log()
        if closed:
            self._thread.join(self._stall_seconds)
        return closed and self._faults.present is None

    def take_unraised_fault(self) -> Exception | None:
        """Return why the writer fails, once a fault."""
        with self._lock:
            return self._faults.take_unraised()

    def _put_late(self, event: ScalarEvent, size: int) -> bool:
        """Put event when it is the first, one of very many, or the writer does not work."""
        with self._lock:
            if not self._has_room() and self.works:
                self._hurry()
                self._wait_for(lambda: self._has_room() or not self.works)
            if queued := self._has_room():
                self._append(event, size)
            else:
                self._faults.lose(1)
            works = self.works
        self._faults.log()
        return queued and works

    def _has_room(self) -> bool:
        return len(self._queue) < _MAX_EVENTS and self._queued_bytes < _MAX_BYTES and not self._closing

    def _append(self, event: ScalarEvent, size: int) -> None:
        self._queue.append(event)
        self._queued_bytes += size
        if len(self._queue) == 1:
            self._deadline = time.monotonic() + self._flush_seconds
            self._changed.notify_all()
        if self._queued_bytes >= _HIGH_WATER_BYTES and not self._urgent and self.works:
            self._hurry()

    def _hurry(self) -> None:
        self._urgent = True
        self._changed.notify_all()

    def _wait_for(self, reached: Callable[[], bool]) -> bool:
        """Wait with the lock until reached(); False when the writer stalls, from then on at once until it moves."""
        asked = time.monotonic()
        while not reached():
            left = max(asked, self._progress_time) + self._stall_seconds - time.monotonic()
            if left <= 0 and not self._stalled:
                self._stalled = True
                self._faults.note(TimeoutError(f"no progress for {self._stall_seconds:g} seconds"))
            if self._stalled:
                return False
            self._changed.wait(left)
        return True

    # The thread's side.

    def _run(self) -> None:
        ended = False
        while not ended:
            batch = self._take()
            closing = self._closing  # Read before the write: the last attempt is one that began after close().
            written = self._write(batch)
            ended = closing and not (written and self._queue)
        self._end()

    def _take(self) -> list[ScalarEvent]:
        """Wait until there is something to do; return the events to be written, none while bytes are owed."""
        with self._lock:
            if self._file.owes:
                if self._faults.present is not None and not (self._urgent or self._closing):
                    self._changed.wait(_RETRY_SECONDS)
                return []
            if not self._queue:
                self._urgent = False
            while not (self._urgent or self._closing):
                left = self._deadline - time.monotonic() if self._queue else None
                if left is not None and left <= 0:
                    break
                self._changed.wait(left)
            return self._take_queue()

    def _take_queue(self) -> list[ScalarEvent]:
        batch, self._queue = self._queue, []
        self._queued_bytes = 0
        self._urgent = False
        self._taken += len(batch)
        self._moved()
        self._changed.notify_all()
        return batch

    def _write(self, batch: list[ScalarEvent]) -> bool:
        """Write batch, or what is owed; say whether all of it is in the file."""
        try:
            if batch:
                self._file.append(self._encoder.encode(batch))
            while self._file.owes:
                self._file.write_some()
                self._moved()
        except Exception as error:  # The top of the thread: kept for the callers, the thread lives on.
            self._note(error, len(batch))
            return False
        self._note(None, len(batch))
        return True

    def _moved(self) -> None:
        self._progress_time, self._stalled = time.monotonic(), False

    def _note(self, error: Exception | None, batch_length: int) -> None:
        """Note how a write ended. A batch that could not be encoded is lost: trying again would fail again."""
        with self._lock:
            if error is None:
                self._faults.clear()
            else:
                self._faults.note(error)
                self._faults.lose(0 if self._file.owes else batch_length)
                self._urgent = False
            if not self._file.owes:
                self._settled = self._taken
            self._changed.notify_all()
        self._faults.log()

    def _end(self) -> None:
        try:
            self._file.close()
        except OSError as error:
            self._note(error, 0)
        with self._lock:
            self._faults.lose(self._taken - self._settled + len(self._queue))
            self._faults.tell_losses()
            self._done = True
            self._changed.notify_all()
        self._faults.log()

    # After a fork.

    def become_inert(self) -> None:
        """Let go of everything that belongs to the parent process, whose thread alone writes the file."""
        self._lock = threading.RLock()  # Another thread of the parent may have held the old one.
        self._changed = threading.Condition(self._lock)
        self._queue = []
        self._closing = self._done = True
        self._file.abandon()
