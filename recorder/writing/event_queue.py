"""The bounded queue between the threads that record and the thread that writes.

The recording side (put, flush, close) does no I/O, and waits only while the writer makes progress. The writing side
(take and the mark_ methods) sleeps while the queue is empty, lets events accumulate for flush_seconds, and wakes
immediately when a flush is requested or many events have accumulated. When the queue is full, put() waits for room, or
drops its event.
"""

import threading
import time
import weakref
from collections import deque
from collections.abc import Callable

from toposcope.recorder.writing.encoding.event_encoder import RecordedEvent
from toposcope.recorder.writing.faults import Faults

# Small events are limited by number, large ones by size. Above the high-water mark the writer starts immediately.
_MAX_EVENTS = 65_536
_MAX_BYTES, _HIGH_WATER_BYTES = 128 << 20, 4 << 20
_RETRY_SECONDS = 1.0
_MAX_SLEEP_SECONDS = 5.0
STALL_SECONDS = 30.0

_queues: "weakref.WeakValueDictionary[int, EventQueue]" = weakref.WeakValueDictionary()


def flush_all() -> None:
    """Wait until everything that this process has recorded is in its files, except where the writer fails."""
    for reference in _queues.valuerefs():
        queue = reference()
        if queue is not None and queue.is_healthy:
            queue.flush()


