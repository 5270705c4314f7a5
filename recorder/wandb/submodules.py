"""Submodules of W&B's package: importing one never fails; what they lack here is inert, and reported once."""

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from toposcope.recorder.wandb.inert import Inert, inert_class
from toposcope.recorder.wandb.reports import REPORTS

SUBMODULES = (
    *("agents", "analytics", "apis", "automations", "catboost", "cli", "data_types", "docker", "env", "fastai", "gym"),
    *("helper", "integration", "jupyter", "keras", "lightgbm", "profiler", "proto", "sacred", "sandbox", "sdk"),
    *("sklearn", "tensorboard", "tensorflow", "trigger", "util", "wandb_agent", "wandb_controller", "wandb_lib"),
    *("wandb_run", "wandb_sdk", "wandb_torch", "xgboost"),
)
"""The submodules of W&B's package that have no file here, those below them left out."""
_FRONT = "toposcope.recorder.wandb"
_FRAMEWORKS = "toposcope.recorder.frameworks"
_OURS = {
    "util": f"{_FRONT}.run.run_settings",
    "sdk.lib.runid": f"{_FRONT}.run.run_settings",
    "sdk.wandb_run": f"{_FRONT}.run.wandb_run",
    "wandb_run": f"{_FRONT}.run.wandb_run",
    **{
        f"{parent}{name}": f"{_FRAMEWORKS}.{framework}.wandb_callback"
        for name, framework in {
            "keras": "keras",
            "sb3": "stable_baselines3",
            "xgboost": "xgboost",
            "lightgbm": "lightgbm",
        }.items()
        for parent in ("", "integration.")
    },
}
"""The names of submodules, and the modules of ours that have their names."""
_ADAPTERS = {
    "lightning": "lightning.ToposcopeLogger",
    "catboost": "catboost.ToposcopeCallback",
    "huggingface": "transformers.ToposcopeCallback",
    "torch": "torch, which toposcope.recorder.watch() uses",
}
"""Integrations of which we have an adapter with another interface, below recorder.frameworks."""


class _Submodule(ModuleType):
    """A module with the names of one of ours; its other names are inert."""

    def __init__(self, name: str, target: str | None) -> None:
        super().__init__(name, "A submodule of the wandb-shaped front.")
        self.__dict__.update(__path__=[], _target=target)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if self._target is not None:
            try:
                module = import_module(self._target)
            except ImportError as error:  # The framework is not installed.
                REPORTS.fails(error)
            else:
                if name in vars(module):
                    return getattr(module, name)
        short = _short(self.__name__)
        if any(f"{ours}.".startswith(f"{short}.{name}.") for ours in _OURS):
            return import_module(f"{self.__name__}.{name}")
        REPORTS.differs(f"wandb.{short}.{name} is not included: an inert object takes its place{_advice(short)}.")
        return inert_class(f"{short}.{name}") if name[:1].isupper() else Inert(f"{short}.{name}")


def _short(name: str) -> str:
    """Return the name of a submodule without that of the front."""
    return name.removeprefix(f"{_FRONT}.")


def _advice(name: str) -> str:
    for part in name.split("."):
        if part in _ADAPTERS:
            return f"; see {_FRAMEWORKS}.{_ADAPTERS[part]}"
    return ""


class _Submodules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the submodules of the front that have no file."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not (fullname.startswith(f"{_FRONT}.") and _short(fullname).split(".")[0] in SUBMODULES):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        short = _short(spec.name)
        is_of_data = short.removeprefix("sdk.").startswith("data_types")
        return _Submodule(spec.name, _FRONT if is_of_data else _OURS.get(short))

    def exec_module(self, module: ModuleType) -> None:
        pass


def find_submodules() -> None:
    """Let imports find the submodules, after those that have a file."""
    if not any(isinstance(finder, _Submodules) for finder in sys.meta_path):
        sys.meta_path.append(_Submodules())
