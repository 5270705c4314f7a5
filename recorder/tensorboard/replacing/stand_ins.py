"""Modules in the place of torch.utils.tensorboard without TensorBoard, and of tensorboardX that is not installed."""

import sys
from collections.abc import Callable, Mapping
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from toposcope.recorder.tensorboard.replacing.replacements import CLASSES, TENSORBOARDX, TORCH

TORCH_PACKAGE, TENSORBOARDX_PACKAGE = "torch.utils.tensorboard", "tensorboardX"


def _hparams() -> dict[str, Any]:
    from toposcope.recorder.tensorboard.kinds.hparams import hparams_summaries

    return {"hparams": hparams_summaries}


def _global_writer() -> dict[str, Any]:
    from toposcope.recorder.tensorboard.replacing.global_writer import GlobalSummaryWriter

    return {"GlobalSummaryWriter": GlobalSummaryWriter}


_NAMES: Mapping[str, Callable[[], Mapping[str, Any]]] = {
    TORCH_PACKAGE: CLASSES[TORCH],
    TORCH: CLASSES[TORCH],
    f"{TORCH_PACKAGE}.summary": _hparams,
    TENSORBOARDX_PACKAGE: lambda: {**CLASSES[TENSORBOARDX](), **_global_writer()},
    TENSORBOARDX: CLASSES[TENSORBOARDX],
    f"{TENSORBOARDX_PACKAGE}.global_writer": _global_writer,
    f"{TENSORBOARDX_PACKAGE}.summary": _hparams,
}
"""A function for each module, which returns the names in it that other packages import."""


def package_of(module: str) -> str | None:
    """Return the package of a module that can have a stand-in, None for another module."""
    if module not in _NAMES:
        return None
    return TENSORBOARDX_PACKAGE if module.startswith(TENSORBOARDX_PACKAGE) else TORCH_PACKAGE


def stand_in_spec(module: str) -> ModuleSpec:
    """Return the spec of the module that replaces an absent one of that name."""
    return ModuleSpec(module, _StandInLoader(), is_package=module in (TORCH_PACKAGE, TENSORBOARDX_PACKAGE))


def is_stand_in(module: str) -> bool:
    """Return whether the imported module of this name is a stand-in."""
    return isinstance(getattr(sys.modules.get(module), "__loader__", None), _StandInLoader)


def remove_stand_ins() -> None:
    """Remove the stand-ins from the imported modules."""
    for name in filter(is_stand_in, _NAMES):
        module = sys.modules.pop(name)
        parent, _, attribute = name.rpartition(".")
        if getattr(sys.modules.get(parent), attribute, None) is module:
            delattr(sys.modules[parent], attribute)


class _StandInLoader(Loader):
    """Loads a stand-in."""

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return None: a new module."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Define the names that other packages import."""
        vars(module).update(_NAMES[module.__name__]())
