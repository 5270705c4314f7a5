"""Checkpoints as torch.save() writes them, which torch.load() reads with weights_only, as a dict of three entries."""

from importlib import import_module
from typing import Any, BinaryIO

from toposcope.recorder.checkpoints.checkpoint import Checkpoint


def write(checkpoint: Checkpoint, file: BinaryIO) -> None:
    """Write a checkpoint of torch tensors."""
    torch: Any = import_module("torch")
    torch.save(checkpoint._asdict(), file)


def read(file: BinaryIO) -> Checkpoint:
    """Return the checkpoint in a file, tensors on the CPU; a file of others is all network.

    Raises:
        Exception: any, when the file is damaged, or holds objects that only pickle could make.
    """
    torch: Any = import_module("torch")
    content = torch.load(file, map_location="cpu", weights_only=True)
    if not isinstance(content, dict):
        raise TypeError(f"it holds a {type(content).__name__}, no dict of tensors")
    if content.keys() == set(Checkpoint._fields):
        return Checkpoint(**content)
    return Checkpoint(content, None, {})
