"""Checkpoints in the format of torch.save(): a dict of the fields of Checkpoint, for torch.load(weights_only=True)."""

from importlib import import_module
from pickle import UnpicklingError
from typing import Any, BinaryIO

from toposcope.recorder.adapters import is_tensor
from toposcope.recorder.checkpoints.checkpoint import Checkpoint

_MAX_NAMES = 10


def write(checkpoint: Checkpoint, file: BinaryIO) -> None:
    """Write a checkpoint of torch tensors; OSError when the file cannot be written."""
    torch: Any = import_module("torch")
    try:
        torch.save(checkpoint._asdict(), file)
    except RuntimeError as error:
        if isinstance(error.__context__, OSError):  # PyTorch replaces it by an error about the missing bytes.
            raise error.__context__ from None
        raise


def read(file: BinaryIO) -> Checkpoint:
    """Return the checkpoint in a file, tensors on the CPU; tensors of a file not written by us belong to the network.

    Raises:
        ValueError: a file not written by us contains more than tensors of a network, or objects that require pickle.
        Exception: of any type, if the file is damaged.
    """
    torch: Any = import_module("torch")
    try:
        content = torch.load(file, map_location="cpu", weights_only=True)
    except UnpicklingError as error:
        raise ValueError(
            "it is damaged, or contains objects other than tensors, numbers and texts, which require "
            "torch.load(weights_only=False), which can execute code in the file"
        ) from error
    if not isinstance(content, dict):
        raise TypeError(f"it contains a {type(content).__name__}, not a dict of tensors")
    if content.keys() == set(Checkpoint._fields):
        return Checkpoint(**content)
    # The extra state of a module may be any object; all other entries of a state_dict() are tensors.
    if unsupported := [repr(name) for name, value in content.items() if not (is_tensor(value) or is_extra_state(name))]:
        names = ", ".join(unsupported[:_MAX_NAMES]) + (", ..." if len(unsupported) > _MAX_NAMES else "")
        raise ValueError(
            f"it contains {names}, which are not tensors of a network; load it with torch.load() and create a "
            "Checkpoint(network, optimizer, appended)"
        )
    return Checkpoint(content, None, {})


def is_extra_state(name: object) -> bool:
    """Return whether an entry of a state_dict() is the result of a module's get_extra_state(): any object."""
    return str(name).split(".")[-1] == "_extra_state"
