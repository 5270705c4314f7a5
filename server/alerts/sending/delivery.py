"""Sends alerts: a thread for each destination, so that one that does not answer delays no other."""

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

from toposcope.server.alerts.raised import Delivery, RaisedAlert
from toposcope.server.alerts.sending.destinations import Destination, RefusedError

_FIRST_DELAY, _LONGEST_DELAY = 1.0, 300.0
"""Seconds before the second attempt; twice as many before each further one."""
_GIVE_UP_SECONDS = 86_400.0
_STOP_SECONDS = 2.0

log = logging.getLogger(__name__)
Note = Callable[[str, str, Delivery], None]
"""Stores how far an alert, by its id, has been delivered to a destination; may raise OSError."""


class _Job(NamedTuple):
    due: float
    """When to send it, in seconds of time.monotonic()."""
    number: int
    """Decides the order of those that are due at the same time."""
    alert: RaisedAlert
    delivery: Delivery
    since: float
    """When the first attempt was due, in seconds of time.monotonic()."""


class _Sender:
    """Sends alerts to one destination, one after the other; those that fail are tried again later."""

    def __init__(self, name: str, destination: Destination, note: Note) -> None:
        self._name = name
        self._destination = destination
        self._note = note
        self._jobs: list[_Job] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name=f"toposcope-alerts-{name}", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        with self._changed:
            self._is_stopping = True
            self._changed.notify()

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def add(self, alert: RaisedAlert) -> None:
        now = time.monotonic()
        delivery = alert.deliveries.get(self._name, Delivery())
        self._put(_Job(now, next(self._numbers), alert, delivery, now))

    def _put(self, job: _Job) -> None:
        with self._changed:
            heapq.heappush(self._jobs, job)
            self._changed.notify()

    def _next(self) -> _Job | None:
        """Wait for the next job that is due; None: stop."""
        with self._changed:
            while not self._is_stopping:
                wait = self._jobs[0].due - time.monotonic() if self._jobs else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self._jobs)
                self._changed.wait(wait)
        return None

    def _run(self) -> None:
        while (job := self._next()) is not None:
            try:
                self._send(job)
            except Exception:  # The top of the thread: others are still sent.
                log.exception("alerts: an alert cannot be sent to %s", self._name)

    def _send(self, job: _Job) -> None:
        attempts = job.delivery.attempts + 1
        try:
            self._destination.send(job.alert)
        except RefusedError as error:
            delivery = Delivery(attempts=attempts, problem=str(error), is_over=True)
            log.error("alerts: %s refuses %r of run %r: %s", self._name, job.alert.title, job.alert.run, error)
        except OSError as error:
            delivery = self._later(job, attempts, error)
        else:
            delivery = Delivery(sent=time.time(), attempts=attempts)
            log.info("alerts: sent %r of run %r to %s", job.alert.title, job.alert.run, self._name)
        try:
            self._note(job.alert.id, self._name, delivery)
        except OSError as error:
            log.warning("alerts: the delivery to %s cannot be stored: %s", self._name, error)

    def _later(self, job: _Job, attempts: int, error: OSError) -> Delivery:
        problem = str(error.strerror or error)
        if time.monotonic() - job.since > _GIVE_UP_SECONDS:
            log.error("alerts: %r of run %r is not sent to %s: %s", job.alert.title, job.alert.run, self._name, problem)
            return Delivery(attempts=attempts, problem=problem, is_over=True)
        log.warning("alerts: %s cannot be reached, and is tried again: %s", self._name, problem)
        delivery = Delivery(attempts=attempts, problem=problem)
        delay = min(_LONGEST_DELAY, _FIRST_DELAY * 2 ** min(attempts - 1, 20))
        self._put(job._replace(due=time.monotonic() + delay, delivery=delivery))
        return delivery


class Senders:
    """The threads of all destinations.

    Args:
        destinations: by name.
        note: stores what has been delivered.
    """

    def __init__(self, destinations: Mapping[str, Destination], note: Note) -> None:
        self._senders = {name: _Sender(name, each, note) for name, each in destinations.items()}

    def start(self) -> None:
        """Start the threads."""
        for sender in self._senders.values():
            sender.start()

    def stop(self) -> None:
        """Stop; wait for seconds for what is being sent, so that it is not sent again by the next server."""
        end = time.monotonic() + _STOP_SECONDS
        for sender in self._senders.values():
            sender.stop()
        for sender in self._senders.values():
            sender.join(max(0.0, end - time.monotonic()))

    def add(self, alert: RaisedAlert) -> None:
        """Send an alert to those of its destinations that have not received it."""
        for name, delivery in alert.deliveries.items():
            if delivery.is_pending and name in self._senders:
                self._senders[name].add(alert)
