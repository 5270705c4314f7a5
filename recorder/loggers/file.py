"""FileLogger: writes what is logged to a text file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_bool, checked_integer, checked_text
from toposcope.recorder.loggers.buffered_destination import BufferedDestination
from toposcope.recorder.loggers.formatting import line
from toposcope.recorder.loggers.table import json_table
from toposcope.recorder.rank import rank_of

if TYPE_CHECKING:
    from toposcope.recorder.training.logger import Logger
    from toposcope.recorder.training.state import State

_MAX_BUFFERED_LINES = 1000


class FileLogger(BufferedDestination):
    """Writes metrics, hyperparameters, tables and traces to a text file; corresponds to Composer's `FileLogger`.

        [hyperparameter]: optimizer/lr: 0.1
        [metric][batch=3]: loss/train/total: 0.25

    Lines logged before INIT, when the file has no name yet, are written later, and so are those that callbacks log
    while the trainer closes. A file that cannot be written is reported in one log line; the training continues. Unlike
    Composer's class, it does not capture sys.stdout and sys.stderr, and it respects overwrite.
    """

    def __init__(
        self,
        filename: str = "{run_name}/logs-rank{rank}.txt",
        *,
        log_traces: bool = True,
        flush_interval: int = 100,
        overwrite: bool = False,
    ) -> None:
        """Set the file name; the file is created at INIT.

        Args:
            filename: path of the file; {run_name} and {rank} are replaced by the run's name and this process's rank.
            log_traces: whether traces of algorithms are written.
            flush_interval: maximum number of batches between writes; lines are also written at the end of each epoch,
                evaluation and training.
            overwrite: whether an existing file is replaced; if not, INIT raises FileExistsError. A second trainer with
                the same FileLogger appends to its file.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: filename has other fields, or flush_interval is not positive.
        """
        self._template = checked_text("filename", filename)
        _path(self._template, "run")
        self._logs_traces = checked_bool("log_traces", log_traces)
        self._flush_interval = checked_integer("flush_interval", flush_interval, lowest=1)
        self._overwrites = checked_bool("overwrite", overwrite)
        self._path = ""
        self._lines: list[str] = []
        self._is_healthy = True

    @property
    def filename(self) -> str:
        """Path of the file; RuntimeError before INIT, when the run's name is unknown."""
        if not self._path:
            raise RuntimeError(f"The file of FileLogger({self._template!r}) has no name before Event.INIT.")
        return self._path

    def init(self, state: State, logger: Logger) -> None:
        """Create the file; FileExistsError if it exists and is not this logger's, OSError if it cannot be created."""
        path = _path(self._template, state.run_name)
        if path != self._path:
            if folder := os.path.dirname(path):
                os.makedirs(folder, exist_ok=True)
            with open(path, "w" if self._overwrites else "x"):
                self._path, self._is_healthy = path, True
        self._flush()

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
        """Write what was logged at the flush interval."""
        if int(state.timestamp.batch) % self._flush_interval == 0:
            self._flush()

    def _add(self, *lines: str) -> None:
        self._lines += lines
        if len(self._lines) >= _MAX_BUFFERED_LINES:
            self._flush()

    def _flush(self) -> None:
        """Append the lines to the file; it is open only meanwhile, so that it need not be closed after a failure."""
        if not (self._lines and self._path):
            return
        lines, self._lines = self._lines, []
        try:
            with open(self._path, "a", encoding="utf-8", errors="backslashreplace") as file:
                file.writelines(f"{line}\n" for line in lines)
        except OSError as error:
            if self._is_healthy:
                log.error("%s cannot be written; lines are lost: %s", self._path, error)
            self._is_healthy = False


def _path(template: str, run_name: str | None) -> str:
    try:
        return template.format(run_name=run_name or "run", rank=rank_of(os.environ))
    except (LookupError, ValueError, AttributeError):
        raise ValueError(
            f"filename must have no fields other than {{run_name}} and {{rank}}, not {template!r}."
        ) from None
