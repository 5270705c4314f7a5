"""The thread that writes one recording: it takes events from the queue, encodes them and writes their records."""

import atexit
import contextlib
import threading
from collections import deque
from collections.abc import Sequence

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder.ends.fork import make_inert_in_children
from toposcope.recorder.writing.encoding.event_encoder import EventEncoder, RecordedEvent, is_of_training
from toposcope.recorder.writing.event_queue import STALL_SECONDS, EventQueue
from toposcope.recorder.writing.files.rotating_file import RotatingFile
from toposcope.recorder.writing.heartbeat import Heartbeat
from toposcope.recorder.writing.marks import end_record

# Encoded events are written together up to this many bytes: a write takes longer than to encode a few scalars.
_WRITE_BYTES = 1 << 20


class EventWriter:
    """A background thread that writes events in the order of the queue. A failed write is retried every second."""

    def __init__(
        self,
        queue: EventQueue,
        encoder: EventEncoder,
        summaries: RotatingFile,
        lineage: RotatingFile,
        heartbeat: Heartbeat,
    ) -> None:
        """Start the thread, which owns the files from now on; the first file of *summaries* must be open."""
        self._queue = queue
        self._encoder = encoder
        self._summaries = summaries
        self._lineage = lineage
        self._heartbeat = heartbeat
        self._end_mark: RecordingEnd | None = None
        # Taken from the queue and not encoded yet.
        self._batch: deque[RecordedEvent] = deque()
        self._thread = threading.Thread(target=self._run, name="toposcope-writer", daemon=True)
        make_inert_in_children(self)
        try:
            self._thread.start()
        except RuntimeError:  # The limit of threads is reached.
            self.become_inert()
            raise

    def close(self, end: RecordingEnd | None = None) -> bool:
        """Write all queued events and the end, sync the files to disk, end the thread; return False if that failed.

        Closing twice has no effect.
        """
        if not self._queue.closed:
            self._end_mark = end
        is_complete = self._queue.close()
        if threading.current_thread() is self._thread:
            # Called by a finalizer in this very thread, which cannot join itself: it is joined at exit.
            atexit.register(self._thread.join, STALL_SECONDS)
        elif self._queue.has_ended:
            self._thread.join(STALL_SECONDS)  # It may still be logging.
        return is_complete

    def become_inert(self) -> None:
        """Release everything that belongs to the parent process, after a fork."""
        self._queue.become_inert()
        for file in self._files:
            file.abandon()

    @property
    def _files(self) -> Sequence[RotatingFile]:
        return self._summaries, self._lineage

    @property
    def _has_pending(self) -> bool:
        return bool(self._batch) or any(file.has_pending for file in self._files)

    def _run(self) -> None:
        has_ended = False
        while not has_ended:
            self._batch.extend(self._queue.take(self._has_pending, self._heartbeat.seconds_left))
            is_closing = self._queue.closed  # Read before the write: the last attempt must start after close().
            is_written = self._write()
            if not is_closing and self._heartbeat.seconds_left <= 0:
                self._write_heartbeat()
            has_ended = is_closing and not (is_written and not self._queue.is_empty)
        self._end()

    def _write(self) -> bool:
        """Write pending records and the batch; return whether all of it is in the files."""
        try:
            self._write_pending()
            while self._batch:
                self._encode_next()
                if not self._batch or sum(file.pending_bytes for file in self._files) >= _WRITE_BYTES:
                    self._write_pending()
            if self._queue.is_sync_requested:
                for file in self._files:
                    file.sync()
        except Exception as error:  # The top of the thread: stored for the callers, and the thread continues.
            self._queue.mark_failed(error)
            return False
        self._queue.mark_written()
        return True

    def _write_pending(self) -> None:
        for file in self._files:
            while file.has_pending:
                file.write_some()
                self._queue.mark_progress()

    def _encode_next(self) -> None:
        events = len(self._batch)
        if any(map(is_of_training, self._batch)):
            self._heartbeat.restart()
        try:
            records = self._encoder.encode_next(self._batch)
        except Exception:
            self._queue.mark_lost(events - len(self._batch))
            raise
        self._summaries.append(records.summaries)
        self._lineage.append(records.lineage)

    def _write_heartbeat(self) -> None:
        self._heartbeat.restart()
        if not self._has_pending:  # Otherwise the files cannot be written at present.
            with contextlib.suppress(OSError):  # Nothing is lost: the next heartbeat follows.
                self._summaries.write_mark(self._heartbeat.record())

    def _end(self) -> None:
        for end in (self._lineage.close, self._write_end_mark, self._summaries.close):
            try:
                end()
            except OSError as error:
                self._queue.mark_failed(error)
        self._queue.mark_ended(len(self._batch) + sum(file.pending_records for file in self._files))

    def _write_end_mark(self) -> None:
        """Write how the recording ended, unless records that precede it could not be written."""
        if self._end_mark is not None and not self._has_pending:
            self._summaries.write_mark(end_record(self._end_mark))
            while self._summaries.has_pending:
                self._summaries.write_some()
