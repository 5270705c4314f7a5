"""RunWriter: the files of a run, and how values are read and queued: what the methods of SummaryWriter share."""

import os
import platform
from datetime import datetime
from types import TracebackType
from typing import Any, Self

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder import log
from toposcope.recorder.arguments import checked_name
from toposcope.recorder.ends.ending import ending_of
from toposcope.recorder.tensorboard.files.file_writer import FileWriter
from toposcope.recorder.values.arrays.arrays import Array, array_from
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError, short_repr
from toposcope.recorder.values.scalar import scalar_from

VALUE_BYTES = 256
"""Memory that a value takes beside its array."""


class RunWriter:
    """Creates, reopens and closes the files of a run; the classes with the add_ methods are derived from it."""

    file_writer_class: type[FileWriter] = FileWriter
    """What install() replaces, for isinstance()."""

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str | None = "",
        purge_step: int | None = None,
        max_queue: int | None = 10,
        flush_secs: float | None = 120,
        filename_suffix: str | None = "",
    ) -> None:
        """Create a new event file in *log_dir*, which is created if it does not exist.

        Args:
            log_dir: directory of the run. None: `runs/<date>_<host><comment>`.
            comment: at the end of the directory's name; not used if log_dir is passed.
            purge_step: the first step of this recording, which replaces what earlier ones in the directory recorded
                from that step on.
            max_queue: not used: the queue is bounded by its memory.
            flush_secs: maximum time in seconds before a value is written; a second if it is longer.
            filename_suffix: of the file names.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: an argument has an invalid value.
            OSError: the directory or the file cannot be created.
        """
        self.log_dir = log_dir or _default_directory(comment or "")
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer: FileWriter | None = None
        """The writer of the run; None while it is closed."""
        self.all_writers: dict[str, FileWriter] | None = None
        """The writer of the run, and those of add_scalars(), by directory."""
        self._warned: set[tuple[str, str]] = set()
        self._get_file_writer()

    def get_logdir(self) -> str | os.PathLike[str]:
        """Return the directory of the run."""
        return self.log_dir

    def flush(self) -> None:
        """Wait until everything recorded before is in the files; give up, with a log line, if a writer fails."""
        for writer in list((self.all_writers or {}).values()):
            writer.flush()

    def close(self) -> None:
        """Write all values, sync the files to disk and close them; what is added afterwards starts new files."""
        self._close(None)

    def _close(self, end: RecordingEnd | None) -> None:
        writers, self.file_writer, self.all_writers = self.all_writers or {}, None, None
        for writer in writers.values():
            writer.close(end)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close(ending_of(error) if error is not None else None)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy starts with, in a spawned process for example: its next value starts a new file."""
        return {**self.__dict__, "file_writer": None, "all_writers": None}

    def _get_file_writer(self) -> FileWriter:
        """Return the writer of the run; start a new file if it is closed."""
        if self.file_writer is None or self.all_writers is None:
            self.file_writer = self._file_writer(self.log_dir, self.purge_step)
            self.purge_step = None
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
        return self.file_writer

    def _file_writer(self, directory: str | os.PathLike[str], purge_step: int | None = None) -> FileWriter:
        return self.file_writer_class(
            directory, self.max_queue, self.flush_secs, self.filename_suffix, purge_step=purge_step
        )

    def _add(self, plugin: str, tag: str, value: Any, size: int, global_step: Any, walltime: float | None) -> None:
        writer = self.file_writer or self._get_file_writer()
        writer.add_values(plugin, {checked_name(tag, "tag"): value}, VALUE_BYTES + size, global_step, walltime)

    def _child_directory(self, main_tag: str, name: str) -> str:
        """Return the directory of a run of add_scalars()."""
        return f"{self._get_file_writer().get_logdir()}/{main_tag.replace('/', '_')}_{name}"

    def _child(self, main_tag: str, name: str) -> FileWriter | None:
        """Return the writer of a run of add_scalars(); None, with one log line, if it cannot be created."""
        directory = self._child_directory(main_tag, name)
        writers = self.all_writers
        assert writers is not None
        if directory not in writers:
            try:
                writers[directory] = self._file_writer(directory)
            except OSError as error:
                self._warn_once("run", directory, f"cannot be recorded: {error}")
                return None
        return writers[directory]

    def _number(self, tag: str, value: Any) -> float | None:
        """Return a scalar, or the number that a str is, as a double.

        None, with one log line a tag, if the value's own methods failed.
        """
        try:
            scalar = scalar_from(float(value) if isinstance(value, str) else value)
        except UnreadableValueError as error:
            self._warn_unreadable(tag, error)
            return None
        except (TypeError, ValueError) as error:
            raise type(error)(f"The value of {tag!r} cannot be recorded. {error}") from None
        if not scalar.is_exact:
            self._warn_once("inexact", tag, "rounded to the nearest double: no double represents it exactly.")
        return scalar.value

    def _array(self, tag: str, value: Any) -> Array | None:
        """Return a copy of an array; None, with one log line a tag, if its own methods failed."""
        try:
            return array_from(value)
        except UnreadableValueError as error:
            self._warn_unreadable(tag, error)
            return None

    def _real_array(self, tag: str, value: Any) -> Array | None:
        array = self._array(tag, value)
        if array is not None and array.is_complex:
            raise TypeError(f"The value of {tag!r} must contain real numbers; {short_repr(value)} is complex.")
        return array

    def _warn_unreadable(self, tag: str, error: UnreadableValueError) -> None:
        self._warn_once("unreadable", tag, f"skipped, its value cannot be read: {error}")

    def _warn_once(self, reason: str, tag: str, text: str) -> None:
        if (reason, tag) not in self._warned:
            self._warned.add((reason, tag))
            log.warn("%s: %s %s", self.log_dir, tag, text)


def _default_directory(comment: str) -> str:
    return os.path.join("runs", datetime.now().strftime("%b%d_%H-%M-%S") + "_" + platform.node() + comment)
