"""SummaryRecord: records the summaries of a training loop into event files."""

import os
import sys
import weakref
from collections.abc import Callable, Mapping
from time import time
from types import TracebackType
from typing import Any, ClassVar, SupportsIndex

from google.protobuf.message import Message

from toposcope.proto.summary_pb2 import Phase, RecordingEnd
from toposcope.recorder.arguments import (
    MIN_HEARTBEAT_SECONDS,
    checked_backlog,
    checked_bool,
    checked_directory,
    checked_export_options,
    checked_file_name_part,
    checked_file_size,
    checked_filter,
    checked_integer,
    checked_name,
    checked_seconds,
    checked_suffix,
    checked_text,
)
from toposcope.recorder.ends.end_observer import EndObserver
from toposcope.recorder.ends.ending import FINISHED, ending_of, interruption
from toposcope.recorder.not_copied import NotCopied
from toposcope.recorder.rank import process_rank
from toposcope.recorder.record.added.added_values import SCALAR_BYTES, AddedValues
from toposcope.recorder.record.added.network_values import NetworkValues
from toposcope.recorder.record.added.pending_values import UnrecordedValues
from toposcope.recorder.record.logged_alert import logged_alert
from toposcope.recorder.record.logged_values import LoggedValues, logged_values
from toposcope.recorder.record.record_problems import RecordProblems
from toposcope.recorder.record.unclosed import close_when_dropped
from toposcope.recorder.secrets.hiding import command_line
from toposcope.recorder.stores.spool import shown_path
from toposcope.recorder.values.arrays.foreign_values import short_repr
from toposcope.recorder.writing.files.event_file import Naming
from toposcope.recorder.writing.marks import recording_start
from toposcope.recorder.writing.recording import RecordingOptions, start_recording
from toposcope.recorder.writing.snapshot import Snapshot

_MODES = ("train", "eval")
# Approximate memory of a queued event without its values. Up to _FEW_SCALARS an event counts as small.
_EVENT_BYTES, _FEW_SCALARS = 256, 16
_MIN_STEP, _MAX_STEP = -(2**63), 2**63 - 1
_MAX_COMMAND_LINE = 2000


