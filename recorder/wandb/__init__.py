"""The API of W&B's package on Toposcope's recorder: `from toposcope.recorder import wandb`.

Errors, and names that have no effect here, are logged once each; init(strict=True) raises them. Nothing is sent.
"""

import enum
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from toposcope.recorder.wandb import errors, plot
from toposcope.recorder.wandb.active_run import (
    alert,
    current_config,
    current_run,
    current_summary,
    define_metric,
    finish,
    init,
    log,
    replace_config,
    unwatch,
    watch,
)
from toposcope.recorder.wandb.errors import CommError, Error, UsageError
from toposcope.recorder.wandb.inert import INERT, inert, login
from toposcope.recorder.wandb.media.audio import Audio
from toposcope.recorder.wandb.media.kept_objects import Molecule, Object3D
from toposcope.recorder.wandb.media.media import Histogram, Html, Image
from toposcope.recorder.wandb.media.table import Table
from toposcope.recorder.wandb.media.video import Video
from toposcope.recorder.wandb.run.run_config import Config
from toposcope.recorder.wandb.run.run_summary import Summary
from toposcope.recorder.wandb.run.wandb_run import Run
from toposcope.recorder.wandb.submodules import SUBMODULES, find_submodules

__all__ = [
    "AlertLevel",
    "Audio",
    "CommError",
    "Config",
    "Error",
    "Histogram",
    "Html",
    "Image",
    "Molecule",
    "Object3D",
    "Plotly",
    "Run",
    "Table",
    "UsageError",
    "Video",
    "alert",
    "define_metric",
    "errors",
    "finish",
    "init",
    "join",
    "log",
    "login",
    "plot",
    "plot_table",
    "termerror",
    "termlog",
    "termwarn",
    "unwatch",
    "visualize",
    "watch",
]

patched: dict[str, list[Any]] = {"tensorboard": [], "keras": [], "gym": []}
"""What W&B has replaced in other packages: nothing."""
run: Run | None
config: Config
summary: Summary

plot_table = plot.plot_table
visualize = plot.visualize
join = finish


def Plotly(val: Any) -> Any:  # noqa: N802 - the name of W&B's class.
    """Return a figure of Plotly or Matplotlib, which log() takes as it is."""
    return val


class AlertLevel(enum.Enum):
    """The level of an alert."""

    INFO = "INFO"
    WARN = "WARN"
    ERROR = "ERROR"


def termlog(text: str = "", *_: Any, **__: Any) -> None:
    """Print a text to stderr."""
    print(f"wandb: {text}", file=sys.stderr)


termwarn = termerror = termlog


find_submodules()


def __getattr__(name: str) -> Any:
    """Return a submodule of W&B's package, or what takes the place of a name without effect.

    Raises:
        AttributeError: W&B's package has no such name.
    """
    if name in SUBMODULES:
        return import_module(f"{__name__}.{name}")
    if name == "api":  # The old client.
        return inert("Api")()
    if name in INERT:
        return globals().setdefault(name, inert(name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Front(ModuleType):
    """The module: run, config and summary are those of the active run."""

    @property
    def run(self) -> Run | None:
        """The active run; None before init() and after finish()."""
        return current_run()

    @property
    def config(self) -> Config:
        """The configuration of the active run."""
        return current_config()

    @config.setter
    def config(self, settings: Any) -> None:
        replace_config(settings)

    @property
    def summary(self) -> Summary:
        """The summary of the active run."""
        return current_summary()


sys.modules[__name__].__class__ = _Front
