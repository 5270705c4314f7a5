"""install(): the SummaryWriter of PyTorch and of tensorboardX is ours, in this process.

Modules that are imported later find ours through an import hook; where TensorBoard is not installed, the hook supplies
a module in place of torch.utils.tensorboard, which could not be imported.
"""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from toposcope.recorder.tensorboard.replacements import CLASSES, TORCH, Replacements

_PACKAGE = "torch.utils.tensorboard"
_STAND_INS = {_PACKAGE, TORCH, f"{_PACKAGE}.summary"}


def install() -> None:
    """Make the SummaryWriter of torch.utils.tensorboard and of tensorboardX Toposcope's, in this process.

    Modules that have imported the classes already get ours too; writers that exist already stay what they are. Where
    TensorBoard is not installed, torch.utils.tensorboard can be imported nevertheless. tensorboardX's writer keeps its
    own signature. isinstance() with the replaced class holds. Calling it twice has no effect.
    """
    if _hook in sys.meta_path:
        return
    sys.meta_path.insert(0, _hook)
    for name in CLASSES:
        if (module := sys.modules.get(name)) is not None:
            _hook.replacements.replace_in(module)


def uninstall() -> None:
    """Put the classes back that install() has replaced. Writers that exist already stay what they are."""
    if _hook not in sys.meta_path:
        return
    sys.meta_path.remove(_hook)
    _hook.replacements.undo()
    for name in _STAND_INS:
        if isinstance(getattr(sys.modules.get(name), "__loader__", None), _StandInLoader):
            module = sys.modules.pop(name)
            parent, _, attribute = name.rpartition(".")
            if getattr(sys.modules.get(parent), attribute, None) is module:
                delattr(sys.modules[parent], attribute)


class _Hook(MetaPathFinder):
    """Finds the modules whose classes are replaced, and those that stand in for PyTorch's."""

    def __init__(self) -> None:
        self.replacements = Replacements()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec whose loader replaces the classes after it has executed the module."""
        if fullname in _STAND_INS and "tensorboard" not in sys.modules and find_spec("tensorboard") is None:
            return ModuleSpec(fullname, _StandInLoader(), is_package=fullname == _PACKAGE)
        if fullname not in CLASSES:
            return None
        for finder in sys.meta_path:
            if finder is not self and (spec := finder.find_spec(fullname, path, target)) is not None:
                if spec.loader is not None:
                    spec.loader = _ReplacingLoader(spec.loader, self.replacements)
                return spec
        return None


class _ReplacingLoader(Loader):
    """Replaces the classes of a module when it is imported."""

    def __init__(self, loader: Loader, replacements: Replacements) -> None:
        self._loader = loader
        self._replacements = replacements

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return the module that the original loader creates."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Execute the module, then replace its classes."""
        self._loader.exec_module(module)
        self._replacements.replace_in(module)


class _StandInLoader(Loader):
    """Loads a module in place of one of PyTorch's that needs TensorBoard."""

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return None: a new module."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Define the names that other packages import."""
        if module.__name__.endswith(".summary"):
            from toposcope.recorder.tensorboard.hparams import hparams_summaries

            vars(module)["hparams"] = hparams_summaries
        else:
            vars(module).update(CLASSES[TORCH]())


_hook = _Hook()
