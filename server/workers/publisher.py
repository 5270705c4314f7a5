"""The loading process's side of the workers: sends each what it lacks of the last snapshot.

Every worker has a thread that sends it one patch at a time, so one that is slow skips snapshots and delays nobody. A
change is announced to event streams when every worker has it: the requests that follow may reach any of them. A worker
that does not acknowledge within a second is not waited for; what it missed is announced again when it has caught up.
"""

import logging
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import numpy.typing as npt
import orjson

from toposcope.server.loading.logdir import Logdir
from toposcope.server.loading.publishing.snapshot import Snapshot, Update
from toposcope.server.reading.file_view import FileView
from toposcope.server.reports.process_report import ProcessReport, Reports, parse_report
from toposcope.server.runs.run import RunView
from toposcope.server.workers.messages import (
    PATCH,
    REPORTS,
    SETTINGS,
    SLAB,
    UPDATES,
    FilePatch,
    Patch,
    RunPatch,
    encode,
    send_frame,
)
from toposcope.server.workers.settings import Settings
from toposcope.server.workers.shared_memory import ArrayReference, BlockId, SharedMemory

_PATIENCE_SECONDS = 1.0
_MAX_RUNS = 200
"""Runs in one patch: a worker that starts gets many."""

log = logging.getLogger(__name__)


class _Link:
    """What one worker has received. Its fields are guarded by the lock of the publisher."""

    def __init__(self, name: str, channel: socket.socket, report_alive: Callable[[], None]) -> None:
        self.name = name
        self.channel = channel
        self.report_alive = report_alive
        self.sending = threading.Lock()
        """Held while a frame is sent; the lock of the publisher may be taken while it is held."""
        self.pending: set[str] = set()
        """Runs that may differ from what the worker has."""
        self.is_stale = True
        """Whether there is a snapshot to send, perhaps without a run that differs."""
        self.sent_number = -1
        self.sent_at = 0.0
        """When a patch was sent that was not acknowledged yet; 0 if there is none."""
        self.acknowledged = -1
        """The last change that the worker has, by number; -1 before it has a snapshot."""
        self.was_late = False
        self.missed: set[str] = set()
        """Runs whose changes were announced although the worker did not have them."""
        self.outbox: list[Update] = []
        self.report: ProcessReport | None = None
        """What the worker reported last of itself."""
        self.asks = False
        """Whether it waits for the reports of all processes."""
        self.runs: dict[str, RunView] = {}
        """The runs that were sent."""
        self.uses: Counter[BlockId] = Counter()
        self.slabs = 0
        self.is_closed = False