class EventQueue:
    """Events in the order of put(), and the progress of the one thread that writes them.

    While the writer fails, put() keeps events as long as there is room, and returns False.
    """

    def __init__(
        self,
        path: str,
        flush_seconds: float,
        stall_seconds: float = STALL_SECONDS,
        *,
        drops_on_backlog: bool = False,
        max_events: int = _MAX_EVENTS,
    ) -> None:
        """Create an empty queue.

        Args:
            path: the file, for log messages.
            flush_seconds: the longest time that an event waits for the writer.
            stall_seconds: the longest time that a caller waits for a writer without progress.
            drops_on_backlog: whether put() drops its event, instead of waiting, if the queue is full.
            max_events: the number of small events with which it is full. The high-water mark is an eighth of it.
        """
        self._flush_seconds = min(flush_seconds, threading.TIMEOUT_MAX)
        self._stall_seconds = stall_seconds
        self._drops_on_backlog = drops_on_backlog
        self._max_events, self._high_water_events = max_events, max_events // 8
        self._path = path
        _queues[id(self)] = self
        self._faults = Faults(path)
        self._writer_thread = 0
        self._bytes = 0
        # The next three are public for SummaryWriter.add_scalar(), which does what put() does without calling it.
        self.events: deque[RecordedEvent] = deque()
        # True: the writer is healthy and will take the events before the deadline without being notified.
        self.is_scheduled = False
        # Up to this many events put() takes no lock; above it wakes the writer, then waits for it.
        self.lock_free_events = self._high_water_events
        self._deadline = 0.0
        # Events taken, and how many of them are written or lost. The head of the first file counts as one.
        self._taken = 1
        self._written = 0
        # Numbers of requests to sync the files: all of them, those that the writer has accepted and fulfilled.
        self._syncs_requested = self._syncs_accepted = self._syncs_done = 0
        self._progress_time = 0.0
        self._is_flush_requested = self._is_stalled = self._is_closed = self._has_ended = False
        self._renew_lock()

    def _renew_lock(self) -> None:
        # Reentrant: a signal handler or a finalizer may flush while its own thread is inside put().
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)

    # Called by the threads that record.

    @property
    def closed(self) -> bool:
        """True after close(), and in a process forked from the writer's: put() accepts no events."""
        return self._is_closed

    @property
    def is_healthy(self) -> bool:
        """False if the queue is closed or the writer fails at present."""
        return not self._is_closed and self._faults.current is None

    @property
    def has_losses(self) -> bool:
        """True if events were lost or dropped: they will never be in the file."""
        return self._faults.lost > 0 or self._faults.dropped > 0

    def loss(self) -> Exception | None:
        """Return an error with the number of lost events, None if there are none; dropped ones do not count."""
        with self._lock:
            return self._faults.loss()

    @property
    def has_ended(self) -> bool:
        """True if the writer has closed the files or belongs to another process."""
        return self._has_ended

    @property
    def is_empty(self) -> bool:
        """True if no event waits to be taken."""
        return not self.events

    def put(self, event: RecordedEvent) -> bool:
        """Queue a small event, of a few scalars; wait for room while the writer makes progress.

        Returns:
            False if the queue is closed or the writer fails at present: the event is lost, or waits if there is room.
            False if the event was dropped.
        """
        # Called after other work has emptied the caches, this is most of what recording costs: hence no lock. The
        # event is appended before the flag is read, and the writer does it in the opposite order: one of them notices.
        events = self.events
        events.append(event)
        if self.is_scheduled and len(events) < self.lock_free_events:
            return True
        return self.finish_put(event)

    def put_large(self, event: RecordedEvent, size: int) -> bool:
        """Queue an event that takes about size bytes of memory; otherwise like put()."""
        with self._lock:
            if is_queued := self._wait_for_capacity(lambda: self._bytes < _MAX_BYTES):
                self.events.append(event)
                self._bytes += size
            else:
                self._count_refused()
        self._faults.log_new()
        return is_queued and self.finish_put(event)

    def flush(self, *, syncs: bool = False) -> bool:
        """Wait until all events put before are in the file; return False if the writer fails, or is closed, before.

        If syncs is set, the files are also synced to disk, unless they are closed already, which syncs them.
        """
        if threading.get_ident() == self._writer_thread:
            return False
        with self._lock:
            target = self._taken + len(self.events)
            fault_count = self._faults.count
            self._syncs_requested += syncs
            sync = self._syncs_requested if syncs and not self._has_ended else 0
            if self._written < target or self._syncs_done < sync:
                self._flush_now()
            self._wait_until(
                lambda: (
                    (self._written >= target and self._syncs_done >= sync)
                    or self._faults.count > fault_count
                    or self._has_ended
                )
            )
            is_flushed = self._written >= target and self._faults.current is None
        self._faults.log_new()
        return is_flushed

    def close(self) -> bool:
        """Wait until all events are written and the files closed; return False if that failed. Idempotent."""
        if threading.get_ident() == self._writer_thread:
            self._set_closed()
            return False
        with self._lock:
            self._set_closed()
            self._changed.notify_all()
            is_complete = self._wait_until(lambda: self._has_ended) and self._faults.current is None
        self._faults.log_new()
        return is_complete

    def take_unraised_fault(self) -> Exception | None:
        """Return the reason why the writer fails, once per fault."""
        with self._lock:
            return self._faults.take_unraised()

    def finish_put(self, event: RecordedEvent) -> bool:
        """Do the part of put() that needs the lock; return whether the writer is healthy."""
        with self._lock:
            has_room = self._wait_for_capacity(lambda: len(self.events) <= self._max_events)
            is_kept = has_room or not self._withdraw(event)
            if self.is_healthy:
                self._schedule_writer()
            is_accepted = is_kept and self.is_healthy
        self._faults.log_new()
        return is_accepted

    def _set_closed(self) -> None:
        # In this order: once the queue reports that it is closed, no put() accepts an event without the lock.
        self.is_scheduled = False
        self._is_closed = True

    def _wait_for_capacity(self, has_room: Callable[[], bool]) -> bool:
        """Wait until there is room; return False if the writer fails or the queue is closed before.

        If events are dropped on a backlog, return False immediately.
        """
        if not has_room() and self.is_healthy:
            self._flush_now()
            if not self._drops_on_backlog:
                start = time.monotonic()
                self._wait_until(lambda: has_room() or not self.is_healthy)
                self._faults.waited += time.monotonic() - start
        return has_room() and not self._is_closed

    def _count_refused(self) -> None:
        """Count an event for which there is no room."""
        if self._drops_on_backlog and self.is_healthy:
            self._faults.dropped += 1
        else:
            self._faults.add_lost(1)

    def _withdraw(self, event: RecordedEvent) -> bool:
        """Remove event from the queue, unless the writer has taken it already; return whether it was removed."""
        # By index from the left, where nothing is inserted: other threads append without the lock.
        for index in reversed(range(len(self.events))):
            if self.events[index] is event:
                del self.events[index]
                self._count_refused()
                return True
        return False

    def _schedule_writer(self) -> None:
        """Make the writer take the events before one of them has waited for flush_seconds."""
        if not self.is_scheduled:
            self.is_scheduled = True
            self._deadline = time.monotonic() + self._flush_seconds
            self._changed.notify_all()
        is_high = self._bytes >= _HIGH_WATER_BYTES or len(self.events) >= self._high_water_events
        if is_high and not self._is_flush_requested:
            self._flush_now()

    def _flush_now(self) -> None:
        self._is_flush_requested = True
        self.lock_free_events = self._max_events
        self._changed.notify_all()

    def _wait_until(self, is_reached: Callable[[], bool]) -> bool:
        """Wait, with the lock, until is_reached(); return False if the writer stalls.

        Once the writer has stalled, calls return immediately until it makes progress again.
        """
        start = time.monotonic()
        while not is_reached():
            seconds_left = max(start, self._progress_time) + self._stall_seconds - time.monotonic()
            if seconds_left <= 0 and not self._is_stalled:
                self._is_stalled = True
                self.is_scheduled = False
                self._faults.note(TimeoutError(f"no progress for {self._stall_seconds:g} seconds"))
            if self._is_stalled:
                return False
            self._changed.wait(seconds_left)
        return True

    # Called by the thread that writes.

    def take(self, has_pending: bool, idle_seconds: float = threading.TIMEOUT_MAX) -> deque[RecordedEvent]:
        """Wait until there is something to do, then return the events to be written.

        Args:
            has_pending: whether records of earlier events are still to be written; no events are returned then.
            idle_seconds: after this time without events none are returned.
        """
        wake_time = time.monotonic() + idle_seconds
        self._writer_thread = threading.get_ident()
        with self._lock:
            if has_pending:
                if self._faults.current is not None:
                    if not (self._is_flush_requested or self._is_closed):
                        self._changed.wait(_RETRY_SECONDS)
                    self._is_flush_requested = False
                return deque()
            has_unwritten = bool(self.events) or self._written < self._taken
            must_sync = self._syncs_accepted < self._syncs_requested
            self._is_flush_requested = must_sync or (self._is_flush_requested and has_unwritten)
            while not (self._is_flush_requested or self._is_closed) and (seconds := self._seconds_to_wait()) > 0:
                # Bounded: a finalizer that runs in this thread may have closed the queue without notifying it.
                if not self.events:
                    if (seconds_idle := wake_time - time.monotonic()) <= 0:
                        return deque()
                    seconds = min(seconds, seconds_idle)
                self._changed.wait(min(seconds, _MAX_SLEEP_SECONDS))
            return self._take_all()

    def _seconds_to_wait(self) -> float:
        """Return how long events may continue to accumulate."""
        seconds = self._deadline - time.monotonic()
        if seconds <= 0 and self.is_scheduled:
            self.is_scheduled = False  # From now on put() notifies this thread; earlier events are seen below.
        if self.is_scheduled:
            return seconds
        return 0 if self.events else threading.TIMEOUT_MAX

    def _take_all(self) -> deque[RecordedEvent]:
        """Return the events that are queued now; events that are put meanwhile belong to the next batch."""
        events = deque(self.events.popleft() for _ in range(len(self.events)))
        self._bytes = 0
        self._is_flush_requested = False
        self.lock_free_events = self._high_water_events
        self.is_scheduled = self.is_healthy
        self._deadline = time.monotonic() + self._flush_seconds
        self._taken += len(events)
        self._syncs_accepted = self._syncs_requested
        self.mark_progress()
        self._changed.notify_all()
        return events

    @property
    def is_sync_requested(self) -> bool:
        """True if the files are to be synced to disk after the taken events are written."""
        return self._syncs_done < self._syncs_accepted

    def mark_progress(self) -> None:
        """Note that the writer makes progress."""
        self._progress_time, self._is_stalled = time.monotonic(), False

    def mark_written(self) -> None:
        """Note that all taken events are written, and synced if that was requested."""
        with self._lock:
            self._faults.clear()
            self._written = self._taken
            self._syncs_done = self._syncs_accepted
            self._changed.notify_all()
        self._faults.log_new()

    def mark_failed(self, error: Exception) -> None:
        """Note that a write failed and will be retried."""
        with self._lock:
            self._faults.note(error)
            self.is_scheduled = False
            self._changed.notify_all()
        self._faults.log_new()

    def mark_lost(self, events: int) -> None:
        """Note that this number of taken events will never be written."""
        with self._lock:
            self._faults.add_lost(events)

    def mark_ended(self, lost: int) -> None:
        """Note that the thread ends; lost is the number of taken events that are not written."""
        with self._lock:
            self._faults.add_lost(lost + len(self.events))
            self._faults.report_losses()
            self._faults.report_backlog()
            self._has_ended = True
            self.is_scheduled = False
            self._changed.notify_all()
        self._faults.log_new()

    # After a fork.

    def become_inert(self) -> None:
        """Drop the events, which only the parent process writes, and close the queue."""
        self._renew_lock()  # Another thread of the parent may have held the old one.
        self.events = deque()
        self._faults = Faults(self._path)
        self._set_closed()
        self._has_ended = True
