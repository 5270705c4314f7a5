"""FileWriter: the event files of one directory in TensorBoard's dialect."""

import os
import sys
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from google.protobuf.message import DecodeError

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.proto.tensorboard_pb2 import Event
from toposcope.proto.wire import bytes_head
from toposcope.recorder import log
from toposcope.recorder.arguments import checked_directory
from toposcope.recorder.ends.end_observer import EndObserver
from toposcope.recorder.not_copied import NotCopied
from toposcope.recorder.rank import process_rank
from toposcope.recorder.record.unclosed import close_when_dropped
from toposcope.recorder.secrets.hiding import command_line
from toposcope.recorder.tensorboard.files.dialect import TENSORBOARD
from toposcope.recorder.tensorboard.files.times import checked_step, checked_wall_time
from toposcope.recorder.values.arrays.foreign_values import short_repr
from toposcope.recorder.writing.encoding.event_encoder import RecordedEvent
from toposcope.recorder.writing.files.event_file import Naming
from toposcope.recorder.writing.marks import recording_start
from toposcope.recorder.writing.recording import Recording, RecordingOptions, start_recording
from toposcope.recorder.writing.snapshot import Snapshot

_GRAPH_DEF, _SUMMARY = 4, 5
_EVENT_BYTES = 256
_MAX_COMMAND_LINE = 2000
_HEARTBEAT_SECONDS = 30.0
# What is recorded can be seen after a second, however seldom the caller wants it to be written.
_LONGEST_FLUSH_SECONDS, _SHORTEST_FLUSH_SECONDS = 1.0, 0.001


class _Fields(NamedTuple):
    """Encoded fields of an Event."""

    content: bytes

    def fields(self) -> bytes:
        return self.content


class EventWriter:
    """What frameworks reach for in the writer of a file, by the names that it has in TensorBoard's."""

    def __init__(self, writer: "FileWriter", path: str) -> None:
        self._writer = writer
        self._file_name = path
        self._ev_writer = self  # Of tensorboardX, which has the name there.
        self._logdir = writer.get_logdir()

    def get_logdir(self) -> str:
        """Return the directory."""
        return self._logdir

    def add_event(self, event: Any) -> None:
        """Record an Event of TensorBoard at its own step and wall time."""
        self._writer.add_event(event, walltime=getattr(event, "wall_time", None) or None)

    def flush(self) -> None:
        """Wait until everything recorded before is in the file."""
        self._writer.flush()

    def close(self) -> None:
        """Write all values and close the file."""
        self._writer.close()


