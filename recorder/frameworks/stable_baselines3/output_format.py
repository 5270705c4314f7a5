"""ToposcopeOutputFormat: records what a Logger of Stable-Baselines3 dumps."""

import os
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from stable_baselines3.common.logger import Figure, HParam, Image, KVWriter, Video

from toposcope.recorder import log
from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.frameworks.loggers.logged_run import LoggedRun
from toposcope.recorder.imported import imported
from toposcope.recorder.training.events.callback_list import CallbackList
from toposcope.recorder.values import wrapped

_EVALUATION = "eval/"
_EXCLUDED = {"tensorboard", "toposcope"}


@guarded_hooks("write", "close")
class ToposcopeOutputFormat(KVWriter):
    """Records the values that a Logger dumps, at the number of timesteps.

        model.set_logger(Logger(None, [ToposcopeOutputFormat("runs/first")]))

    Numbers are scalars, arrays and tensors histograms, a str is a text, an Image or a Figure an image, a Video an
    animated GIF among the images; the hyperparameters of an HParam are lineage, its metrics are not recorded, as they
    are placeholders for scalars. Values that are excluded from "toposcope" or "tensorboard" are left out.

    What is named "eval/<name>", as by an EvalCallback, is the result of an evaluation: callbacks receive it as
    "<name>", and the lineage contains the last one. Between two evaluations is an epoch.

    The run begins with the first values and ends with close(). ToposcopeCallback also records settings of the model.
    """

    def __init__(self, summary_dir: str | os.PathLike[str], *, callbacks: CallbackList = None, **settings: Any) -> None:
        """Set what to record; the arguments are those of LoggedRun."""
        self.run = LoggedRun(summary_dir, callbacks=callbacks, **settings)
        """The run that is recorded."""

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0) -> None:
        """Record values at a step."""
        if not self.run.is_running:
            self.run.begin()
        values: dict[str, Any] = {}
        for name, value in key_values.items():
            if _EXCLUDED.isdisjoint(key_excluded.get(name) or ()):
                self._add(values, name, value)
        self.run.log(values, int(step), loss=key_values.get("train/loss"))
        results = {name.removeprefix(_EVALUATION): values[name] for name in values if name.startswith(_EVALUATION)}
        numbers = {name: value for name, value in results.items() if isinstance(value, Real)}
        self.run.evaluate(numbers, ends_epoch=True)

    def close(self) -> None:
        """End the run."""
        self.run.end()

    def _add(self, values: dict[str, Any], name: str, value: Any) -> None:
        match value:
            case HParam():
                self.run.record_settings(_mapping(value.hparam_dict), "hparams")
            case Image():
                values[name] = wrapped.Image(value.image, value.dataformats)
            case Figure():
                self._add_figure(values, name, value)
            case Video():
                values[name] = wrapped.Video(value.frames, fps=value.fps)
            case str():
                values[name] = wrapped.Text(value)
            case _ if isinstance(value, np.ScalarType) or not np.ndim(value):
                values[name] = value
            case _:
                values[name] = wrapped.Histogram(value)

    def _add_figure(self, values: dict[str, Any], name: str, value: Any) -> None:
        try:
            pixels = _pixels_of(value.figure)
        except Exception as error:  # The user's code draws.
            log.warn("%s: the figure %r is not recorded: %s", self.run.summary_dir, name, error)
        else:
            values[name] = wrapped.Image(pixels, "HWC")
        if value.close and (pyplot := imported("matplotlib.pyplot")) is not None:
            pyplot.close(value.figure)


def _pixels_of(figure: Any) -> Any:
    """Return the pixels of a figure of Matplotlib as RGBA, whatever its canvas is."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    before = figure.canvas
    try:
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba()).copy()
    finally:
        figure.set_canvas(before)


def _mapping(values: Any) -> Mapping[str, Any]:
    return dict(values) if isinstance(values, Mapping) else {}
