"""SummaryRecord: what a training loop calls to record its summaries."""

import logging
import os
import reprlib
import threading
import time
import weakref
from collections.abc import Callable
from types import TracebackType

from toposcope.proto.framing import frame
from toposcope.proto.summary_pb2 import Event
from toposcope.recorder.arguments import (
    checked_absent,
    checked_bool,
    checked_directory,
    checked_file_name_part,
    checked_name,
    checked_seconds,
    checked_step,
    checked_suffix,
)
from toposcope.recorder.event_file import create_event_file
from toposcope.recorder.event_writer import EventWriter
from toposcope.recorder.rank import rank_of
from toposcope.recorder.values import UnreadableValueError, scalar_from

_VERSION = "MindSpore.Event:1"
_MODES = ("train", "eval")
# What a queued event and a scalar in it take of memory, about.
_EVENT_BYTES = 256
_SCALAR_BYTES = 96
_MIN_STEP, _MAX_STEP = -(2**63), 2**63 - 1
_log = logging.getLogger(__name__)


class SummaryRecord:
    """Records scalars of a training run into an event file of its own.

    A call costs the training thread about a microsecond: a background thread encodes and writes. Nothing that happens
    to the file stops the training; record() says False, and the log tells why.

        with SummaryRecord("runs/first") as recorder:
            for step in range(1, 1001):
                recorder.add_value("scalar", "loss", train_step())
                recorder.record(step)

    Differences from MindSpore's class: values are numbers, arrays or tensors of any framework; a scalar keeps the
    precision of a double; of a tag added twice before record() only the newest value is written; several recorders
    may live at once; step takes any integer object; log_dir may be a path object. Values added by a thread are
    recorded by that thread's record(). A process forked from the recorder's has a closed recorder.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        file_prefix: str = "events",
        file_suffix: str = "_MS",
        network: None = None,
        max_file_size: None = None,
        raise_exception: bool = False,
        export_options: None = None,
        *,
        flush_seconds: float = 1.0,
        starts_attempt: bool = False,
    ) -> None:
        """Begin a new event file in *log_dir*, which is created when missing.

        Args:
            log_dir: directory of the run.
            file_prefix: how the file's name begins: ASCII letters, digits, "_" and ".".
            file_suffix: how it ends, of the same characters.
            network: not supported yet.
            max_file_size: not supported yet.
            raise_exception: whether the next record(), flush() or close() raises the error of a failed write.
            export_options: not supported yet.
            flush_seconds: longest time that a recorded value waits to be written.
            starts_attempt: whether this recording resumes an earlier one of the same directory and replaces
                its later steps.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: an argument has a value that is not allowed, or not supported yet.
            NotADirectoryError: log_dir exists and is no directory.
            OSError: the directory or the file cannot be created.
        """
        prefix, suffix = checked_file_name_part("file_prefix", file_prefix), checked_suffix(file_suffix)
        for parameter, value in (
            ("network", network),
            ("max_file_size", max_file_size),
            ("export_options", export_options),
        ):
            checked_absent(parameter, value)
        self._raise_exception = checked_bool("raise_exception", raise_exception)
        seconds = checked_seconds("flush_seconds", flush_seconds)
        head = _version_event(checked_bool("starts_attempt", starts_attempt))
        file = create_event_file(checked_directory(log_dir), prefix, rank_of(os.environ), suffix)
        self._writer = EventWriter(file, head, seconds)
        # At exit and when the recorder is dropped. It must not hold the recorder, only its writer.
        weakref.finalize(self, self._writer.close)
        self._pending = _Pending()
        self._warned: set[tuple[str, str]] = set()

    @property
    def log_dir(self) -> str:
        """Full path of the event file."""
        return self._writer.path

    def set_mode(self, mode: str) -> None:
        """Say which phase the model is in, "train" or "eval".

        It decides whether values of MindSpore's summary operators are recorded, which only MindSpore's networks have;
        added values are recorded in both.

        Raises:
            ValueError: another mode.
        """
        if mode not in _MODES:
            raise ValueError(f"mode is 'train' or 'eval', not {reprlib.repr(mode)}.")

    def add_value(self, plugin: str, name: str, value: object) -> None:
        """Add a value to what this thread's next record() writes.

        Args:
            plugin: "scalar"; the others of the format are not supported yet.
            name: the tag.
            value: a Python or NumPy number, or an array or tensor of any framework that holds one real number. An
                integer that no double holds becomes the nearest one, with one warning a tag.

        Raises:
            TypeError: name is no str or empty, or value is of another kind.
            ValueError: plugin is unknown or not supported, or value has not exactly one element or is too large.
        """
        # The common case first: this is most of what recording costs the training.
        if type(value) is float and plugin == "scalar" and type(name) is str and name:
            scalars = self._pending.scalars
            if name in scalars:
                self._warn_once("duplicate", name, "added twice before record(): the newest value is recorded.")
            scalars[name] = value
        else:
            self._add_checked(plugin, name, value)

    def record(self, step: int, train_network: None = None, plugin_filter: Callable[[str], bool] | None = None) -> bool:
        """Record the values that this thread has added, as those of step, now.

        Args:
            step: any integer of 64 bits.
            train_network: not supported yet.
            plugin_filter: called with a plugin's name; False drops the added values of that plugin.

        Returns:
            False when the recorder is closed, or when the file cannot be written at present and values may be lost.

        Raises:
            TypeError: step is no integer, or plugin_filter not callable.
            ValueError: step does not fit 64 bits, or train_network is given.
            OSError: the file could not be written and raise_exception is set; once a fault.
        """
        if type(step) is not int or not _MIN_STEP <= step <= _MAX_STEP:
            step = checked_step(step)
        if train_network is not None:
            checked_absent("train_network", train_network)
        scalars = self._pending.scalars
        if plugin_filter is not None and not _keeps_scalars(plugin_filter):
            self._pending.scalars = scalars = {}
        if scalars:
            self._pending.scalars = {}
            size = _EVENT_BYTES + _SCALAR_BYTES * len(scalars)
            recorded = self._writer.put((time.time(), step, scalars), size)
        else:
            recorded = self._writer.works
        return recorded or self._tell_failure()

    def flush(self) -> None:
        """Return when everything recorded before is in the file; gives up, with a log line, on a writer that fails.

        Raises:
            OSError: the file could not be written and raise_exception is set; once a fault.
        """
        if not self._writer.flush():
            self._raise_fault()

    def close(self) -> None:
        """Write what was recorded, bring it to the disk and close the file. Closing again does nothing.

        Raises:
            OSError: the file could not be written and raise_exception is set; once a fault.
        """
        if not self._writer.close():
            self._raise_fault()

    def __enter__(self) -> "SummaryRecord":
        if self._writer.closed:
            raise ValueError(f"The recorder of {self.log_dir} is closed.")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _add_checked(self, plugin: str, name: str, value: object) -> None:
        if plugin != "scalar":
            raise ValueError(f"plugin is 'scalar', the one kind of value supported yet; not {reprlib.repr(plugin)}.")
        tag = checked_name(name)
        try:
            scalar = scalar_from(value)
        except UnreadableValueError as error:
            self._warn_once("unreadable", tag, f"skipped, its value could not be read: {error}")
            return
        if not scalar.is_exact:
            self._warn_once("inexact", tag, "holds an integer that no double holds: the nearest one is recorded.")
        self.add_value(plugin, tag, scalar.value)

    def _tell_failure(self) -> bool:
        if self._writer.closed:
            self._warn_once(
                "closed", "record()", "dropped values: the recorder is closed, or belongs to the parent process."
            )
        self._raise_fault()
        return False

    def _raise_fault(self) -> None:
        if self._raise_exception and (error := self._writer.take_unraised_fault()) is not None:
            raise error

    def _warn_once(self, reason: str, tag: str, text: str) -> None:
        if (reason, tag) not in self._warned:
            self._warned.add((reason, tag))
            _log.warning("%s: %s %s", self.log_dir, tag, text)


class _Pending(threading.local):
    """The values that a thread has added since its last record()."""

    def __init__(self) -> None:
        self.scalars: dict[str, float] = {}


def _version_event(starts_attempt: bool) -> bytes:
    """Return the record that begins the file of a new session."""
    event = Event(wall_time=time.time(), version=_VERSION, session_id=os.urandom(16), rotation=0)
    if starts_attempt:
        event.starts_attempt = True
    return frame(event.SerializeToString())


def _keeps_scalars(plugin_filter: Callable[[str], bool]) -> bool:
    if not callable(plugin_filter):
        raise TypeError(f"plugin_filter is a function of a plugin's name, not {reprlib.repr(plugin_filter)}.")
    return bool(plugin_filter("scalar"))