class FileWriter(NotCopied):
    """Writes events to files in one directory; the methods are those of torch.utils.tensorboard's FileWriter.

    After close(), and in a process forked from the writer's, the next value starts a new file.
    """

    _why_not_copied: ClassVar[str] = (
        "its files belong to one process: create one in each process, with a directory of its own"
    )

    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        max_queue: int | None = 10,
        flush_secs: float | None = 120,
        filename_suffix: str | None = "",
        *,
        purge_step: int | None = None,
        max_file_size: int | None = None,
        heartbeat_seconds: float = _HEARTBEAT_SECONDS,
    ) -> None:
        """Create a new event file in *log_dir*, which is created if it does not exist.

        Args:
            log_dir: a directory, or an address in an object store.
            max_queue: not used: the queue is bounded by its memory.
            flush_secs: maximum time in seconds before a value is written; a second if it is longer.
            filename_suffix: of the file names.
            purge_step: the first step of this recording, which replaces what earlier ones in the directory recorded
                from that step on. Nothing is deleted.
            max_file_size: in bytes; see SummaryRecord. None: no limit.
            heartbeat_seconds: see SummaryRecord.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: an argument has an invalid value.
            OSError: the directory or the file cannot be created.
        """
        self._log_dir = str(log_dir)
        rank = process_rank()
        self._naming = Naming(
            checked_directory("log_dir", log_dir), "", rank, _checked_suffix(filename_suffix), "tensorboard"
        )
        self._flush_seconds = _flush_seconds(flush_secs)
        self._start = recording_start(rank, heartbeat_seconds, command_line(sys.argv, _MAX_COMMAND_LINE))
        self._max_file_size = max_file_size
        self._purge_step = None if purge_step is None else checked_step("purge_step", purge_step)
        self._warned: set[str] = set()
        self._open()

    def _open(self) -> None:
        resume = False if self._purge_step is None else self._purge_step
        self._purge_step = None  # What is recorded after close() continues this recording.
        options = RecordingOptions(
            self._naming,
            self._max_file_size,
            False,
            self._flush_seconds,
            resume,
            self._start,
            dialect=TENSORBOARD,
        )
        self._start.process_id = os.getpid()
        self._recording: Recording = start_recording(options)
        self._observer = EndObserver()
        self._finalizer = close_when_dropped(self, self._recording, self._observer)
        self.queue = self._recording.queue
        """Takes events of a few scalars; put_again() must be called with one that it does not accept."""

    @property
    def event_writer(self) -> EventWriter:
        """The current file, for frameworks that want to know its name."""
        return EventWriter(self, self._recording.summaries.path)

    def get_logdir(self) -> str:
        """Return the directory."""
        return self._log_dir

    def put_again(self, event: RecordedEvent) -> None:
        """Queue an event that put() did not accept because the file is closed; otherwise the reason is logged."""
        if self.queue.closed and self._reopen():
            self.queue.put(event)

    def add_scalars(self, scalars: Mapping[str, float], global_step: Any = None, walltime: Any = None) -> None:
        """Record numbers by tag as one event."""
        event = checked_wall_time(walltime), checked_step("global_step", global_step), dict(scalars), None
        if not self.queue.put(event):
            self.put_again(event)

    def add_values(
        self, plugin: str, values: Mapping[str, Any], size: int, global_step: Any = None, walltime: Any = None
    ) -> None:
        """Record values by tag as one event."""
        snapshots = {(plugin, tag): Snapshot(plugin, value, size) for tag, value in values.items()}
        self._put_large(snapshots, size, checked_wall_time(walltime), checked_step("global_step", global_step))

    def add_summary(self, summary: Any, global_step: Any = None, walltime: Any = None) -> None:
        """Record a Summary of TensorBoard: a message of any library, or its bytes.

        Raises:
            TypeError: it is neither.
        """
        content = _bytes_of(summary, "summary")
        self._add_fields(bytes_head(_SUMMARY, len(content)) + content, global_step, walltime)

    def add_event(self, event: Any, step: Any = None, walltime: Any = None) -> None:
        """Record an Event of TensorBoard, a message of any library or its bytes, at its own step if none is passed.

        Its wall time is the current one if none is passed.

        Raises:
            TypeError: it is neither.
            ValueError: the bytes are not an event.
        """
        if step is None:
            step = _parsed(event).step if isinstance(event, bytes) else getattr(event, "step", None)
        self._add_fields(_bytes_of(event, "event"), step, walltime)

    def add_graph(self, graph_profile: Any, walltime: Any = None) -> None:
        """Record a graph: a pair of GraphDef and step statistics, which are not recorded.

        Raises:
            TypeError: the graph is not a message.
        """
        self.add_onnx_graph(graph_profile[0], walltime)

    def add_onnx_graph(self, graph: Any, walltime: Any = None) -> None:
        """Record a GraphDef.

        Raises:
            TypeError: the graph is not a message.
        """
        content = _bytes_of(graph, "graph")
        self._add_fields(bytes_head(_GRAPH_DEF, len(content)) + content, None, walltime)

    def flush(self) -> bool:
        """Wait until everything recorded before is in the file; return False, with a log line, if the writer fails."""
        return self.queue.flush() and self._recording.is_complete

    def close(self, end: RecordingEnd | None = None) -> bool:
        """Write all values, sync the file to disk and close it; return whether everything is in it.

        Args:
            end: how the recording ended. None: it failed if an exception is being handled, otherwise it is finished.
        """
        queue = self.queue
        if end is None and not queue.closed:
            end = self._observer.ending_at_close()
        is_written = self._recording.writer.close(end) and self._recording.is_complete
        self._finalizer.detach()
        return is_written

    def reopen(self) -> None:
        """Start a new file if this one is closed."""
        if self.queue.closed:
            self._reopen()

    def _reopen(self) -> bool:
        """Start a new file; return False, with a log line, if that is impossible."""
        try:
            self._open()
        except (OSError, RuntimeError) as error:  # RuntimeError: no thread can be started, at exit for example.
            self._warn_once("reopen", f"drops values: no new file can be started: {error}")
            return False
        return True

    def _add_fields(self, content: bytes, step: Any, walltime: Any) -> None:
        snapshots = {("event", "event"): Snapshot("event", _Fields(content), len(content))}
        self._put_large(snapshots, len(content), checked_wall_time(walltime), checked_step("global_step", step))

    def _put_large(self, snapshots: dict[tuple[str, str], Snapshot], size: int, wall_time: float, step: int) -> None:
        if self.queue.closed and not self._reopen():
            return
        self.queue.put_large((wall_time, step, {}, snapshots), _EVENT_BYTES + size)

    def _warn_once(self, reason: str, text: str) -> None:
        if reason not in self._warned:
            self._warned.add(reason)
            log.warn("%s: %s", self._log_dir, text)


def _parsed(event: bytes) -> Event:
    try:
        return Event.FromString(event)
    except DecodeError as error:
        raise ValueError(f"event must be an encoded Event of TensorBoard, not {short_repr(event)}: {error}") from None


def _bytes_of(message: Any, name: str) -> bytes:
    if isinstance(message, bytes):
        return message
    if not hasattr(message, "SerializeToString"):
        raise TypeError(f"{name} must be a protobuf message of TensorBoard, not {short_repr(message)}.")
    content: bytes = message.SerializeToString()
    return content


def _checked_suffix(suffix: object) -> str:
    if suffix is None:
        return ""
    if not isinstance(suffix, str):
        raise TypeError(f"filename_suffix must be a str, not {short_repr(suffix)}.")
    if {"/", os.sep, "\0"} & set(suffix):
        raise ValueError(f"filename_suffix must be a part of a file name, not {suffix!r}.")
    return suffix


def _flush_seconds(flush_secs: object) -> float:
    if flush_secs is None:
        return _LONGEST_FLUSH_SECONDS
    if isinstance(flush_secs, bool) or not isinstance(flush_secs, int | float):
        raise TypeError(f"flush_secs must be a number of seconds, not {short_repr(flush_secs)}.")
    return min(max(float(flush_secs), _SHORTEST_FLUSH_SECONDS), _LONGEST_FLUSH_SECONDS)