class Publisher:
    """Publishes the snapshots of a logdir to workers.

    Args:
        logdir: whose snapshots.
        memory: holds the arrays that the workers share.
        patience_seconds: how long a change waits for a worker that does not answer.
    """

    def __init__(self, logdir: Logdir, memory: SharedMemory, patience_seconds: float = _PATIENCE_SECONDS) -> None:
        self._logdir = logdir
        self._memory = memory
        self._patience_seconds = patience_seconds
        self._links: list[_Link] = []
        self._changed = threading.Condition()
        self._snapshot: Snapshot = logdir.snapshot
        self._number = 0
        self._unannounced: list[tuple[int, Update]] = []
        logdir.subscribe(self._publish)
        logdir.observe(self._publish_silently)

    def _publish(self, update: Update) -> None:
        """Take a new snapshot; called in the loading thread."""
        self._take([*update.added, *update.changed, *update.removed, *update.states], update)

    def _publish_silently(self, names: Iterable[str]) -> None:
        self._take(names, None)

    def _take(self, names: Iterable[str], update: Update | None) -> None:
        with self._changed:
            self._snapshot = self._logdir.snapshot
            self._number += 1
            if update is not None:
                self._unannounced.append((self._number, update))
            for link in self._links:
                link.pending.update(names)
                link.is_stale = True
            self._announce()
            self._changed.notify_all()

    def serve(self, name: str, channel: socket.socket, settings: Settings, report_alive: Callable[[], None]) -> None:
        """Keep a worker up to date until it or the connection ends.

        Args:
            name: of the worker, the same for one that replaces it.
            channel: connected to the worker.
            settings: how it serves.
            report_alive: called, in another thread, each time the worker reports that it answers requests.
        """
        link = _Link(name, channel, report_alive)
        receiver = threading.Thread(target=self._receive, args=(link,), name="toposcope-worker-replies", daemon=True)
        receiver.start()
        try:
            send_frame(channel, SETTINGS, encode(settings, lambda _: None))
            with self._changed:
                link.pending = set(self._snapshot.runs)
                self._links.append(link)
            while self._send_next(link):
                pass
        except OSError:
            pass  # The worker has ended.
        finally:
            self._close(link)
            receiver.join()
            channel.close()
            self._memory.give_back(link.uses)

    def _close(self, link: _Link) -> None:
        with self._changed:
            link.is_closed = True
            if link in self._links:
                self._links.remove(link)
            self._announce()
            self._changed.notify_all()
        with suppress(OSError):  # The worker has ended.
            link.channel.shutdown(socket.SHUT_RDWR)

    def _send_next(self, link: _Link) -> bool:
        """Wait until there is something to send, and send it; return False when the connection has ended."""
        with self._changed:
            while not link.is_closed and not link.outbox and not link.asks and (link.sent_at or not link.is_stale):
                self._changed.wait(self._patience())
                self._announce()
            if link.is_closed:
                return False
            patch = self._next_patch(link) if link.is_stale and not link.sent_at else None
            asks, link.asks = link.asks, False
        with link.sending:
            self._send_updates(link)
            if asks:
                send_frame(link.channel, REPORTS, encode(self._reports(), lambda _: None))
            if patch is not None:
                self._send_patch(link, patch)
        return True

    def _reports(self) -> Reports:
        """Return the reports of this process and of those workers that have sent one."""
        with self._changed:
            workers = {link.name: link.report for link in self._links if link.report is not None}
        return {**self._logdir.reports(), **dict(sorted(workers.items()))}

    def _send_updates(self, link: _Link) -> None:
        """Send what is in the outbox."""
        with self._changed:
            updates, link.outbox = link.outbox, []
        if updates:
            send_frame(link.channel, UPDATES, encode(updates, lambda _: None))

    def _send_announced(self) -> None:
        """Send what was announced from the thread that received the last acknowledgement.

        To wake the threads of all workers takes longer. A late worker, which may not read, is left to its own.
        """
        with self._changed:
            links = [link for link in self._links if link.outbox and not link.was_late]
        for link in links:
            if link.sending.acquire(blocking=False):
                try:
                    with suppress(OSError):  # The worker has ended.
                        self._send_updates(link)
                finally:
                    link.sending.release()

    def _patience(self) -> float | None:
        """Return for how long a change still waits for a worker; None if no change waits."""
        if not self._unannounced:
            return None
        sent = [link.sent_at for link in self._links if link.sent_at and link.acknowledged >= 0 and not link.was_late]
        return max(0.01, min(sent, default=time.monotonic()) + self._patience_seconds - time.monotonic())

    def _next_patch(self, link: _Link) -> Patch:
        """Return how the last snapshot differs from what the worker has; called with the lock."""
        names = sorted(link.pending)[:_MAX_RUNS]
        link.pending.difference_update(names)
        link.is_stale = bool(link.pending)
        link.sent_at = time.monotonic()
        head = None
        if not link.is_stale:
            link.sent_number = self._number
            head = self._snapshot._replace(
                runs={}, problems=dict(self._snapshot.problems), stale=dict(self._snapshot.stale)
            )
        patch = Patch(link.sent_number, head, [], {}, [])
        for name in names:
            old, new = link.runs.get(name), self._snapshot.runs.get(name)
            if new is None:
                patch.removed.append(name)
                link.runs.pop(name, None)
            elif new is not old:
                link.runs[name] = new
                patch.runs[name] = _run_patch(old, new, patch.files)
        return patch

    def _send_patch(self, link: _Link, patch: Patch) -> None:
        uses: Counter[BlockId] = Counter()

        def reference(array: npt.NDArray[Any]) -> ArrayReference | None:
            place = self._memory.reference(array)
            if place is not None:
                uses[BlockId(place.slab, place.offset)] += 1
            return place

        try:
            content = encode(patch, reference)
        finally:
            with self._changed:
                link.uses += uses
        for slab in self._memory.slabs[link.slabs :]:
            send_frame(link.channel, SLAB, descriptor=slab.descriptor)
            link.slabs += 1
        send_frame(link.channel, PATCH, content)

    def _receive(self, link: _Link) -> None:
        """Apply what the worker replies until it ends."""
        try:
            with link.channel.makefile("rb") as lines:
                for line in lines:
                    self._apply(link, orjson.loads(line))
        except OSError:
            pass  # The worker has ended.
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            log.warning("a worker has sent what is no reply, and is ended: %s", error)
        self._close(link)

    def _apply(self, link: _Link, reply: dict[str, Any]) -> None:
        if "alive" in reply:
            link.report_alive()
        self._logdir.prioritise([str(name) for name in reply.get("prioritise", [])])
        returned = Counter({BlockId(slab, offset): count for slab, offset, count in reply["returned"]})
        with self._changed:
            if "report" in reply:
                link.report = parse_report(reply["report"])
            if "asks" in reply:
                link.asks = True
                self._changed.notify_all()
            if any(count > link.uses[block] for block, count in returned.items()):
                raise ValueError("it returned more than it has")
            link.uses -= returned
            if "number" in reply:
                self._acknowledge(link, int(reply["number"]))
                self._changed.notify_all()
        self._send_announced()
        self._memory.give_back(returned)

    def _acknowledge(self, link: _Link, number: int) -> None:
        link.acknowledged, link.sent_at, link.was_late = number, 0.0, False
        if link.missed:
            # Requests that followed an announcement may have been answered by this worker, without the change.
            known = sorted(link.missed & self._snapshot.runs.keys())
            self._unannounced.append((self._number, Update(self._snapshot.revision, [], known, [], [])))
            link.missed.clear()
        self._announce()

    def _announce(self) -> None:
        """Announce the changes that all workers have that are waited for; called with the lock."""
        now = time.monotonic()
        for link in self._links:
            link.was_late |= (
                bool(link.sent_at) and link.acknowledged >= 0 and now - link.sent_at > self._patience_seconds
            )
        waited = [link.acknowledged for link in self._links if link.acknowledged >= 0 and not link.was_late]
        reached = min(waited, default=self._number)
        updates = [update for number, update in self._unannounced if number <= reached]
        if not updates:
            return
        self._unannounced = [each for each in self._unannounced if each[0] > reached]
        for link in self._links:
            if link.acknowledged >= 0:
                link.outbox += updates
            if link.was_late:
                link.missed.update(*(names for update in updates for names in update[1:]))
        self._changed.notify_all()


def _run_patch(old: RunView | None, new: RunView, files: list[FilePatch]) -> RunPatch:
    """Return how a run differs, and append how its files do."""
    paths = None
    if old is None or old.files is not new.files:
        known = {file.path: file for file in old.files} if old else {}
        files += [patch for file in new.files if (patch := _file_patch(known.get(file.path), file)) is not None]
        paths = [file.path for file in new.files]
    return RunPatch(paths, new.revision, new.state_revision, new.live, dict(new.activities), new.seen)


def _file_patch(old: FileView | None, new: FileView) -> FilePatch | None:
    if old is new:
        return None
    is_packed = not isinstance(new.series, dict) or (old is not None and not isinstance(old.series, dict))
    if old is None or is_packed or not old.series.keys() <= new.series.keys():
        return FilePatch(new, is_whole=True)
    changed = {tag: series for tag, series in new.series.items() if old.series.get(tag) is not series}
    return FilePatch(new._replace(series=changed), is_whole=False)
