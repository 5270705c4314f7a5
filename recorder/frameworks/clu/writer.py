"""ToposcopeWriter: a clu.metric_writers.MetricWriter that records what it is given."""

import os
from collections.abc import Mapping
from typing import Any

from clu.metric_writers.interface import MetricWriter

from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.frameworks.loggers.logged_run import LoggedRun
from toposcope.recorder.training.events.callback_list import CallbackList
from toposcope.recorder.values.wrapped import Histogram, Image, Tensor, Text, Video


@guarded_hooks("write_", "close")
class ToposcopeWriter(MetricWriter):
    """Records all kinds of values of a MetricWriter; several writers may be combined.

    The run begins with the first call: with values at a later step than the first, the run of an earlier process is
    continued there. close() ends it. Only the process of rank 0 records.
    """

    def __init__(self, summary_dir: str | os.PathLike[str], *, callbacks: CallbackList = None, **settings: Any) -> None:
        """Set what to record; the arguments are those of LoggedRun."""
        self._run = LoggedRun(summary_dir, callbacks=callbacks, **settings)
        self._hparams: dict[str, Any] = {}

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
        """Record videos of the shape [N, T, H, W, C] or [T, H, W, C] as animated GIF among the images."""
        clips = {name: video if len(video.shape) == 5 else video[None] for name, video in videos.items()}
        self._log(step, {name: Video(clip, "NTHWC") for name, clip in clips.items()})

    def write_audios(self, step: int, audios: Mapping[str, Any], *, sample_rate: int) -> None:
        """Record audio of the shape [N, T, C] as WAV files in the directory "media/audio" of the run."""
        self._begin(step)
        for name, audio in audios.items():
            self._run.record_audio(name, audio, sample_rate, int(step))

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
        self._begin(step)
        self._run.log(values, int(step))

    def _begin(self, step: int) -> None:
        if not self._run.is_running:
            self._run.begin(initial_step=max(0, int(step) - 1))
            self._run.record_settings(self._hparams)
