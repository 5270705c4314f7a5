"""Logger: passes logged metrics, hyperparameters, tables and images on to every destination."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toposcope.recorder.record.logged_values import LoggedValues
from toposcope.recorder.writing.snapshot import Pixels

if TYPE_CHECKING:
    from toposcope.recorder.training.state.state import State


class LogReceiver:
    """The methods through which a Logger passes on what is logged; by default they do nothing.

    The parameters and their order are those of Composer's `LoggerDestination`, as they are passed by position.
    """

    def log_hyperparameters(self, hyperparameters: dict[str, Any]) -> None:
        """Log hyperparameters; may be called several times."""

    def log_metrics(self, metrics: dict[str, Any], step: int | None = None) -> None:
        """Log metrics: numbers, or arrays or tensors of one element."""

    def log_table(
        self, columns: list[str], rows: list[list[Any]], name: str = "Table", step: int | None = None
    ) -> None:
        """Log a table."""

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
        """Log images: an array or tensor of 2, 3 or 4 dimensions, or a sequence of them."""

    def log_values(self, values: LoggedValues, step: int) -> None:
        """Log the values of WatchedRun.log(): scalars as metrics, images as images; other kinds are left out."""
        deferred = {tag: snapshot.content for (plugin, tag), snapshot in values.snapshots.items() if plugin == "scalar"}
        if metrics := values.scalars | {tag: scalar.read() for tag, scalar in deferred.items()}:
            self.log_metrics(metrics, step)
        for (_, tag), snapshot in values.snapshots.items():
            if isinstance(pixels := snapshot.content, Pixels):
                self.log_images(pixels.array.numbers(), tag, pixels.layout.endswith("C"), step)

    def log_traces(self, traces: dict[str, Any]) -> None:
        """Log traces of algorithms."""

    def upload_file(
        self, state: State, remote_file_name: str, file_path: str | os.PathLike[str], *, overwrite: bool
    ) -> None:
        """Upload a file."""

    def can_upload_files(self) -> bool:
        """Return whether upload_file() is supported."""
        return False

    def download_file(
        self, remote_file_name: str, destination: str, overwrite: bool = False, progress_bar: bool = True
    ) -> None:
        """Download a file; NotImplementedError if the destination does not store files."""
        raise NotImplementedError(f"{type(self).__name__} does not store files: cannot download {remote_file_name!r}.")


class Logger:
    """Passes what is logged to every destination, in order; the default step is the number of finished batches."""

    def __init__(self, state: State, destinations: LogReceiver | Sequence[LogReceiver] | None = None) -> None:
        self._state = state
        receivers = (destinations,) if isinstance(destinations, LogReceiver) else destinations
        self.destinations: tuple[LogReceiver, ...] = tuple(receivers or ())

    def log_hyperparameters(self, hyperparameters: dict[str, Any]) -> None:
        """Log hyperparameters of the training."""
        for destination in self.destinations:
            destination.log_hyperparameters(hyperparameters)

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """Log metrics at a step."""
        for destination in self.destinations:
            destination.log_metrics(dict(metrics), self._step(step))

    def log_table(
        self, columns: list[str], rows: list[list[Any]], name: str = "Table", step: int | None = None
    ) -> None:
        """Log a table at a step."""
        for destination in self.destinations:
            destination.log_table(columns, rows, name, self._step(step))

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
        """Log images at a step."""
        for destination in self.destinations:
            destination.log_images(images, name, channels_last, self._step(step), masks, mask_class_labels, use_table)

    def log_values(self, values: LoggedValues, step: int) -> None:
        """Log the values of WatchedRun.log() at a step."""
        for destination in self.destinations:
            destination.log_values(values, step)

    def log_traces(self, traces: dict[str, Any]) -> None:
        """Log traces."""
        for destination in self.destinations:
            destination.log_traces(traces)

    def upload_file(self, remote_file_name: str, file_path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Upload a file to the destinations that store files; they receive its path as a pathlib.Path."""
        from pathlib import Path

        for destination in self.destinations:
            destination.upload_file(self._state, remote_file_name, Path(file_path), overwrite=overwrite)

    def has_file_upload_destination(self) -> bool:
        """Return whether a destination stores files."""
        return any(destination.can_upload_files() for destination in self.destinations)

    def _step(self, step: int | None) -> int:
        return int(self._state.timestamp.batch) if step is None else step