class SummaryRecord(NotCopied):
    """Records the values of one training process into its own event files.

    A call takes a microsecond or two of the training thread, plus a copy of array data. Encoding and I/O happen in a
    background thread. A failure to write never stops the training: record() returns False and the reason is logged.

        with SummaryRecord("runs/first") as recorder:
            for step in range(1, 1001):
                recorder.add_value("scalar", "loss", train_step())
                recorder.record(step)

    Threads are independent: record() writes the values that its own thread has added. In a process forked from the
    recorder's, the recorder is closed.

    The files also contain how the recording ended: finished, failed with an exception, or interrupted. If the recorder
    is not used in a with statement, that is the exception being handled while close() is called, or the one that ended
    the process; see also EndObserver. While nothing is recorded, heartbeats show that the process is alive.

    Differences from MindSpore's class:

    * Values may be numbers, arrays or tensors of any framework. Scalars keep the precision of a double, tensors their
      dtype, and uint8 images their pixels. Histograms are correct for integers, booleans and constant arrays.
    * If a tag is added twice before record(), only the newest value is written.
    * At max_file_size a new file is started instead of ending the recording; zero is rejected.
    * Several recorders may be open at the same time; they never share a file.
    * step accepts any integer object except bool; log_dir also accepts a path object; "_lineage" suffixes are rejected.
    * flush() waits until the data is written. raise_exception raises in the training process. No call blocks forever.
    """

    _why_not_copied: ClassVar[str] = (
        "its files belong to one process: create one in each process, with a directory of its own"
    )

    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        file_prefix: str = "events",
        file_suffix: str = "_MS",
        network: object = None,
        max_file_size: int | None = None,
        raise_exception: bool = False,
        export_options: dict[str, str | None] | None = None,
        *,
        flush_seconds: float = 1.0,
        heartbeat_seconds: float = 30.0,
        on_backlog: str = "wait",
        resume: bool | int = False,
        collects_operators: bool = True,
    ) -> None:
        """Create a new event file in *log_dir*, which is created if it does not exist.

        Args:
            log_dir: directory of the run.
            file_prefix: prefix of the file names: ASCII letters, digits, "_" and ".".
            file_suffix: suffix of the file names, from the same characters.
            network: a torch.nn.Module, a mindspore.nn.Cell, or a graph created by graph(). Its graph is recorded once,
                by the first record() after it becomes available: after the first forward pass of a module, after the
                compilation of a Cell.
            max_file_size: maximum size of a file in bytes, exported files excluded; a record that would exceed it
                starts the next file. A record larger than the maximum is written to a separate file. Heartbeats and the
                end, at most 11 KB, may exceed it. None: no limit.
            raise_exception: whether the next record(), flush() or close() raises the error of a failed write, close()
                also if something that was recorded is lost, and add_value() the error of a value that cannot be read.
                Otherwise errors are logged, once each.
            export_options: {"tensor_format": "npy"} also writes each tensor to a separate file,
                `export_<seconds>/tensor/<quoted tag>_<step>.npy`.
            flush_seconds: maximum time in seconds before a recorded value is written.
            heartbeat_seconds: a heartbeat is written when the training recorded nothing for this time in seconds, at
                least 0.01. Readers consider the process lost when the file has not grown for three times as long.
            on_backlog: what record() does if values are recorded faster than they are written and the queue is full:
                "wait" until there is room, or "drop" the new values and return False. What was waited and dropped is
                logged at the end.
            resume: whether this recording continues an earlier one in the same directory. True: it replaces the
                later steps of each tag that it records, also where it repeats none. An integer: the first step of this
                recording; what was recorded there from that step on is hidden, of every tag. False: readers compare the
                steps of each tag. Nothing is deleted: readers can show each attempt.
            collects_operators: whether record() also records the values of the operators in toposcope.recorder.summary.
                If several recorders are open in one context (a thread, for example), the one opened last receives them.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: an argument has an invalid value.
            NotADirectoryError: log_dir exists and is not a directory.
            OSError: the directory or the file cannot be created.
        """
        prefix, suffix = checked_file_name_part("file_prefix", file_prefix), checked_suffix(file_suffix)
        self._network = NetworkValues(network)
        size = checked_file_size(max_file_size)
        raises = checked_bool("raise_exception", raise_exception)
        exports_npy = checked_export_options(export_options)
        seconds = checked_seconds("flush_seconds", flush_seconds)
        heartbeat = checked_seconds("heartbeat_seconds", heartbeat_seconds, lowest=MIN_HEARTBEAT_SECONDS)
        drops = checked_backlog(on_backlog) == "drop"
        resume = resume if isinstance(resume, bool) else checked_integer("resume", resume, lowest=0)
        collects_operators = checked_bool("collects_operators", collects_operators)
        naming = Naming(checked_directory("log_dir", log_dir), prefix, rank := process_rank(), suffix)
        start = recording_start(rank, heartbeat, command_line(sys.argv, _MAX_COMMAND_LINE))
        self._recording = start_recording(RecordingOptions(naming, size, exports_npy, seconds, resume, start, drops))
        self._observer = EndObserver()
        self._unrecorded = UnrecordedValues()
        close_when_dropped(self, self._recording, self._observer, self._unrecorded)
        if collects_operators:
            self._network.operators.open()
            weakref.finalize(self, self._network.operators.close)
        self._problems = RecordProblems(self._recording, raises)
        self._added = AddedValues(self._network, self._problems, self._unrecorded)
        self._pending, self._put = self._added.pending, self._recording.queue.put  # Of which each call makes use.
        self.set_mode("train")

    @property
    def log_dir(self) -> str:
        """Full path, or address in an object store, of the current event file."""
        return shown_path(self._recording.summaries.path)

    def set_mode(self, mode: str) -> None:
        """Set the phase of the network, "train" or "eval".

        Values of summary operators are recorded in "train" and dropped in "eval". MindSpore's operators are recorded if
        MindSpore was imported before the recorder was created or before this call. Added values are recorded in both.

        Raises:
            ValueError: mode is neither "train" nor "eval".
        """
        if mode not in _MODES:
            raise ValueError(f"mode must be 'train' or 'eval', not {short_repr(mode)}.")
        self._network.set_mode(mode)
        self._added.take_operator_values()  # Drops the values of the previous phase.

    def add_value(self, plugin: str, name: str, value: object, *, dataformats: str | None = None) -> None:
        """Add a value to the ones that this thread's next record() writes.

        The value is copied: later changes to it have no effect. A value whose own methods fail is skipped, with one
        log line.

        Args:
            plugin: "scalar", "tensor", "histogram", "image", "text", "graph", "landscape", "train_lineage",
                "eval_lineage", "dataset_graph" or "custom_lineage_data".
            name: the tag.
            value: depends on the plugin.
                scalar: a real number, or an array or tensor of any framework with one element. An integer that a double
                cannot represent is rounded to the nearest double, with one warning per tag.
                tensor, histogram, image: an array, a tensor of any framework, or nested lists; a histogram may also be
                a Histogram as returned by histogram_of(), an image one of Pillow's. A tensor takes less than 2 GiB of
                a file. uint8 pixels are stored unchanged, floats within 0..1 are multiplied by 255, all other pixels
                are scaled to 0..255. The images of a batch are tiled.
                text: a str, displayed as Markdown.
                other plugins: the protobuf message, either MindSpore's or one created by train_lineage(), graph(),
                landscape() and so on.
            dataformats: meaning of an image's dimensions: "NCHW", "NHWC", "CHW", "HWC" or "HW". None: the first of
                these that results in 1, 3 or 4 channels.

        Raises:
            TypeError: name is empty or not a str, or value has the wrong type.
            ValueError: plugin is unknown, or value has an invalid shape or size.
            Exception: if raise_exception is set, the error that the value's own methods raised.
        """
        # The most frequent case first: it is most of the time that recording takes from the training.
        if type(value) is float and plugin == "scalar" and type(name) is str and name and dataformats is None:
            scalars = self._pending.values.scalars
            is_duplicate = name in scalars
            scalars[name] = value
            if is_duplicate:
                self._problems.warn_of_duplicate(name)
        else:
            self._added.add(plugin, checked_name(name), value, dataformats)

    def record(
        self, step: SupportsIndex, train_network: object = None, plugin_filter: Callable[[str], bool] | None = None
    ) -> bool:
        """Record the values that this thread has added, at the given step and the current time.

        Args:
            step: any 64-bit integer.
            train_network: a torch.nn.Module or a mindspore.nn.Cell whose graph is recorded, unless a graph has already
                been recorded: now, or by a later record() if it is not available yet. Tracing a large module takes a
                few seconds.
            plugin_filter: called with the name of a plugin; if it returns False, the added values of that plugin are
                dropped.

        Returns:
            False if the recorder is closed, if the files cannot be written at present and values may be lost, if the
            values were dropped because of a backlog, or if an added value could not be read and is not recorded. True
            otherwise.

        Raises:
            TypeError: step is not an integer, train_network is not a network, or plugin_filter is not callable.
            ValueError: step does not fit in 64 bits.
            OSError: raise_exception is set and a file could not be written; raised once per fault.
        """
        if type(step) is not int or not _MIN_STEP <= step <= _MAX_STEP:
            step = checked_integer("step", step)
        if plugin_filter is not None:
            checked_filter(plugin_filter)
        if train_network is not None or self._network.has_sources or self._network.operators.is_filled:
            self._added.add_network_values(train_network)
        values = self._pending.values
        if plugin_filter is not None:
            values.filter(plugin_filter)
        scalars = values.scalars
        if values.snapshots or values.is_incomplete or len(scalars) > _FEW_SCALARS:
            return self._record_large(step)
        if not scalars:
            return self._recording.is_healthy or self._problems.report_failure()
        # Allocated before the exchange: the allocation may collect garbage, and a finalizer may record.
        empty: dict[str, float] = {}
        scalars, values.scalars = values.scalars, empty
        return self._put((time(), step, scalars, None)) or self._problems.report_failure()

    def record_added(self, step: int) -> bool:
        """Record the values that this thread has added, without operator values and graphs: see record().

        record() repeats the body: a call more would be a measurable part of what it costs.
        """
        values = self._pending.values
        if values.snapshots or values.is_incomplete or len(values.scalars) > _FEW_SCALARS:
            return self._record_large(step)
        if not values.scalars:
            return self._recording.is_healthy or self._problems.report_failure()
        empty: dict[str, float] = {}
        scalars, values.scalars = values.scalars, empty
        return self._put((time(), step, scalars, None)) or self._problems.report_failure()

    def log(self, values: Mapping[str, Any], step: SupportsIndex) -> bool:
        """Record values at a step as one event; values added by add_value() wait for record().

            recorder.log({"loss": 0.5, "weights": {"fc1": Histogram(fc1.weight)}, "sample": Text("...")}, step)

        Args:
            values: name to value. The names of nested mappings are joined by "/": "weights/fc1". Numbers, and arrays
                and tensors with one element, are scalars. Image, Histogram, Text and Tensor of toposcope.recorder name
                the kind of other values. The results of graph(), landscape() and so on are recorded as such.
            step: any 64-bit integer.

        Returns:
            What record() returns.

        Raises:
            TypeError: values is not a mapping, a name is empty or not a str, or a value is of an unknown type; nothing
                is recorded, and the message contains the name. Likewise for ValueError.
            ValueError: a value has an invalid shape, size or range, two values have the same tag, or step does not fit
                in 64 bits.
            OSError: raise_exception is set and a file could not be written; raised once per fault.
            Exception: if raise_exception is set, the error that the own methods of a value raised.
        """
        number = checked_integer("step", step)
        return self.record_logged(logged_values(values), number)

    def alert(self, title: str, text: str = "", level: str = "warn", *, step: SupportsIndex = 0) -> bool:
        """Record a message for the people who watch the training: the server lists it, and sends it if configured.

        Args:
            title: what happened, in a few words; cut after 200 characters.
            text: details, in Markdown; cut after 10,000 characters.
            level: "info", "warn" or "error".
            step: at which it happened.

        Returns:
            What record() returns.

        Raises:
            TypeError: title is empty, or an argument has the wrong type.
            ValueError: level is unknown, or step does not fit in 64 bits.
            OSError: raise_exception is set and a file could not be written; raised once per fault.
        """
        return self.record_logged(logged_alert(title, text, level), checked_integer("step", step))

    def record_logged(self, values: LoggedValues, step: int) -> bool:
        """Record the result of logged_values() as one event; see log()."""
        for tag in values.inexact:
            self._problems.warn_of_rounding(tag)
        for tag, error in values.unreadable.items():
            self._problems.skip_unreadable(tag, error)
        if not (values.scalars or values.snapshots):
            return not values.unreadable
        return self._put_large(step, values.scalars, values.snapshots, is_complete=not values.unreadable)

    def record_apart(
        self, step: int, scalars: Mapping[str, float], messages: Mapping[str, Message] | None = None
    ) -> bool:
        """Record values as one event, without those that are added and without the values of summary operators.

        For collectors, whose background threads record while the training does.

        Args:
            step: the step of the scalars.
            scalars: by tag.
            messages: by plugin, the custom lineage, or ConsoleOutput, Environment and Code of the recording.

        Returns:
            False if the recorder is closed, or if the files cannot be written at present.
        """
        snapshots = {
            (plugin, plugin): Snapshot(plugin, message, message.ByteSize())
            for plugin, message in (messages or {}).items()
        }
        size = _EVENT_BYTES + SCALAR_BYTES * len(scalars) + sum(snapshot.size for snapshot in snapshots.values())
        recording = self._recording
        if recording.queue.closed:
            return False
        return recording.queue.put_large((time(), step, dict(scalars), snapshots), size) and recording.is_healthy

    def flush(self, *, durable: bool = False) -> bool:
        """Wait until everything recorded before is in the file; give up, with a log line, if the writer fails.

        Args:
            durable: whether the files are also synced to disk (fsync), exported files excluded: they then survive a
                failure of the machine, not only of the process.

        Returns:
            True if everything recorded before is in the file. False if the writer fails at present, or if something was
            lost or dropped earlier.

        Raises:
            TypeError: durable is not a bool.
            OSError: raise_exception is set and a file could not be written; raised once per fault.
        """
        is_written = self._recording.queue.flush(syncs=checked_bool("durable", durable))
        if not (is_written and self._recording.is_healthy):
            self._problems.raise_fault()
        return is_written and self._recording.is_complete

    def close(self, *, interrupted_by: str | None = None) -> bool:
        """Write all recorded values and the end, sync the files to disk and close them.

        Closing twice has no effect: the result is the same, and nothing is raised again.

        Args:
            interrupted_by: what ended the training early, "SIGTERM" for example. The recording then counts as
                interrupted. None: it failed if an exception is being handled, otherwise it is finished.

        Returns:
            True if everything that was recorded is in the files.

        Raises:
            TypeError: interrupted_by is not a str.
            OSError: raise_exception is set and a file could not be written, or something that was recorded is lost for
                another reason than on_backlog.
        """
        if interrupted_by is not None:
            return self._close_or_raise(interruption(checked_text("interrupted_by", interrupted_by)))
        return self._close_or_raise(None)

    def __enter__(self) -> "SummaryRecord":
        if self._recording.queue.closed:
            raise ValueError(f"The recorder of {self.log_dir} is closed.")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            # An exception is being handled where contextlib.ExitStack.close() is called in a finally block.
            self._close_or_raise(ending_of(self._observer.handled_exception()))
        else:
            self._close(ending_of(error))  # What is lost is logged: raising it would hide the error.

    def close_dropped(self) -> bool:
        """Close the files of a training that was never closed, as if nothing referenced this recorder any more."""
        return self._close(self._observer.ending_without_close())

    def set_phase(self, phase: Callable[[], Phase]) -> None:
        """Set a function that returns what the training does at present, for heartbeats.

        It is called by the thread that writes, and must not reference the recorder.
        """
        self._recording.heartbeat.phase = phase

    def _close(self, end: RecordingEnd | None) -> bool:
        """Close the files; end None: observe how the training ended. Return whether everything is written."""
        self._network.close()
        if end is None and not self._recording.queue.closed:
            end = self._observer.ending_at_close()
        if end == FINISHED:  # An unfinished step is usual otherwise.
            self._unrecorded.warn(self.log_dir)
        return self._recording.writer.close(end) and self._recording.is_complete

    def _close_or_raise(self, end: RecordingEnd | None) -> bool:
        is_written = self._close(end)
        self._problems.raise_loss()
        return is_written

    def _record_large(self, step: int) -> bool:
        recorded = self._pending.values.take()
        if not (recorded.scalars or recorded.snapshots):
            return False
        return self._put_large(step, recorded.scalars, recorded.snapshots, is_complete=not recorded.is_incomplete)

    def _put_large(
        self, step: int, scalars: dict[str, float], snapshots: dict[tuple[str, str], Snapshot], *, is_complete: bool
    ) -> bool:
        size = _EVENT_BYTES + SCALAR_BYTES * len(scalars) + sum(snapshot.size for snapshot in snapshots.values())
        is_queued = self._recording.queue.put_large((time(), step, scalars, snapshots), size)
        return (is_queued and self._recording.is_healthy and is_complete) or self._problems.report_failure()
