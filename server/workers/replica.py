"""A worker's side: the runs of a logdir that another process loads."""

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import orjson

from toposcope.server.loading.files.file_loader import Progress
from toposcope.server.loading.publishing.snapshot import Snapshot, Update
from toposcope.server.process.freed_memory import FreedMemory
from toposcope.server.reading.file_view import FileView
from toposcope.server.reports.process_report import ProcessReport, Reports, own_report
from toposcope.server.runs.run import RunView
from toposcope.server.workers.mapped_memory import MappedMemory
from toposcope.server.workers.messages import (
    PATCH,
    REPORTS,
    SLAB,
    UPDATES,
    Frame,
    Patch,
    RunPatch,
    decode,
    receive_frame,
)

ALIVE_SECONDS = 2.0
"""How often a worker reports that it answers."""
_REPORTS_SECONDS = 1.0
"""How long a request for the reports of all processes may take."""


class Replica:
    """Follows the snapshots of another process in a separate thread; ends this process when the other one ends.

    Args:
        path: the logdir.
        channel: connected to the other process.
    """

    def __init__(self, path: str, channel: socket.socket) -> None:
        self.path = path
        self.snapshot = Snapshot(
            0, 0, True, True, MappingProxyType({}), Progress(0, 0, 0, 0), 0, MappingProxyType[str, str]({})
        )
        self._channel = channel
        self._memory = MappedMemory()
        self._freed_memory = FreedMemory()
        self._files: dict[str, FileView] = {}
        self._subscribers: list[Callable[[Update], None]] = []
        self.own_report: Callable[[], ProcessReport] = own_report
        self._reports: Reports = {}
        self._received = threading.Condition()
        """Notified when reports are received."""
        self._sending = threading.Lock()
        self._is_stopping = False
        self._thread = threading.Thread(target=self._follow, name="toposcope-replica", daemon=True)

    def receive_first(self) -> bool:
        """Wait for the first snapshot; return False if the other process ends before."""
        while (frame := receive_frame(self._channel)) is not None:
            if self._apply(frame) and frame.kind == PATCH:
                return True
        return False

    def start(self) -> None:
        """Start to follow the other process, and to report to it that the event loop, which calls this, runs."""
        self._report = asyncio.get_running_loop().create_task(self._report_alive())
        self._thread.start()

    async def _report_alive(self) -> None:
        while True:
            await asyncio.to_thread(self._send_alive)
            await asyncio.to_thread(self._freed_memory.return_due)
            await asyncio.sleep(ALIVE_SECONDS)

    def _send_alive(self) -> None:
        self._send({"alive": True, "report": self.own_report()})

    def reports(self) -> Reports:
        """Return the reports of all processes; those that were received last if the other process does not answer."""
        with self._received:
            self._send({"report": self.own_report(), "asks": True})
            self._received.wait(_REPORTS_SECONDS)
            return self._reports

    def stop(self) -> None:
        """Stop; returns when the thread has ended."""
        self._is_stopping = True
        self._report.cancel()
        with suppress(OSError):  # The other process has ended.
            self._channel.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def prioritise(self, runs: Iterable[str]) -> None:
        """Load these runs before others."""
        if self.snapshot.loading and (names := list(runs)):
            self._send({"prioritise": names})

    def subscribe(self, subscriber: Callable[[Update], None]) -> Callable[[], None]:
        """Call subscriber, in the following thread, after each change; return a function that ends this."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    def _follow(self) -> None:
        while (frame := receive_frame(self._channel)) is not None:
            self._apply(frame)
        if not self._is_stopping:
            os.kill(os.getpid(), signal.SIGTERM)

    def _apply(self, frame: Frame) -> bool:
        """Apply a frame; return whether the snapshot has all that it names."""
        if frame.kind == SLAB and frame.descriptor is not None:
            self._memory.add_slab(frame.descriptor)
            return False
        message = decode(frame.content, self._memory.array)
        if frame.kind == PATCH:
            return self._apply_patch(message)
        if frame.kind == REPORTS:
            with self._received:
                self._reports = message
                self._received.notify_all()
        if frame.kind == UPDATES:
            for update in message:
                for subscriber in list(self._subscribers):
                    subscriber(update)
        return True

    def _apply_patch(self, patch: Patch) -> bool:
        for view, is_whole in patch.files:
            known = None if is_whole else self._files[view.path]
            self._files[view.path] = view._replace(series={**known.series, **view.series}) if known else view
        runs = dict(self.snapshot.runs)
        for name in patch.removed:
            self._forget(runs.pop(name, None))
        for name, each in patch.runs.items():
            runs[name] = self._run(name, runs.get(name), each)
        if runs.keys() != self.snapshot.runs.keys():
            runs = dict(sorted(runs.items()))
        head = patch.snapshot or self.snapshot
        self.snapshot = head._replace(
            runs=MappingProxyType(runs),
            problems=MappingProxyType(dict(head.problems)),
            stale=MappingProxyType(dict(head.stale)),
        )
        self._send({"number": patch.number})
        self._freed_memory.expect()
        return patch.number >= 0

    def _run(self, name: str, old: RunView | None, patch: RunPatch) -> RunView:
        if patch.files is None:
            assert old is not None
            run = old.seen_again(patch.live, patch.activities, patch.seen)
        else:
            if old is not None:
                self._forget(old, patch.files)
            files = [self._files[path] for path in patch.files]
            run = RunView(name, files, patch.revision, patch.live, patch.activities, patch.seen)
        run.state_revision = patch.state_revision
        return run

    def _forget(self, run: RunView | None, kept: Iterable[str] = ()) -> None:
        """Forget the files of a run that it has no longer."""
        for path in {file.path for file in run.files} - set(kept) if run else ():
            self._files.pop(path, None)

    def _send(self, reply: dict[str, Any]) -> None:
        """Send a reply, with the blocks of memory that are no longer used."""
        returned = []
        while self._memory.returned:
            (slab, offset), count = self._memory.returned.popleft()
            returned.append((slab, offset, count))
        # If the other process has ended, the following thread notices.
        with self._sending, suppress(OSError):
            self._channel.sendall(orjson.dumps(reply | {"returned": returned}, default=tuple) + b"\n")
