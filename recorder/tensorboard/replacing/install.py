"""install(): the SummaryWriter of PyTorch and of tensorboardX is ours, in this process.

Modules that are imported later find ours through an import hook; where TensorBoard or tensorboardX is not installed,
the hook supplies modules in the place of those that could not be imported.
"""

import sys
from collections.abc import Iterable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from toposcope.recorder.tensorboard.replacing.replacements import CLASSES, Replacements
from toposcope.recorder.tensorboard.replacing.stand_ins import (
    TENSORBOARDX_PACKAGE,
    is_stand_in,
    package_of,
    remove_stand_ins,
    stand_in_spec,
)


def install() -> None:
    """Make the SummaryWriter of torch.utils.tensorboard and of tensorboardX Toposcope's, in this process.

    Modules that have imported the classes already get ours too; writers that exist already stay what they are.
    torch.utils.tensorboard can be imported also where TensorBoard is not installed, and tensorboardX where that is not
    installed. tensorboardX's writer keeps its own signature. isinstance() with the replaced class holds. Calling it
    twice has no effect.
    """
    if _hook in sys.meta_path:
        return
    sys.meta_path.insert(0, _hook)
    for name in CLASSES:
        if (module := sys.modules.get(name)) is not None:
            _hook.replacements.replace_in(module)


def uninstall() -> None:
    """Put the classes back that install() has replaced. Writers that exist already stay what they are."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not getattr(finder, "installs_toposcope", False)]
    if _hook not in sys.meta_path:
        return
    sys.meta_path.remove(_hook)
    _hook.replacements.undo()
    remove_stand_ins()


class _Hook(MetaPathFinder):
    """Finds the modules whose classes are replaced, and those that stand in for PyTorch's."""

    def __init__(self) -> None:
        self.replacements = Replacements()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec whose loader replaces the classes after it has executed the module."""
        if self._is_missing(fullname):
            return stand_in_spec(fullname)
        spec = self._found_by_others(fullname, path, target) if fullname in CLASSES else None
        if spec is not None and spec.loader is not None:
            spec.loader = _ReplacingLoader(spec.loader, self.replacements)
        return spec

    def find_distributions(self, context: Any) -> Iterable[Any]:
        """Return the distribution of the stand-in for tensorboardX if that is asked for by its name."""
        if str(context.name).lower() != TENSORBOARDX_PACKAGE.lower() or not self._is_missing(TENSORBOARDX_PACKAGE):
            return []
        from toposcope.recorder.tensorboard.replacing.stand_in_metadata import StandInDistribution

        return [StandInDistribution()]

    def _is_missing(self, module: str) -> bool:
        """Return whether a module needs a stand-in: whether the package that it needs is not installed."""
        package = package_of(module)
        if package is None:
            return False
        if package == TENSORBOARDX_PACKAGE:
            return is_stand_in(package) or (module == package and self._found_by_others(package) is None)
        return "tensorboard" not in sys.modules and find_spec("tensorboard") is None

    def _found_by_others(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        others = [finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec")]
        return next(filter(None, (finder.find_spec(fullname, path, target) for finder in others)), None)


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


_hook = _Hook()
