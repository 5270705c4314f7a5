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
from toposcope.recorder.wandb.inert import inert_class, inert_function, login
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
    "Api",
    "Artifact",
    "ArtifactTTL",
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
    "attach",
    "box3d",
    "controller",
    "define_metric",
    "ensure_configured",
    "errors",
    "finish",
    "init",
    "join",
    "link_artifact",
    "link_model",
    "log",
    "log_artifact",
    "log_code",
    "log_model",
    "login",
    "mark_preempting",
    "pin_config_keys",
    "plot",
    "plot_table",
    "require",
    "restore",
    "sagemaker_auth",
    "save",
    "setup",
    "sweep",
    "teardown",
    "termerror",
    "termlog",
    "termsetup",
    "termwarn",
    "unwatch",
    "use_artifact",
    "use_model",
    "visualize",
    "watch",
]

patched: dict[str, list[Any]] = {"tensorboard": [], "keras": [], "gym": []}
"""What W&B has replaced in other packages: nothing."""
run: Run | None
config: Config
summary: Summary

Api = inert_class("Api")
Artifact = inert_class("Artifact")
ArtifactTTL = inert_class("ArtifactTTL")
Classes = inert_class("Classes")
EvalTable = inert_class("EvalTable")
Graph = inert_class("Graph")
JoinedTable = inert_class("JoinedTable")
Settings = inert_class("Settings")
agent = inert_function("agent")
attach = inert_function("attach")
box3d = inert_function("box3d")
controller = inert_function("controller")
ensure_configured = inert_function("ensure_configured")
link_artifact = inert_function("link_artifact")
link_model = inert_function("link_model")
log_artifact = inert_function("log_artifact")
log_code = inert_function("log_code")
log_model = inert_function("log_model")
mark_preempting = inert_function("mark_preempting")
pin_config_keys = inert_function("pin_config_keys")
plot_table = plot.plot_table
visualize = plot.visualize
require = inert_function("require")
restore = inert_function("restore")
sagemaker_auth = inert_function("sagemaker_auth")
save = inert_function("save")
setup = inert_function("setup")
sweep = inert_function("sweep")
teardown = inert_function("teardown")
termsetup = inert_function("termsetup")
use_artifact = inert_function("use_artifact")
use_model = inert_function("use_model")
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
    """Return a submodule of W&B's package, or an inert object for "api", its old client.

    Raises:
        AttributeError: W&B's package has no such name.
    """
    if name in SUBMODULES:
        return import_module(f"{__name__}.{name}")
    if name == "api":
        return Api()
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
