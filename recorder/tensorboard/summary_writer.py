"""SummaryWriter: records what torch.utils.tensorboard.SummaryWriter and tensorboardX.SummaryWriter record."""

import os
import platform
from datetime import datetime
from time import time
from types import TracebackType
from typing import Any

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder import log
from toposcope.recorder.arguments import checked_name
from toposcope.recorder.ending import ending_of
from toposcope.recorder.tensorboard.file_writer import FileWriter
from toposcope.recorder.values.foreign_values import UnreadableValueError
from toposcope.recorder.values.scalar import scalar_from

_MIN_STEP, _MAX_STEP = -(2**63), 2**63 - 1


class SummaryWriter:
    """Records values to event files that TensorBoard opens as its own."""

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str | None = "",
        purge_step: int | None = None,
        max_queue: int | None = 10,
        flush_secs: float | None = 120,
        filename_suffix: str | None = "",
    ) -> None:
        """Create a new event file in *log_dir*, which is created if it does not exist."""
        self.log_dir = log_dir or _default_directory(comment or "")
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] | None = None
        self._warned: set[tuple[str, str]] = set()
        self._get_file_writer()

    def _get_file_writer(self) -> FileWriter:
        if self.file_writer is None or self.all_writers is None:
            self.file_writer = FileWriter(
                self.log_dir, self.max_queue, self.flush_secs, self.filename_suffix, purge_step=self.purge_step
            )
            self.purge_step = None
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
        return self.file_writer

    def get_logdir(self) -> str | os.PathLike[str]:
        """Return the directory of the run."""
        return self.log_dir

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any = None,
        walltime: Any = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Record a number."""
        writer = self.file_writer or self._get_file_writer()
        # The most frequent case first: it is most of the time that recording takes from the training.
        if (
            type(scalar_value) is float
            and type(global_step) is int
            and walltime is None
            and type(tag) is str
            and tag
            and _MIN_STEP <= global_step <= _MAX_STEP
        ):
            event = time(), global_step, {tag: scalar_value}, None
            if not writer.put(event):
                writer.put_again(event)
            return
        tag = checked_name(tag)
        number = self._number(tag, scalar_value)
        if number is not None:
            writer.add_scalars({tag: number}, global_step, walltime)

    def flush(self) -> None:
        """Wait until everything recorded before is in the files; give up, with a log line, if a writer fails."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Write all values, sync the files to disk and close them; what is added afterwards starts new files."""
        self._close(None)

    def _close(self, end: RecordingEnd | None) -> None:
        writers, self.file_writer, self.all_writers = self.all_writers or {}, None, None
        for writer in writers.values():
            writer.close(end)

    def __enter__(self) -> "SummaryWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close(ending_of(error) if error is not None else None)

    def _number(self, tag: str, value: Any) -> float | None:
        """Return a scalar as a double; None, with one log line a tag, if its own methods failed."""
        try:
            scalar = scalar_from(value)
        except UnreadableValueError as error:
            self._warn_once("unreadable", tag, f"skipped, its value cannot be read: {error}")
            return None
        if not scalar.is_exact:
            self._warn_once("inexact", tag, "rounded to the nearest double: no double represents it exactly.")
        return scalar.value

    def _warn_once(self, reason: str, tag: str, text: str) -> None:
        if (reason, tag) not in self._warned:
            self._warned.add((reason, tag))
            log.warn("%s: %s %s", self.log_dir, tag, text)


def _default_directory(comment: str) -> str:
    return os.path.join("runs", datetime.now().strftime("%b%d_%H-%M-%S") + "_" + platform.node() + comment)
