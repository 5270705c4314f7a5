"""SummaryLogger: records what is logged as summaries in event files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_directory, checked_file_size, checked_seconds
from toposcope.recorder.loggers.buffered_destination import BufferedDestination
from toposcope.recorder.loggers.formatting import Setting, settings
from toposcope.recorder.loggers.image_batches import ImageBatch, class_legend, image_batches, mask_images
from toposcope.recorder.loggers.table import json_lines
from toposcope.recorder.messages.lineage import custom_lineage
from toposcope.recorder.rank import process_rank
from toposcope.recorder.record.logged_values import LoggedValues
from toposcope.recorder.record.summary_record import SummaryRecord
from toposcope.recorder.training.progress.time import Time
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError

if TYPE_CHECKING:
    from toposcope.recorder.training.state.logger import Logger
    from toposcope.recorder.training.state.state import State


class SummaryLogger(BufferedDestination):
    """Records what is logged into a SummaryRecord.

        trainer = Trainer(model, ..., loggers=SummaryLogger("runs/first"))

    * Metrics become scalars under their names.
    * Hyperparameters become custom lineage: {"optimizer": {"lr": 0.1}} as "optimizer/lr", lists as JSON. All
      hyperparameters are recorded again when new ones are logged.
    * Images become images `<name>`; a list of different sizes `<name>/0`, `<name>/1`, ...; masks `<name>/<mask>`, with
      a separate colour for each label, and a legend of the classes as text `<name>/classes`.
    * Tables become texts in Markdown under their names.
    * Traces are not recorded.

    The default step is the number of finished batches. A value that cannot be recorded, such as text among metrics, is
    skipped with one log line per tag. Every rank records scalars and texts; only rank 0 records images and
    hyperparameters. Logging after close() opens another file, so that nothing is lost.
    """

    def __init__(
        self, log_dir: str | os.PathLike[str], *, max_file_size: int | None = None, flush_seconds: float = 1.0
    ) -> None:
        """Set the directory, which is created if it does not exist.

        Args:
            log_dir: directory of the run.
            max_file_size: maximum size of an event file in bytes, as for SummaryRecord; None: unlimited.
            flush_seconds: maximum time until a recorded value is written.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: an argument has an invalid value.
            NotADirectoryError: log_dir exists and is not a directory.
            OSError: the directory cannot be created.
        """
        self.log_dir = checked_directory("log_dir", log_dir)
        self._max_file_size = checked_file_size(max_file_size)
        self._flush_seconds = checked_seconds("flush_seconds", flush_seconds)
        self._is_first_rank = process_rank() == 0
        self._settings: dict[str, Setting] = {}
        self._classes: dict[str, Mapping[int, str]] = {}
        self._warned: set[tuple[str, str]] = set()
        self._open_recorder: SummaryRecord | None = None
        self._state: State | None = None

    def init(self, state: State, logger: Logger) -> None:
        """Open the event file; OSError if it cannot be created."""
        self._state = state
        self._recorder()

    def log_hyperparameters(self, hyperparameters: dict[str, Any]) -> None:
        """Record all hyperparameters so far as custom lineage if some are new."""
        merged = self._settings | settings(hyperparameters)
        if self._is_first_rank and merged != self._settings:
            self._settings = merged
            self._add("custom_lineage_data", "hyperparameters", custom_lineage(merged))
            self._recorder().record(self._step(None))

    def log_metrics(self, metrics: dict[str, Any], step: int | None = None) -> None:
        """Record metrics as scalars."""
        for name, value in metrics.items():
            self._add("scalar", name, value)
        self._recorder().record(self._step(step))

    def log_values(self, values: LoggedValues, step: int) -> None:
        """Record the values of WatchedRun.log(), of every kind."""
        self._recorder().record_logged(values, step)

    def log_table(
        self, columns: list[str], rows: list[list[Any]], name: str = "Table", step: int | None = None
    ) -> None:
        """Record a table as a text of JSON lines."""
        self._add("text", name, json_lines(columns, rows))
        self._recorder().record(self._step(step))

    def log_images(
        self,
        images: Any,
        name: str = "Images",
        channels_last: bool = False,
        step: int | None = None,
        masks: dict[str, Any] | None = None,
        mask_class_labels: dict[int, str] | None = None,
        use_table: bool = True,
    ) -> None:
        """Record images, and their masks as separate images; use_table has no effect."""
        if not self._is_first_rank:
            return
        self._add_images(name, partial(image_batches, images, channels_last))
        for mask_name, mask in (masks or {}).items():
            self._add_images(f"{name}/{mask_name}", partial(mask_images, mask))
        if mask_class_labels and self._classes.get(name) != mask_class_labels:
            self._classes[name] = dict(mask_class_labels)
            self._add("text", f"{name}/classes", class_legend(mask_class_labels))
        self._recorder().record(self._step(step))

    def _recorder(self) -> SummaryRecord:
        if self._open_recorder is None:
            self._open_recorder = SummaryRecord(
                self.log_dir,
                max_file_size=self._max_file_size,
                flush_seconds=self._flush_seconds,
                collects_operators=False,
            )
        return self._open_recorder

    def _add_images(self, name: str, make_batches: Callable[[], list[ImageBatch]]) -> None:
        try:
            batches = make_batches()
        except (TypeError, ValueError, UnreadableValueError) as error:
            self._skip("image", name, error)
            return
        tags = [name] if len(batches) == 1 else [f"{name}/{index}" for index in range(len(batches))]
        for tag, batch in zip(tags, batches, strict=True):
            self._add("image", tag, batch.pixels, batch.dataformats)

    def _add(self, plugin: str, tag: str, value: object, dataformats: str | None = None) -> None:
        try:
            self._recorder().add_value(plugin, tag, value, dataformats=dataformats)
        except (TypeError, ValueError) as error:
            self._skip(plugin, tag, error)

    def _skip(self, plugin: str, tag: str, error: Exception) -> None:
        if (plugin, tag) not in self._warned:
            self._warned.add((plugin, tag))
            log.warn("%s: %s %.100r is not recorded: %s", self.log_dir, plugin, tag, error)

    def _step(self, step: int | None) -> int:
        if step is not None:
            return int(step) if isinstance(step, Time) else step
        return 0 if self._state is None else int(self._state.timestamp.batch)

    def _flush(self) -> None:
        if self._open_recorder is not None:
            self._open_recorder.flush()

    def _close(self) -> None:
        recorder, self._open_recorder = self._open_recorder, None
        if recorder is not None:
            recorder.close()
