"""FileLogger: writes what is logged to a text file."""

from __future__ import annotations

import io
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_bool, checked_integer, checked_text
from toposcope.recorder.collecting.console.screen import Screen
from toposcope.recorder.collecting.console.wrapped_write import WrappedWrite
from toposcope.recorder.ends.fork import make_inert_in_children
from toposcope.recorder.loggers.buffered_destination import BufferedDestination
from toposcope.recorder.loggers.formatting import line
from toposcope.recorder.loggers.table import json_table
from toposcope.recorder.not_copied import NotCopied
from toposcope.recorder.rank import process_rank

if TYPE_CHECKING:
    from toposcope.recorder.training.state.logger import Logger
    from toposcope.recorder.training.state.state import State

_MAX_WAITING_LINES = 10_000


class FileLogger(NotCopied, BufferedDestination):
    """Writes metrics, hyperparameters, tables and traces to a text file; corresponds to Composer's `FileLogger`.

        [hyperparameter]: optimizer/lr: 0.1
        [metric][batch=3]: loss/train/total: 0.25
        [stdout]: Epoch 1 takes 3 s

    What Python prints is written as well, by default: from the construction until the trainer is closed, each line when
    it is complete; of a line that is rewritten, as by a progress bar, the last state. Forked processes are not seen. A
    trainer that is not closed, after an exception for example, is closed when it is garbage-collected or the program
    ends; a logger that no trainer uses captures until it is garbage-collected.

    Lines logged before INIT, when the file has no name yet, are written later, the newest 10,000 of them, and so are
    those that callbacks log while the trainer closes. A file that cannot be written is reported in one log line; the
    training continues. Unlike Composer's class, it respects overwrite, and no line ends with a space.
    """

    _why_not_copied: ClassVar[str] = (
        "its file belongs to one process: create one in each process, with a file name of its own"
    )

    def __init__(
        self,
        filename: str = "{run_name}/logs-rank{rank}.txt",
        remote_file_name: str | None = None,
        *,
        capture_stdout: bool = True,
        capture_stderr: bool = True,
        buffer_size: int = 1,
        log_traces: bool = True,
        flush_interval: int = 100,
        overwrite: bool = False,
    ) -> None:
        """Set the file name; the file is created at INIT.

        Args:
            filename: path of the file; {run_name} and {rank} are replaced by the run's name and this process's rank.
            remote_file_name: name under which the file is passed to Logger.upload_file() when it is flushed, with the
                same fields. None: filename. A leading "/" is removed.
            capture_stdout: whether what is written to sys.stdout is written to the file, too.
            capture_stderr: likewise for sys.stderr.
            buffer_size: characters that are kept in memory before they are written; 1: each line is written at once;
                -1: io.DEFAULT_BUFFER_SIZE.
            log_traces: whether traces of algorithms are written.
            flush_interval: maximum number of batches between flushes, which write the kept lines and upload the file;
                it is also flushed at the end of each epoch, evaluation and training.
            overwrite: whether an existing file is replaced; if not, INIT raises FileExistsError. A second trainer with
                the same FileLogger appends to its file.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: filename or remote_file_name has other fields, buffer_size is 0 or less than -1, or
                flush_interval is not positive.
        """
        self._template = checked_text("filename", filename)
        _path("filename", self._template, "run")
        self._remote_template = (
            filename if remote_file_name is None else checked_text("remote_file_name", remote_file_name)
        )
        _path("remote_file_name", self._remote_template, "run")
        self._captured = {
            "stdout": checked_bool("capture_stdout", capture_stdout),
            "stderr": checked_bool("capture_stderr", capture_stderr),
        }
        size = checked_integer("buffer_size", buffer_size, lowest=-1)
        if not size:
            raise ValueError("buffer_size must be 1 or more, or -1 for the default size, not 0.")
        self._buffer_size = io.DEFAULT_BUFFER_SIZE if size == -1 else size
        self._logs_traces = checked_bool("log_traces", log_traces)
        self._flush_interval = checked_integer("flush_interval", flush_interval, lowest=1)
        self._overwrites = checked_bool("overwrite", overwrite)
        self._path = self._remote_name = ""
        self._logger: Logger | None = None
        self._lines: list[str] = []
        self._characters = 0
        self._is_healthy, self._is_uploaded = True, True
        self._lock = threading.RLock()  # Any thread may print.
        self._wrapped: list[WrappedWrite] = []
        weakref.finalize(self, _restore, self._wrapped).atexit = False  # What is printed at exit is still written.
        self._screens: dict[str, Screen] = {}
        self._capture()

    @property
    def filename(self) -> str:
        """Path of the file; RuntimeError before INIT, when the run's name is unknown."""
        return self._named(self._path)

    @property
    def remote_file_name(self) -> str:
        """Name under which the file is uploaded; RuntimeError before INIT."""
        return self._named(self._remote_name)

    def init(self, state: State, logger: Logger) -> None:
        """Create the file; FileExistsError if it exists and is not this logger's, OSError if it cannot be created."""
        path = _path("filename", self._template, state.run_name)
        if path != self._path:
            if folder := os.path.dirname(path):
                os.makedirs(folder, exist_ok=True)
            with open(path, "w" if self._overwrites else "x"):
                self._path, self._is_healthy = path, True
        remote = _path("remote_file_name", self._remote_template, state.run_name)
        self._remote_name, self._logger = remote.replace(os.sep, "/").lstrip("/"), logger
        self._capture()
        self._write()

    def log_hyperparameters(self, hyperparameters: dict[str, Any]) -> None:
        """Write a line per hyperparameter."""
        self._add(*(f"[hyperparameter]: {name}: {line(value)}" for name, value in hyperparameters.items()))

    def log_metrics(self, metrics: dict[str, Any], step: int | None = None) -> None:
        """Write a line per metric."""
        self._add(*(f"[metric][batch={step}]: {name}: {line(value)}" for name, value in metrics.items()))

    def log_table(
        self, columns: list[str], rows: list[list[Any]], name: str = "Table", step: int | None = None
    ) -> None:
        """Write a table as a line of JSON."""
        self._add(f"[table][batch={step}]: {name}: {json_table(columns, rows)}")

    def log_traces(self, traces: dict[str, Any]) -> None:
        """Write a line per trace if log_traces is True."""
        if self._logs_traces:
            self._add(*(f"[trace]: {name}: {line(value)}" for name, value in traces.items()))

    def batch_end(self, state: State, logger: Logger) -> None:
        """Flush at the flush interval."""
        if int(state.timestamp.batch) % self._flush_interval == 0:
            self._flush()

    def become_inert(self) -> None:
        """Capture nothing in a forked process, whose output is not this process's."""
        self._lock = threading.RLock()
        self._lines, self._screens = [], {}

    def _named(self, name: str) -> str:
        if not name:
            raise RuntimeError(f"The file of FileLogger({self._template!r}) has no name before Event.INIT.")
        return name

    def _capture(self) -> None:
        """Start capturing, unless this has happened."""
        if self._wrapped:
            return
        for name in (name for name, is_captured in self._captured.items() if is_captured):
            stream = getattr(sys, name)
            if stream is None or (name == "stderr" and stream is sys.stdout and "stdout" in self._screens):
                continue
            self._screens[name] = Screen()
            try:
                self._wrapped.append(WrappedWrite(stream, _seen_by(weakref.ref(self), name)))
            except (AttributeError, TypeError) as error:
                log.warn("What is written to %s is not written to %s: %s", name, self._template, error)
        make_inert_in_children(self)

    def _see(self, name: str, text: str) -> None:
        """Add the lines that a text written to a stream has completed."""
        with self._lock:
            if (screen := self._screens.get(name)) is not None:
                screen.write(time.time(), text)
                if finished := screen.take_finished():
                    self._add(*(f"[{name}]: {each.text}".rstrip() for each in finished))

    def _release(self) -> None:
        """Stop capturing, and add lines that are not complete."""
        _restore(self._wrapped)
        with self._lock:
            for name, screen in self._screens.items():
                self._add(*(f"[{name}]: {each.text}".rstrip() for each in screen.take_all()))
            self._screens = {}

    def _add(self, *lines: str) -> None:
        with self._lock:
            self._lines += lines
            self._characters += sum(map(len, lines)) + len(lines)
            if self._characters >= self._buffer_size:
                self._write()

    def _write(self) -> None:
        """Append the lines to the file; it is open only meanwhile, so that it need not be closed after a failure."""
        with self._lock:
            if not self._path:
                del self._lines[:-_MAX_WAITING_LINES]
                return
            lines, self._lines, self._characters = self._lines, [], 0
            if lines:
                self._is_uploaded = False
                self._append(lines)

    def _append(self, lines: list[str]) -> None:
        try:
            with open(self._path, "a", encoding="utf-8", errors="backslashreplace") as file:
                file.writelines(f"{line}\n" for line in lines)
        except OSError as error:
            was_healthy, self._is_healthy = self._is_healthy, False  # First: the log line may be captured.
            if was_healthy:
                log.error("%s cannot be written; lines are lost: %s", self._path, error)

    def _flush(self) -> None:
        self._write()
        if self._logger is not None and self._is_healthy and not self._is_uploaded:
            self._is_uploaded = True
            self._logger.upload_file(self._remote_name, self._path, overwrite=True)

    def _close(self) -> None:
        self._release()
        self._flush()


def _seen_by(reference: weakref.ref[FileLogger], stream: str) -> Callable[[str], None]:
    """Return the function that sees what is written to a stream. The stream does not keep the logger alive."""

    def see(text: str) -> None:
        if (logger := reference()) is not None:
            logger._see(stream, text)

    return see


def _restore(wrapped: list[WrappedWrite]) -> None:
    while wrapped:
        wrapped.pop().restore()


def _path(parameter: str, template: str, run_name: str | None) -> str:
    try:
        return template.format(run_name=run_name or "run", rank=process_rank())
    except (LookupError, ValueError, AttributeError):
        raise ValueError(
            f"{parameter} must have no fields other than {{run_name}} and {{rank}}, not {template!r}."
        ) from None
