"""SummaryRecord: what a training loop calls to record its summaries."""

import os
import weakref
from collections.abc import Callable
from time import time
from types import TracebackType

from toposcope.recorder import log
from toposcope.recorder.adapters import adapter
from toposcope.recorder.arguments import (
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
)
from toposcope.recorder.fork import close_at_end_of_child
from toposcope.recorder.network_graph import NetworkGraph
from toposcope.recorder.pending import Pending, Values
from toposcope.recorder.rank import rank_of
from toposcope.recorder.summary import OperatorValue, OperatorValues
from toposcope.recorder.values.foreign import UnreadableValueError, called, shown
from toposcope.recorder.values.scalar import scalar_from
from toposcope.recorder.values.snapshot import Snapshot, snapshot_of
from toposcope.recorder.writing.event_file import Naming
from toposcope.recorder.writing.recording import Options, begin_recording

_MODES = ("train", "eval")
# What a queued event and a scalar in it take of memory, about; and how many scalars are few.
_EVENT_BYTES, _SCALAR_BYTES, _FEW_SCALARS = 256, 96, 16
_MIN_STEP, _MAX_STEP = -(2**63), 2**63 - 1


class SummaryRecord:
    """Records what happens in a training run into event files of its own.

    A call costs the training thread a microsecond or two, and a copy of array data: a background thread encodes and
    writes. Nothing that happens to the files stops the training; record() says False, and the log tells why.

        with SummaryRecord("runs/first") as recorder:
            for step in range(1, 1001):
                recorder.add_value("scalar", "loss", train_step())
                recorder.record(step)

    Differences from MindSpore's class: values are numbers, arrays or tensors of any framework; scalars keep the
    precision of a double and tensors their dtype; uint8 images are recorded as they are; histograms are right for
    integers, booleans and constants; of a value added twice before record() only the newest is written; a file that
    reaches max_file_size is followed by another one, and zero is refused; no two recorders share a file, and several
    may live at once; step takes any integer object but bool; log_dir may be a path object; a suffix that marks lineage
    is refused; flush() waits for the disk; raise_exception raises in the training's process, and nothing hangs. Values
    added by a thread are recorded by that thread's record(). A process forked from the recorder's has a closed one.
    """

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
        starts_attempt: bool = False,
        collects_operators: bool = True,
    ) -> None:
        """Begin a new event file in *log_dir*, which is created when missing.

        Args:
            log_dir: directory of the run.
            file_prefix: how the names of the files begin: ASCII letters, digits, "_" and ".".
            file_suffix: how they end, of the same characters.
            network: a torch.nn.Module, a mindspore.nn.Cell, or a graph made by graph(). Its graph is recorded once, by
                the first record() at which it is known: of a module after its first call, of a Cell when it is
                compiled.
            max_file_size: largest size of a file in bytes; the next one begins where a record would pass it. A record
                that is larger has a file of its own. None: no limit. Exported files do not count.
            raise_exception: whether the next record(), flush() or close() raises the error of a failed write, and
                add_value() that of a value whose own methods fail. Otherwise the log tells them, once.
            export_options: {"tensor_format": "npy"} writes each tensor into a file of its own as well, named
                `export_<seconds>/tensor/<quoted tag>_<step>.npy`.
            flush_seconds: longest time that a recorded value waits to be written.
            starts_attempt: whether this recording resumes an earlier one of the same directory and replaces
                its later steps.
            collects_operators: whether record() takes what the operators of toposcope.recorder.summary have kept; of
                several recorders in one context (a thread, say) the newest open one gets it.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: an argument has a value that is not allowed.
            NotADirectoryError: log_dir exists and is no directory.
            OSError: the directory or the file cannot be created.
        """
        prefix, suffix = checked_file_name_part("file_prefix", file_prefix), checked_suffix(file_suffix)
        self._graph = NetworkGraph(network)
        size = checked_file_size(max_file_size)
        self._raise_exception = checked_bool("raise_exception", raise_exception)
        exports_npy = checked_export_options(export_options)
        seconds = checked_seconds("flush_seconds", flush_seconds)
        checked_bool("starts_attempt", starts_attempt)
        collects_operators = checked_bool("collects_operators", collects_operators)
        naming = Naming(checked_directory("log_dir", log_dir), prefix, rank_of(os.environ), suffix)
        self._recording = begin_recording(Options(naming, size, exports_npy, seconds, starts_attempt))
        # At exit and when the recorder is dropped. It must not hold the recorder, only its writer.
        weakref.finalize(self, self._recording.writer.close)
        close_at_end_of_child(self, self._recording.writer.close)
        self._kept = OperatorValues()
        if collects_operators:
            self._kept.open()
            weakref.finalize(self, self._kept.close)
        self._put = self._recording.queue.put
        self._pending = Pending()
        self._warned: set[tuple[str, str]] = set()
        self.set_mode("train")

    @property
    def log_dir(self) -> str:
        """Full path of the event file that is being written."""
        return self._recording.summaries.path

    def set_mode(self, mode: str) -> None:
        """Say which phase the model is in, "train" or "eval".

        Values of summary operators are recorded in "train" and dropped in "eval"; those of MindSpore's if it was
        imported before this call or before the recorder was made. Added values are recorded in both.

        Raises:
            ValueError: another mode.
        """
        if mode not in _MODES:
            raise ValueError(f"mode is 'train' or 'eval', not {shown(mode)}.")
        self._is_training = mode == "train"
        self._kept.mode = mode
        self._kept.take()
        self._operators = adapter("mindspore", "operators")
        self._has_operators = self._operators is not None and self._operators.is_imported()
        self._has_network = self._has_operators or self._graph.is_pending
        self._operator_values()  # Those of the phase before.

    def add_value(self, plugin: str, name: str, value: object, *, dataformats: str | None = None) -> None:
        """Add a value to what this thread's next record() writes.

        Args:
            plugin: "scalar", "tensor", "histogram", "image", "text", "graph", "landscape", "train_lineage",
                "eval_lineage", "dataset_graph" or "custom_lineage_data".
            name: the tag.
            value: of a scalar a number, or an array or tensor of any framework that holds one real number (an integer
                that no double holds becomes the nearest one, with one warning a tag); of tensors, histograms and images
                an array, a tensor of any framework, or nested lists (of a histogram also a Histogram, as histogram_of()
                returns it); of a text a str, shown as Markdown; else the protobuf message, one of MindSpore's or one
                made by train_lineage(), graph(), landscape() and so on.
                It is copied: later changes do not matter. A tensor takes less than 2 GiB of a file. Images may be
                Pillow's; pixels of uint8 stay as they are, floats within 0..1 are scaled by 255, all else is stretched
                over 0..255; a batch is tiled.
            dataformats: what the dimensions of an image mean: "NCHW", "NHWC", "CHW", "HWC" or "HW". None: the first of
                them that has 1, 3 or 4 channels.

        A value whose own methods fail is skipped, with one line in the log.

        Raises:
            TypeError: name is no str or empty, or value is of another kind.
            ValueError: plugin is unknown, or value has a shape or a size that it cannot have.
            Exception: what the value's own methods raised, when raise_exception is set.
        """
        # The common case first: this is most of what recording costs the training.
        if type(value) is float and plugin == "scalar" and type(name) is str and name and dataformats is None:
            scalars = self._pending.values.scalars
            is_known = name in scalars
            scalars[name] = value
            if is_known:
                self._warn_of_duplicate(name)
        else:
            self._add_checked(plugin, checked_name(name), value, dataformats)

    def record(
        self, step: int, train_network: object = None, plugin_filter: Callable[[str], bool] | None = None
    ) -> bool:
        """Record the values that this thread has added, as those of step, now.

        Args:
            step: any integer of 64 bits.
            train_network: a torch.nn.Module or a mindspore.nn.Cell, whose graph is recorded if none has been: now, or
                by a later record() if it is not known yet. Tracing a large module takes a few seconds.
            plugin_filter: called with a plugin's name; False drops the added values of that plugin.

        Returns:
            False when the recorder is closed, when files cannot be written at present and values may be lost, or when a
            value that was added could not be read and is not recorded.

        Raises:
            TypeError: step is no integer, train_network no network, or plugin_filter not callable.
            ValueError: step does not fit 64 bits.
            OSError: the file could not be written and raise_exception is set; once a fault.
        """
        if type(step) is not int or not _MIN_STEP <= step <= _MAX_STEP:
            step = checked_integer("step", step)
        if plugin_filter is not None:
            checked_filter(plugin_filter)
        if self._has_network or train_network is not None or self._kept.is_filled:
            self._add_from_network(train_network)
        values = self._pending.values
        if plugin_filter is not None:
            values.keep(plugin_filter)
        scalars = values.scalars
        if values.snapshots or values.is_incomplete or len(scalars) > _FEW_SCALARS:
            return self._record_large(step)
        if not scalars:
            return self._recording.works or self._tell_failure()
        fresh: dict[str, float] = {}  # First: making it may collect garbage, which may record.
        scalars, values.scalars = values.scalars, fresh
        return self._put((time(), step, scalars, None)) or self._tell_failure()

    def flush(self) -> None:
        """Return when everything recorded before is in the file; gives up, with a log line, on a writer that fails.

        Raises:
            OSError: the file could not be written and raise_exception is set; once a fault.
        """
        if not (self._recording.queue.flush() and self._recording.works):
            self._raise_fault()

    def close(self) -> None:
        """Write what was recorded, bring it to the disk and close the files. Closing again does nothing.

        Raises:
            OSError: the file could not be written and raise_exception is set; once a fault.
        """
        self._kept.close()
        self._graph.stop()
        self._recording.writer.close()
        self._raise_fault()

    def __enter__(self) -> "SummaryRecord":
        if self._recording.queue.closed:
            raise ValueError(f"The recorder of {self.log_dir} is closed.")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _add_checked(self, plugin: str, tag: str, value: object, dataformats: str | None = None) -> None:
        plugin = "landscape" if plugin == "LANDSCAPE" else plugin
        try:
            if plugin == "scalar" and dataformats is None:
                self._add_scalar(tag, value)
            else:
                self._add_snapshot(tag, snapshot_of(plugin, value, dataformats))
        except UnreadableValueError as error:
            self._pending.values.is_incomplete = True
            self._skip(tag, f"skipped, its value could not be read: {error}", error)

    def _skip(self, tag: str, text: str, error: UnreadableValueError) -> None:
        """Go on without a value, or raise what it raised."""
        if self._raise_exception and error.__cause__ is not None:
            raise error.__cause__
        self._warn_once("unreadable", tag, text)

    def _add_scalar(self, tag: str, value: object) -> None:
        scalar = scalar_from(value)
        if not scalar.is_exact:
            self._warn_once("inexact", tag, "holds a number that no double holds: the nearest one is recorded.")
        self.add_value("scalar", tag, scalar.value)

    def _add_snapshot(self, tag: str, snapshot: Snapshot) -> None:
        snapshots = self._pending.values.snapshots
        is_known = (snapshot.plugin, tag) in snapshots
        snapshots[snapshot.plugin, tag] = snapshot
        if is_known:
            self._warn_of_duplicate(tag)

    def _add_from_network(self, train_network: object) -> None:
        """Add what networks have left: their graph, and the values of summary operators."""
        try:
            if (graph := self._graph.take(train_network)) is not None:
                self._add_unasked("graph", "network", graph)
        except UnreadableValueError as error:
            self._skip("network", f"has no graph to record: {error}", error)
        self._has_network = self._has_operators or self._graph.is_pending
        for plugin, tag, value in [*self._operator_values(), *self._kept.take()]:
            if self._is_training:
                self._add_unasked(plugin, tag, value)

    def _operator_values(self) -> list[OperatorValue]:
        try:
            return called(self._operators.take_operator_values) if self._has_operators else []
        except UnreadableValueError as error:
            self._has_operators = False
            self._warn_once("unreadable", "MindSpore", f"gives no values of its summary operators: {error}")
            return []

    def _add_unasked(self, plugin: str, tag: str, value: object) -> None:
        # Nobody who calls record() has passed this value: what is wrong with it must not raise there.
        try:
            self._add_checked(plugin, tag, value)
        except (TypeError, ValueError) as error:
            self._warn_once("unfit", tag, f"skipped, it is no {plugin}: {error}")

    def _record_large(self, step: int) -> bool:
        fresh = Values()  # First, as in record().
        taken, self._pending.values = self._pending.values, fresh
        scalars, snapshots, is_complete = taken.scalars, taken.snapshots, not taken.is_incomplete
        if not (scalars or snapshots):
            return False
        size = _EVENT_BYTES + _SCALAR_BYTES * len(scalars) + sum(snapshot.size for snapshot in snapshots.values())
        queued = self._recording.queue.put_large((time(), step, scalars, snapshots), size)
        return (queued and self._recording.works and is_complete) or self._tell_failure()

    def _tell_failure(self) -> bool:
        if self._recording.queue.closed:
            self._warn_once(
                "closed", "record()", "dropped values: the recorder is closed, or belongs to the parent process."
            )
        self._raise_fault()
        return False

    def _raise_fault(self) -> None:
        if self._raise_exception and (error := self._recording.take_unraised_fault()) is not None:
            raise error

    def _warn_of_duplicate(self, tag: str) -> None:
        self._warn_once("duplicate", tag, "added twice before record(): the newest value is recorded.")

    def _warn_once(self, reason: str, tag: str, text: str) -> None:
        if (reason, tag) not in self._warned:
            self._warned.add((reason, tag))
            log.warn("%s: %s %s", self.log_dir, tag, text)
