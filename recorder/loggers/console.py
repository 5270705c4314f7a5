"""ConsoleLogger: prints what is logged to the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TextIO

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_bool
from toposcope.recorder.loggers.formatting import line, settings
from toposcope.recorder.loggers.table import json_table
from toposcope.recorder.rank import process_rank
from toposcope.recorder.training.events.logger_destination import LoggerDestination
from toposcope.recorder.training.progress.time import Time, TimeInput, TimeUnit, checked_time
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.values.arrays.foreign_values import short_repr

if TYPE_CHECKING:
    from toposcope.recorder.training.state.state import State

_INTERVAL_UNITS = (TimeUnit.BATCH, TimeUnit.EPOCH, TimeUnit.ITERATION)
_EVAL_REPORTS = 10


class ConsoleLogger(LoggerDestination):
    """Prints metrics, hyperparameters, tables and traces; corresponds to Composer's `ConsoleLogger`.

        [epoch=1/2][batch=10/15]:
            Train loss/train/total: 0.25

    Of a metric that is logged more often than printed, the newest value is printed. After the last batch, only metrics
    that have changed since it was printed are. Metrics of an evaluation are printed at its end, regardless of the
    interval; the progress of long evaluations is printed for the first batch and ten times. Only the process of rank 0
    prints. Unlike Composer's class, it prints a table only once, and an evaluation does not discard pending metrics of
    the training.
    """

    def __init__(
        self, log_interval: TimeInput = "1ba", stream: str | TextIO = "stderr", log_traces: bool = False
    ) -> None:
        """Choose how often and where to print.

        Args:
            log_interval: batches ("10ba"), epochs ("1ep", or a number without unit) or iterations ("1iter") between
                prints; the first batch, epoch or iteration is always printed.
            stream: "stdout", "stderr" or an open text file.
            log_traces: whether traces of algorithms are printed.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: log_interval has another unit or is not positive, or stream is another str.
        """
        self._interval = checked_time("log_interval", log_interval, TimeUnit.EPOCH)
        if self._interval.unit not in _INTERVAL_UNITS or self._interval.value < 1:
            raise ValueError(
                f"log_interval must be a positive number of 'ba', 'ep' or 'iter', not {short_repr(log_interval)}."
            )
        if isinstance(stream, str) and stream.lower() not in ("stdout", "stderr"):
            raise ValueError(f"stream must be 'stdout', 'stderr' or an open text file, not {stream!r}.")
        if not isinstance(stream, str) and not hasattr(stream, "write"):
            raise TypeError(f"stream must be 'stdout', 'stderr' or an open text file, not {short_repr(stream)}.")
        self._stream = stream
        self._logs_traces = checked_bool("log_traces", log_traces)
        self._is_silent = process_rank() != 0
        self._is_first = True
        self._is_evaluating = False
        self._position = (1, 0)
        """Epoch from 1, and finished batches in it."""
        self._last_print: tuple[int, dict[str, Any]] = (-1, {})
        """The batch of the last print of the training, and its metrics."""
        self._hyperparameters: dict[str, Any] = {}
        self.tables: dict[str, str] = {}
        """The newest table of each name, as JSON with "columns" and "data"."""
        self._pending_tables: set[str] = set()
        self._train_metrics: dict[str, Any] = {}
        self._eval_metrics: dict[str, Any] = {}

    def log_hyperparameters(self, hyperparameters: dict[str, Any]) -> None:
        """Print hyperparameters before the next output."""
        self._hyperparameters.update(hyperparameters)

    def log_metrics(self, metrics: dict[str, Any], step: int | None = None) -> None:
        """Print metrics at the end of the interval; until then values stay on their device, detached."""
        pending = self._eval_metrics if self._is_evaluating else self._train_metrics
        pending.update((name, _detached(value)) for name, value in metrics.items())

    def log_table(
        self, columns: list[str], rows: list[list[Any]], name: str = "Table", step: int | None = None
    ) -> None:
        """Print a table as JSON with the next metrics."""
        self.tables[name] = json_table(columns, rows)
        self._pending_tables.add(name)

    def log_traces(self, traces: dict[str, Any]) -> None:
        """Print traces immediately if log_traces is True."""
        if self._logs_traces:
            self._print([f"[trace]: {name}: {line(value)}" for name, value in traces.items()])

    def log_to_console(self, data: dict[str, Any], state: State, prefix: str = "", is_train: bool = True) -> None:
        """Print values, and tables that have not been printed, immediately.

        Args:
            data: values by name.
            state: its progress is printed first.
            prefix: printed before each name, such as "Train ".
            is_train: whether the progress is that of the training; otherwise it is that of the running evaluation.
        """
        self._print_values(self._train_progress(state) if is_train else _eval_progress(state), prefix, data)

    def fit_start(self, state: State, logger: Logger) -> None:
        """Print the hyperparameters."""
        self._is_first = True
        self._print_hyperparameters()

    def batch_end(self, state: State, logger: Logger) -> None:
        """Print at the interval."""
        # At EPOCH_END the timestamp counts the batches of the next epoch.
        self._position = int(state.timestamp.epoch) + 1, int(state.timestamp.batch_in_epoch)
        self._print_if_due(TimeUnit.BATCH, state)

    def epoch_end(self, state: State, logger: Logger) -> None:
        """Print at the interval."""
        self._print_if_due(TimeUnit.EPOCH, state)

    def iteration_end(self, state: State, logger: Logger) -> None:
        """Print at the interval."""
        self._print_if_due(TimeUnit.ITERATION, state)

    def fit_end(self, state: State, logger: Logger) -> None:
        """Print the remaining metrics of the interval."""
        batch, printed = self._last_print
        if batch == int(state.timestamp.batch):
            # The loop has logged the metrics of the epoch, and the time once more.
            self._train_metrics = {
                name: value
                for name, value in self._train_metrics.items()
                if not name.startswith("time/") and (name not in printed or line(printed[name]) != line(value))
            }
        self._print_rest(state)

    def eval_start(self, state: State, logger: Logger) -> None:
        """Print the hyperparameters unless they have been printed."""
        self._is_evaluating = True
        self._print_hyperparameters()

    def eval_batch_end(self, state: State, logger: Logger) -> None:
        """Print the progress of the evaluation."""
        done = int(state.eval_timestamp.batch)
        total = 0 if state.dataloader_len is None else int(state.dataloader_len)
        is_due = done == 1 or done * _EVAL_REPORTS // total > (done - 1) * _EVAL_REPORTS // total if total else False
        if is_due and done < total:
            self._print([_eval_progress(state)])

    def eval_end(self, state: State, logger: Logger) -> None:
        """Print the metrics of the evaluation."""
        self._print_values(f"[Eval {state.dataloader_label}]", "Eval ", self._eval_metrics)
        self._eval_metrics, self._is_evaluating = {}, False

    def predict_start(self, state: State, logger: Logger) -> None:
        """Print the hyperparameters unless they have been printed."""
        self._print_hyperparameters()

    def close(self, state: State, logger: Logger) -> None:
        """Print the remaining metrics of a training that failed."""
        self._is_evaluating = False
        self._print_hyperparameters()
        self._print_rest(state)

    def _print_if_due(self, unit: TimeUnit, state: State) -> None:
        if unit == self._interval.unit and (
            self._is_first or int(state.timestamp.get(unit)) % self._interval.value == 0
        ):
            self._print_train(state)

    def _print_rest(self, state: State) -> None:
        if self._train_metrics or self._pending_tables:
            self._print_train(state)

    def _print_train(self, state: State) -> None:
        self._is_first = False
        self._last_print = int(state.timestamp.batch), self._train_metrics
        self._print_values(self._train_progress(state), "Train ", self._train_metrics)
        self._train_metrics = {}

    def _train_progress(self, state: State) -> str:
        length, (epoch, batch) = state.max_duration, self._position
        epochs = length if length is not None and length.unit == TimeUnit.EPOCH else None
        return f"[epoch={_of(epoch, epochs)}][batch={_of(batch, state.dataloader_len)}]"

    def _print_values(self, progress: str, prefix: str, values: dict[str, Any]) -> None:
        self._print_hyperparameters()
        lines = [f"    {prefix}{name}: {line(value)}" for name, value in values.items()]
        lines += [f"    {prefix}{name}: {table}" for name, table in self.tables.items() if name in self._pending_tables]
        self._pending_tables.clear()
        self._print([progress + (":" if lines else ""), *lines])

    def _print_hyperparameters(self) -> None:
        pending, self._hyperparameters = self._hyperparameters, {}
        if pending:
            lines = [f"    {name}: {line(value)}" for name, value in settings(pending).items()]
            self._print(["Hyperparameters:", *lines])

    def _print(self, lines: list[str]) -> None:
        if self._is_silent:
            return
        # Looked up at each print, as notebooks and tests replace sys.stderr.
        stream = getattr(sys, self._stream.lower()) if isinstance(self._stream, str) else self._stream
        try:
            print(*lines, sep="\n", file=stream, flush=True)
        except (OSError, ValueError) as error:  # A broken pipe or a closed file.
            self._is_silent = True
            log.error("The console logger stops printing: %s", error)


def _eval_progress(state: State) -> str:
    batches = _of(int(state.eval_timestamp.batch), state.dataloader_len)
    return f"[Eval {state.dataloader_label}][batch={batches}]"


def _of(count: int, total: Time | None) -> str:
    return str(count) if total is None else f"{count}/{int(total)}"


def _detached(value: Any) -> Any:
    return value.detach() if hasattr(value, "detach") else value
