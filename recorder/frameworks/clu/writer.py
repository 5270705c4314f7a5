"""ToposcopeWriter: a clu.metric_writers.MetricWriter that records what it is given."""

import os
from collections.abc import Mapping
from typing import Any

from clu.metric_writers.interface import MetricWriter

from toposcope.recorder.frameworks.loggers.logged_run import LoggedRun
from toposcope.recorder.training.callback_list import CallbackList
from toposcope.recorder.values.wrapped import Histogram, Image, Tensor, Text


class ToposcopeWriter(MetricWriter):
    """Records scalars, images, texts, histograms, tensors and hyperparameters; several writers may be combined.

    The run begins with the first call: with values at a later step than the first, the run of an earlier process is
    continued there. close() ends it. Only the process of rank 0 records. Videos and audio are not recorded, with one
    warning each.
    """

    def __init__(self, summary_dir: str | os.PathLike[str], *, callbacks: CallbackList = None, **settings: Any) -> None:
        """Set what to record; the arguments are those of LoggedRun."""
        self._run = LoggedRun(summary_dir, callbacks=callbacks, **settings)
        self._hparams: dict[str, Any] = {}
        self._is_started = False

    def write_scalars(self, step: int, scalars: Mapping[str, Any]) -> None:
        """Record numbers, or arrays of one element."""
        self._log(step, dict(scalars))

    def write_images(self, step: int, images: Mapping[str, Any]) -> None:
        """Record images of the shape [N, H, W, C] or [H, W, C]."""
        formats = {4: "NHWC", 3: "HWC"}
        self._log(step, {name: Image(image, formats.get(len(image.shape))) for name, image in images.items()})

    def write_texts(self, step: int, texts: Mapping[str, str]) -> None:
        """Record texts."""
        self._log(step, {name: Text(text) for name, text in texts.items()})

    def write_histograms(
        self, step: int, arrays: Mapping[str, Any], num_buckets: Mapping[str, int] | None = None
    ) -> None:
        """Record histograms; their buckets are always those of Toposcope."""
        self._log(step, {name: Histogram(array) for name, array in arrays.items()})

    def write_summaries(self, step: int, values: Mapping[str, Any], metadata: Mapping[str, Any] | None = None) -> None:
        """Record tensors, without their metadata."""
        self._log(step, {name: Tensor(value) for name, value in values.items()})

    def write_videos(self, step: int, videos: Mapping[str, Any]) -> None:
        """Warn that videos are not recorded."""
        for name in videos:
            self._run.warn_once(name, "videos are not recorded.")

    def write_audios(self, step: int, audios: Mapping[str, Any], *, sample_rate: int) -> None:
        """Warn that audio is not recorded."""
        for name in audios:
            self._run.warn_once(name, "audio is not recorded.")

    def write_hparams(self, hparams: Mapping[str, Any]) -> None:
        """Record hyperparameters as lineage, without secrets."""
        self._hparams |= hparams
        self._run.record_settings(self._hparams)

    def flush(self) -> None:
        """Do nothing: values are written within a second."""

    def close(self) -> None:
        """End the run."""
        self._run.end()

    def _log(self, step: int, values: dict[str, Any]) -> None:
        if not self._is_started:
            self._is_started = True
            self._run.begin(initial_step=max(0, int(step) - 1))
            self._run.record_settings(self._hparams)
        self._run.log(values, int(step))
