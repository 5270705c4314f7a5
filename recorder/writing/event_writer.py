"""The thread that writes one recording: takes events from the queue and brings their records into the files."""

import atexit
import threading
from collections import deque
from collections.abc import Sequence

from toposcope.recorder.fork import make_inert_in_children
from toposcope.recorder.writing.event_encoder import EventEncoder, RecordedEvent
from toposcope.recorder.writing.event_queue import STALL_SECONDS, EventQueue
from toposcope.recorder.writing.rotating_file import RotatingFile


class EventWriter:
    """One background thread that writes in the order of the queue. What it cannot write it tries again every second."""

    def __init__(
        self, queue: EventQueue, encoder: EventEncoder, summaries: RotatingFile, lineage: RotatingFile
    ) -> None:
        """Own the files; the first of *summaries* has begun."""
        self._queue = queue
        self._encoder = encoder
        self._summaries = summaries
        self._lineage = lineage
        # Taken from the queue and not yet encoded.
        self._batch: deque[RecordedEvent] = deque()
        self._thread = threading.Thread(target=self._run, name="toposcope-writer", daemon=True)
        make_inert_in_children(self)
        try:
            self._thread.start()
        except RuntimeError:  # There are too many threads.
            self.become_inert()
            raise

    def close(self) -> bool:
        """Write what is queued, bring the files to the disk and end the thread; False when that failed. Idempotent."""
        closed = self._queue.close()
        if threading.current_thread() is self._thread:
            # A finaliser ran in this very thread, which cannot wait for itself: the end of the process does.
            atexit.register(self._thread.join, STALL_SECONDS)
        elif self._queue.ended:
            self._thread.join(STALL_SECONDS)  # It may still be logging.
        return closed

    def become_inert(self) -> None:
        """Let go of everything that belongs to the parent process, after a fork."""
        self._queue.become_inert()
        for file in self._files:
            file.abandon()

    @property
    def _files(self) -> Sequence[RotatingFile]:
        return self._summaries, self._lineage

    @property
    def _owes(self) -> bool:
        return bool(self._batch) or any(file.owes for file in self._files)

    def _run(self) -> None:
        ended = False
        while not ended:
            self._batch.extend(self._queue.take(self._owes))
            closing = self._queue.closed  # Read before the write: the last attempt is one that began after close().
            written = self._write()
            ended = closing and not (written and not self._queue.is_empty)
        self._end()

    def _write(self) -> bool:
        """Write what is owed and the batch; say whether all of it is in the files."""
        try:
            self._write_owed()
            while self._batch:
                self._encode_some()
                self._write_owed()
        except Exception as error:  # The top of the thread: kept for the callers, the thread lives on.
            self._queue.fail(error)
            return False
        self._queue.settle()
        return True

    def _write_owed(self) -> None:
        for file in self._files:
            while file.owes:
                file.write_some()
                self._queue.move()

    def _encode_some(self) -> None:
        events = len(self._batch)
        try:
            records = self._encoder.encode_next(self._batch)
        except Exception:
            self._queue.lose(events - len(self._batch))
            raise
        self._summaries.append(records.summaries)
        self._lineage.append(records.lineage)

    def _end(self) -> None:
        for file in self._files:
            try:
                file.close()
            except OSError as error:
                self._queue.fail(error)
        self._queue.end(len(self._batch) + sum(file.owed_records for file in self._files))
