"""The API of W&B's package on Toposcope's recorder: `from toposcope.recorder import wandb`.

Errors, and names that have no effect here, are logged once each; init(strict=True) raises them. Nothing is sent.
"""

import enum
import sys
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
from toposcope.recorder.wandb.audio import Audio
from toposcope.recorder.wandb.errors import CommError, Error, UsageError
from toposcope.recorder.wandb.inert import Inert, inert_class, inert_function
from toposcope.recorder.wandb.media import Histogram, Html, Image
from toposcope.recorder.wandb.reports import REPORTS
from toposcope.recorder.wandb.run_config import Config
from toposcope.recorder.wandb.run_summary import Summary
from toposcope.recorder.wandb.table import Table
from toposcope.recorder.wandb.video import Video
from toposcope.recorder.wandb.wandb_run import Run

__all__ = [
    "AlertLevel",
    "Api",
    "Artifact",
    "Audio",
    "Classes",
    "CommError",
    "Config",
    "Error",
    "EvalTable",
    "Graph",
    "Histogram",
    "Html",
    "Image",
    "JoinedTable",
    "Molecule",
    "Object3D",
    "Plotly",
    "Run",
    "Settings",
    "Table",
    "UsageError",
    "Video",
    "agent",
    "alert",
    "controller",
    "define_metric",
    "errors",
    "finish",
    "init",
    "join",
    "link_model",
    "log",
    "log_artifact",
    "log_model",
    "login",
    "mark_preempting",
    "plot",
    "plot_table",
    "require",
    "restore",
    "save",
    "setup",
    "sweep",
    "teardown",
    "termerror",
    "termlog",
    "termwarn",
    "unwatch",
    "use_artifact",
    "use_model",
    "watch",
]

run: Run | None
config: Config
summary: Summary

Api = inert_class("Api")
Artifact = inert_class("Artifact")
Classes = inert_class("Classes")
EvalTable = inert_class("EvalTable")
Graph = inert_class("Graph")
JoinedTable = inert_class("JoinedTable")
Molecule = inert_class("Molecule")
Object3D = inert_class("Object3D")
Plotly = inert_class("Plotly")
Settings = inert_class("Settings")
agent = inert_function("agent")
controller = inert_function("controller")
link_model = inert_function("link_model")
log_artifact = inert_function("log_artifact")
log_model = inert_function("log_model")
login = inert_function("login")
mark_preempting = inert_function("mark_preempting")
plot_table = inert_function("plot_table")
require = inert_function("require")
restore = inert_function("restore")
save = inert_function("save")
setup = inert_function("setup")
sweep = inert_function("sweep")
teardown = inert_function("teardown")
use_artifact = inert_function("use_artifact")
use_model = inert_function("use_model")
join = finish


class AlertLevel(enum.Enum):
    """The level of an alert."""

    INFO = "INFO"
    WARN = "WARN"
    ERROR = "ERROR"


def termlog(text: str = "", *_: Any, **__: Any) -> None:
    """Print a text to stderr."""
    print(f"wandb: {text}", file=sys.stderr)


termwarn = termerror = termlog


_MODULES = (
    *("agents", "apis", "catboost", "data_types", "docker", "env", "fastai", "gym", "integration", "jupyter", "keras"),
    *("lightgbm", "sacred", "sdk", "sklearn", "tensorboard", "tensorflow", "util", "xgboost"),
)


def __getattr__(name: str) -> Inert:
    """Return an inert object for a module of W&B's package, with a report."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    REPORTS.differs(f"wandb.{name} is not included: an inert object takes its place.")
    return Inert(name)


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
