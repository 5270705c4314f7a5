"""Checkpoints as torch.save() writes them, which torch.load() reads with weights_only, as a dict of three entries."""

from importlib import import_module
from pickle import UnpicklingError
from typing import Any, BinaryIO

from toposcope.recorder.adapters import is_tensor
from toposcope.recorder.checkpoints.checkpoint import Checkpoint

_MOST_NAMES = 10


def write(checkpoint: Checkpoint, file: BinaryIO) -> None:
    """Write a checkpoint of torch tensors; OSError when the file cannot be written."""
    torch: Any = import_module("torch")
    try:
        torch.save(checkpoint._asdict(), file)
    except RuntimeError as error:
        if isinstance(error.__context__, OSError):  # After which PyTorch misses what was not written.
            raise error.__context__ from None
        raise


def read(file: BinaryIO) -> Checkpoint:
    """Return the checkpoint in a file, tensors on the CPU; a file of others is all network.

    Raises:
        ValueError: a file of others holds more than the tensors of a network, or objects that only pickle could make.
        Exception: any, when the file is damaged.
    """
    torch: Any = import_module("torch")
    try:
        content = torch.load(file, map_location="cpu", weights_only=True)
    except UnpicklingError as error:
        raise ValueError(
            "it is damaged, or holds objects other than tensors, numbers and texts, which only "
            "torch.load(weights_only=False) makes, and that runs code in the file"
        ) from error
    if not isinstance(content, dict):
        raise TypeError(f"it holds a {type(content).__name__}, no dict of tensors")
    if content.keys() == set(Checkpoint._fields):
        return Checkpoint(**content)
    # The extra state of a module is whatever the module says; all else of a state_dict() are tensors.
    if others := [repr(name) for name, value in content.items() if not (is_tensor(value) or is_extra_state(name))]:
        names = ", ".join(others[:_MOST_NAMES]) + (", ..." if len(others) > _MOST_NAMES else "")
        raise ValueError(
            f"it holds {names}, which are no tensors of a network; take what you need of torch.load() into a "
            "Checkpoint(network, optimizer, appended)"
        )
    return Checkpoint(content, None, {})


def is_extra_state(name: object) -> bool:
    """Return whether an entry of a state_dict() is the result of a module's get_extra_state(): any object."""
    return str(name).split(".")[-1] == "_extra_state"
