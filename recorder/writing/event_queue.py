"""Recorded events on their way to the writer's thread: bounded, and patient only with a writer that gets on.

The caller's side (put, flush, close) does no I/O and never waits for a writer that makes no progress. The thread's side
(take and what follows it) sleeps while nothing is queued, lets events gather for flush_seconds, and is woken at once
when asked to or when many have gathered.
"""

import threading
import time
from collections import deque
from collections.abc import Callable

from toposcope.recorder.writing.event_encoder import RecordedEvent
from toposcope.recorder.writing.faults import Faults

# Of small events the number is bounded, of large ones the bytes; past the high water the thread writes at once.
_MAX_EVENTS, _HIGH_WATER_EVENTS = 65_536, 8_192
_MAX_BYTES, _HIGH_WATER_BYTES = 128 << 20, 4 << 20
_RETRY_SECONDS = 1.0
_DOZE_SECONDS = 5.0
STALL_SECONDS = 30.0


class EventQueue:
    """Events in the order of put(), and how far the one thread that takes them has come.

    While the thread cannot write, put() keeps what finds room and says False.
    """

    def __init__(self, path: str, flush_seconds: float, stall_seconds: float = STALL_SECONDS) -> None:
        """Let an event wait at most *flush_seconds* and a caller *stall_seconds*; the log names *path*."""
        self._flush_seconds = min(flush_seconds, threading.TIMEOUT_MAX)
        self._stall_seconds = stall_seconds
        self._path = path
        self._faults = Faults(path)
        self._taker = 0
        self._events: deque[RecordedEvent] = deque()
        self._bytes = 0
        # True: the writer works, and its thread will look here by itself before the deadline.
        self._relaxed = False
        # From so many events on put() has more to do: first to wake the thread, then to wait for it.
        self._attended_from = _HIGH_WATER_EVENTS
        self._deadline = 0.0
        # Events taken, and those of them that are written or lost. The head of the first file counts as one.
        self._taken = 1
        self._settled = 0
        self._progress_time = 0.0
        self._urgent = self._stalled = self._closing = self._done = False
        self._renew_lock()

    def _renew_lock(self) -> None:
        # Reentrant: a signal handler or a finaliser may flush while its own thread is inside put().
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)

    # The caller's side.

    @property
    def closed(self) -> bool:
        """True after close(), and in a process forked from the writer's: nothing more can be put."""
        return self._closing

    @property
    def works(self) -> bool:
        """False when closed, or when the writer fails at present."""
        return not self._closing and self._faults.present is None

    @property
    def ended(self) -> bool:
        """True when the thread has closed the files, or belongs to another process."""
        return self._done

    @property
    def is_empty(self) -> bool:
        """True when no event waits to be taken."""
        return not self._events

    def put(self, event: RecordedEvent) -> bool:
        """Queue a small event, of a few scalars; wait for room while the writer makes progress.

        Returns:
            False when closed or when the writer fails at present: event is lost, or waits if there is room for it.
        """
        # Most of what recording costs a training is this call after other work has emptied the caches: no lock. First
        # the event is there and then the flag is read, the thread does it in the other order: one of them sees.
        events = self._events
        events.append(event)
        if self._relaxed and len(events) < self._attended_from:
            return True
        return self._attend(event)

    def put_large(self, event: RecordedEvent, size: int) -> bool:
        """Queue an event that takes about size bytes of memory, like put()."""
        with self._lock:
            if queued := self._await_room(lambda: self._bytes < _MAX_BYTES):
                self._events.append(event)
                self._bytes += size
            else:
                self._faults.lose(1)
        self._faults.log()
        return queued and self._attend(event)

    def flush(self) -> bool:
        """Return True once every event put before is in the file; False when the writer fails or was closed so."""
        if threading.get_ident() == self._taker:
            return False
        with self._lock:
            target = self._taken + len(self._events)
            faults = self._faults.count
            if self._settled < target:
                self._hurry()
            self._wait_for(lambda: self._settled >= target or self._faults.count > faults or self._done)
            flushed = self._settled >= target and self._faults.present is None
        self._faults.log()
        return flushed

    def close(self) -> bool:
        """Return when everything is written and the files are closed; False when that failed. Idempotent."""
        if threading.get_ident() == self._taker:
            self._shut()
            return False
        with self._lock:
            self._shut()
            self._changed.notify_all()
            closed = self._wait_for(lambda: self._done) and self._faults.present is None
        self._faults.log()
        return closed

    def take_unraised_fault(self) -> Exception | None:
        """Return why the writer fails, once a fault."""
        with self._lock:
            return self._faults.take_unraised()

    def _attend(self, event: RecordedEvent) -> bool:
        """Do what put() has no time for after it queued event; say whether the writer works."""
        with self._lock:
            if not self._await_room(lambda: len(self._events) <= _MAX_EVENTS):
                self._withdraw(event)
            if self.works:
                self._wake()
            works = self.works
        self._faults.log()
        return works

    def _shut(self) -> None:
        # In this order: who sees that the queue is closed may rely on it that put() does not accept without asking.
        self._relaxed = False
        self._closing = True

    def _await_room(self, has_room: Callable[[], bool]) -> bool:
        """Wait until there is room; False when there will not be."""
        if not has_room() and self.works:
            self._hurry()
            self._wait_for(lambda: has_room() or not self.works)
        return has_room() and not self._closing

    def _withdraw(self, event: RecordedEvent) -> None:
        """Take event out of the queue, unless the thread has it already."""
        # Counted from the left, where nothing is added: other threads append without the lock.
        for place in reversed(range(len(self._events))):
            if self._events[place] is event:
                del self._events[place]
                self._faults.lose(1)
                return

    def _wake(self) -> None:
        """Have the thread look here before an event has waited too long."""
        if not self._relaxed:
            self._relaxed = True
            self._deadline = time.monotonic() + self._flush_seconds
            self._changed.notify_all()
        is_high = self._bytes >= _HIGH_WATER_BYTES or len(self._events) >= _HIGH_WATER_EVENTS
        if is_high and not self._urgent:
            self._hurry()

    def _hurry(self) -> None:
        self._urgent = True
        self._attended_from = _MAX_EVENTS
        self._changed.notify_all()

    def _wait_for(self, reached: Callable[[], bool]) -> bool:
        """Wait with the lock until reached(); False when the writer stalls, from then on at once until it moves."""
        asked = time.monotonic()
        while not reached():
            left = max(asked, self._progress_time) + self._stall_seconds - time.monotonic()
            if left <= 0 and not self._stalled:
                self._stalled = True
                self._relaxed = False
                self._faults.note(TimeoutError(f"no progress for {self._stall_seconds:g} seconds"))
            if self._stalled:
                return False
            self._changed.wait(left)
        return True

    # The thread's side.

    def take(self, owes: bool) -> deque[RecordedEvent]:
        """Wait until there is something to do; return the events to be written, none while older ones are owed."""
        self._taker = threading.get_ident()
        with self._lock:
            if owes:
                if self._faults.present is not None and not (self._urgent or self._closing):
                    self._changed.wait(_RETRY_SECONDS)
                self._urgent = False
                return deque()
            self._urgent = self._urgent and (bool(self._events) or self._settled < self._taken)
            while not (self._urgent or self._closing) and (left := self._left()) > 0:
                # Not for long: a finaliser that runs in this thread may have closed the queue just now.
                self._changed.wait(min(left, _DOZE_SECONDS))
            return self._take_all()

    def _left(self) -> float:
        """Return how many seconds the events may still gather."""
        left = self._deadline - time.monotonic()
        if left <= 0 and self._relaxed:
            self._relaxed = False  # The next put() wakes the thread. What came before is here now:
        if self._relaxed:
            return left
        return 0 if self._events else threading.TIMEOUT_MAX

    def _take_all(self) -> deque[RecordedEvent]:
        """Return the events that are here; those that are put meanwhile are of the next batch."""
        events = deque(self._events.popleft() for _ in range(len(self._events)))
        self._bytes = 0
        self._urgent = False
        self._attended_from = _HIGH_WATER_EVENTS
        self._relaxed = self.works
        self._deadline = time.monotonic() + self._flush_seconds
        self._taken += len(events)
        self.move()
        self._changed.notify_all()
        return events

    def move(self) -> None:
        """Say that the thread gets on."""
        self._progress_time, self._stalled = time.monotonic(), False

    def settle(self) -> None:
        """Say that all that was taken is written."""
        with self._lock:
            self._faults.clear()
            self._settled = self._taken
            self._changed.notify_all()
        self._faults.log()

    def fail(self, error: Exception) -> None:
        """Say that the thread could not write; it will try again."""
        with self._lock:
            self._faults.note(error)
            self._relaxed = False
            self._changed.notify_all()
        self._faults.log()

    def lose(self, events: int) -> None:
        """Say that events which were taken will never be written."""
        with self._lock:
            self._faults.lose(events)

    def end(self, lost: int) -> None:
        """Say that the thread ends, with so many events lost that were taken."""
        with self._lock:
            self._faults.lose(lost + len(self._events))
            self._faults.tell_losses()
            self._done = True
            self._relaxed = False
            self._changed.notify_all()
        self._faults.log()

    # After a fork.

    def become_inert(self) -> None:
        """Forget what belongs to the parent process, whose thread alone writes."""
        self._renew_lock()  # Another thread of the parent may have held the old one.
        self._events = deque()
        self._faults = Faults(self._path)
        self._shut()
        self._done = True
