"""Checkpoints as safetensors files: the tensors of the network under their names, followed by the optimizer's."""

import importlib
import importlib.util
import json
import os
import re
import sys
from typing import Any, BinaryIO

import numpy as np

from toposcope.recorder.checkpoints.checkpoint import Checkpoint, library_of
from toposcope.recorder.checkpoints.formats.named_tensors import checkpoint_from, named_from

_KEY = "toposcope"
_FORMATS = {"torch": "pt", None: "np"}
_OS_ERROR = re.compile(r"\(os error (\d+)\)")


def require_safetensors() -> None:
    """Raise ImportError if the package safetensors is not installed."""
    if importlib.util.find_spec("safetensors") is None:
        raise ImportError(
            "Checkpoints of format 'safetensors' require the package safetensors: pip install safetensors"
        )


def write(checkpoint: Checkpoint, path: str) -> None:
    """Write a checkpoint of torch tensors or arrays to the file *path*.

    Raises:
        ValueError: the format does not support an entry of the network.
        OSError: the file cannot be written.
    """
    require_safetensors()
    library = library_of(checkpoint)
    if library is None:  # Numbers of the network are stored as arrays, too, for other readers.
        checkpoint = checkpoint._replace(network={name: np.asarray(t) for name, t in checkpoint.network.items()})
    tensors, text = named_from(checkpoint)
    separate = _separate(tensors) if library else {name: np.asarray(t, order="C") for name, t in tensors.items()}
    package: Any = importlib.import_module(f"safetensors.{library or 'numpy'}")
    try:
        package.save_file(separate, path, metadata={"format": _FORMATS[library], _KEY: text})
    except Exception as error:  # The package raises one class for all errors.
        if (number := _OS_ERROR.search(str(error))) is not None:
            raise OSError(int(number[1]), os.strerror(int(number[1])), path) from error
        raise


def read(file: BinaryIO) -> Checkpoint:
    """Return the checkpoint in a file.

    The tensors are torch's, on the CPU, if the metadata says so, or says nothing and torch is imported; else arrays.

    Raises:
        Exception: of any type, if the file is damaged.
    """
    require_safetensors()
    metadata = metadata_of(file)
    default = "pt" if "torch" in sys.modules else "np"
    library = "torch" if metadata.get("format", default) == "pt" else "numpy"
    package: Any = importlib.import_module(f"safetensors.{library}")
    file.seek(0)
    return checkpoint_from(package.load(file.read()), metadata.get(_KEY))


def metadata_of(file: BinaryIO) -> dict[str, str]:
    """Return the metadata in the header of a file; ValueError if the header is incomplete."""
    file.seek(0)
    size = int.from_bytes(file.read(8), "little")
    try:
        metadata: dict[str, str] = json.loads(file.read(size)).get("__metadata__", {})
    except (ValueError, AttributeError):
        raise ValueError(
            "it starts like a .safetensors file but its header is incomplete: it is truncated or damaged"
        ) from None
    return metadata


def _separate(tensors: dict[str, Any]) -> dict[str, Any]:
    """Return tensors that share no memory, as the format requires: tied weights are copied."""
    addresses: set[int] = set()
    separate = {}
    for name, tensor in tensors.items():
        contiguous = _tensor(name, tensor).contiguous()
        address = contiguous.untyped_storage().data_ptr()
        is_shared = address in addresses or contiguous.untyped_storage().nbytes() > contiguous.nbytes
        separate[name] = contiguous.clone() if is_shared else contiguous
        addresses.add(address)
    return separate


def _tensor(name: str, value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    torch: Any = importlib.import_module("torch")
    try:
        return torch.tensor(value)
    except TypeError:
        raise ValueError(
            f"{name!r} is an array of dtype {value.dtype}, which .safetensors files do not support; format='ckpt' does."
        ) from None
