"""The classes of PyTorch and tensorboardX that install() replaces, and ours that take their place."""

import contextlib
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

TORCH, TENSORBOARDX = "torch.utils.tensorboard.writer", "tensorboardX.writer"


def _torch_classes() -> dict[str, type]:
    from toposcope.recorder.tensorboard.files.file_writer import FileWriter
    from toposcope.recorder.tensorboard.summary_writer import SummaryWriter

    return {"SummaryWriter": SummaryWriter, "FileWriter": FileWriter}


def _tensorboardx_classes() -> dict[str, type]:
    from toposcope.recorder.tensorboard.replacing.tensorboardx import TensorboardxFileWriter, TensorboardxWriter

    return {"SummaryWriter": TensorboardxWriter, "FileWriter": TensorboardxFileWriter}


CLASSES: Mapping[str, Callable[[], dict[str, type]]] = {TORCH: _torch_classes, TENSORBOARDX: _tensorboardx_classes}
"""Module that defines the replaced classes, and a function that returns ours by their names."""


class Replacements:
    """The classes that are replaced at present."""

    def __init__(self) -> None:
        self._ours: dict[type, type] = {}
        """The class that replaces each class."""
        self._created: dict[type, type] = {}
        """The same, kept after undo(): a class is replaced by the same one again."""

    def replace_in(self, module: ModuleType) -> None:
        """Replace the classes of a module that has been imported just now or earlier, in every module."""
        replaced: dict[str, Any] = {}
        for name, ours in CLASSES[module.__name__]().items():
            theirs = getattr(module, name, None)
            if isinstance(theirs, type) and theirs not in self._ours and theirs not in self._ours.values():
                if theirs not in self._created:
                    self._created[theirs] = _subclass(ours, theirs)
                self._ours[theirs] = replaced[name] = self._created[theirs]
        if len(replaced) == 2:
            replaced["SummaryWriter"].file_writer_class = replaced["FileWriter"]
        _rebind(self._ours)

    def undo(self) -> None:
        """Put the replaced classes back in every module."""
        _rebind({ours: theirs for theirs, ours in self._ours.items()})
        self._ours = {}


def _subclass(ours: type, theirs: type) -> type:
    """Return our class as a subclass of theirs too, for isinstance(), under the name of theirs, for pickle."""
    namespace = {"__module__": theirs.__module__, "__qualname__": theirs.__qualname__, "__doc__": ours.__doc__}
    return type(theirs.__name__, (ours, theirs), namespace)


def _rebind(classes: Mapping[type, type]) -> None:
    """Replace classes by others in every module that has a name for them, and as bases of the classes derived.

    A class that was derived before install() holds its base itself: no name that could be bound to ours leads to it.
    Python lets __bases__ be assigned for that. Without it, the writers of such a class would record nothing that we
    read, and nobody would notice; to patch the methods of the replaced class instead would break their super().
    """
    by_id = {id(each): other for each, other in classes.items()}  # Some values do strange things when they are asked.
    for each, other in classes.items():
        derived: list[type] = type.__subclasses__(each)
        for one in derived:
            if one is other:
                continue
            with contextlib.suppress(TypeError):  # Of a class with another layout or metaclass, which stays what it is.
                one.__bases__ = tuple(by_id.get(id(base), base) for base in one.__bases__)
    for module in list(sys.modules.values()):
        names: dict[str, Any] = getattr(module, "__dict__", {})
        for name, value in list(names.items()):
            if id(value) in by_id:
                names[name] = by_id[id(value)]
