"""Logger: passes logged metrics, hyperparameters, tables and images on to every destination."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toposcope.recorder.training.state import State


class LogReceiver:
    """The methods through which a Logger passes on what is logged; by default they do nothing.

    The parameters and their order are those of Composer's `LoggerDestination`, as they are passed by position.
    """

    def log_hyperparameters(self, hyperparameters: dict[str, Any]) -> None:
        """Take some hyperparameters; called several times."""

    def log_metrics(self, metrics: dict[str, Any], step: int | None = None) -> None:
        """Take numbers, some of which are arrays or tensors of one element."""

    def log_table(
        self, columns: list[str], rows: list[list[Any]], name: str = "Table", step: int | None = None
    ) -> None:
        """Take a table."""

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
        """Take images: an array or tensor of 2, 3 or 4 dimensions, or a sequence of such."""

    def log_traces(self, traces: dict[str, Any]) -> None:
        """Take traces of algorithms."""

    def upload_file(
        self, state: State, remote_file_name: str, file_path: str | os.PathLike[str], *, overwrite: bool
    ) -> None:
        """Take a file."""

    def can_upload_files(self) -> bool:
        """Say whether upload_file() does something."""
        return False

    def download_file(
        self, remote_file_name: str, destination: str, overwrite: bool = False, progress_bar: bool = True
    ) -> None:
        """Bring a file back; NotImplementedError where there are none."""
        raise NotImplementedError(f"{type(self).__name__} keeps no files: {remote_file_name!r} cannot be downloaded.")


class Logger:
    """Passes what is logged to every destination, in their order; a step that is not given is the finished batches."""

    def __init__(self, state: State, destinations: LogReceiver | Sequence[LogReceiver] | None = None) -> None:
        self._state = state
        one = (destinations,) if isinstance(destinations, LogReceiver) else destinations
        self.destinations: tuple[LogReceiver, ...] = tuple(one or ())

    def log_hyperparameters(self, hyperparameters: dict[str, Any]) -> None:
        """Log settings of the training."""
        for destination in self.destinations:
            destination.log_hyperparameters(hyperparameters)

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """Log numbers at a step."""
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

    def log_traces(self, traces: dict[str, Any]) -> None:
        """Log traces."""
        for destination in self.destinations:
            destination.log_traces(traces)

    def upload_file(self, remote_file_name: str, file_path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Give a file to the destinations that keep files."""
        for destination in self.destinations:
            destination.upload_file(self._state, remote_file_name, file_path, overwrite=overwrite)

    def has_file_upload_destination(self) -> bool:
        """Say whether a destination keeps files."""
        return any(destination.can_upload_files() for destination in self.destinations)

    def _step(self, step: int | None) -> int:
        return int(self._state.timestamp.batch) if step is None else step
