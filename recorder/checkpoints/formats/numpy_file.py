"""Checkpoints in the format of np.savez(), readable by np.load(): one member per array, and one of JSON."""

import zipfile
from typing import Any, BinaryIO

import numpy as np

from toposcope.recorder.checkpoints.checkpoint import Checkpoint
from toposcope.recorder.checkpoints.formats.named_tensors import checkpoint_from, named_from
from toposcope.recorder.values.arrays.foreign_values import short_repr

_TEXT, _SUFFIX = "checkpoint.json", ".npy"


def write(checkpoint: Checkpoint, file: BinaryIO) -> None:
    """Write a checkpoint of arrays; at most one array at a time is copied.

    Raises:
        TypeError: an array has a dtype that npy files do not support.
    """
    # Numbers of the network are stored as arrays, too, so that np.load() returns them.
    network = {name: _array(name, tensor) for name, tensor in checkpoint.network.items()}
    tensors, text = named_from(checkpoint._replace(network=network))
    arrays = {name: _array(name, tensor) for name, tensor in tensors.items()}
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(_TEXT, text)
        for name, array in arrays.items():
            with archive.open(f"{name}{_SUFFIX}", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def read(file: BinaryIO) -> Checkpoint:
    """Return the checkpoint in a file; all arrays of a file not written by us belong to the network.

    Raises:
        Exception: of any type, if the file is damaged.
    """
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        arrays = {}
        for name in names:
            if name.endswith(_SUFFIX):
                with archive.open(name) as member:
                    arrays[name.removesuffix(_SUFFIX)] = np.lib.format.read_array(member, allow_pickle=False)
        text = archive.read(_TEXT).decode() if _TEXT in names else None
    return checkpoint_from(arrays, text)


def _array(name: str, tensor: Any) -> Any:
    array = np.asarray(tensor)
    if array.dtype.kind in "OV":
        raise TypeError(f"{name} is {short_repr(tensor)} of dtype {array.dtype}, which npy files do not support.")
    return array
