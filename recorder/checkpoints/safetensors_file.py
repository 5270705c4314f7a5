"""Checkpoints as safetensors files: the network's tensors by their names, the optimizer's beside them."""

import importlib
import importlib.util
import json
import os
import re
import sys
from typing import Any, BinaryIO

import numpy as np

from toposcope.recorder.checkpoints.checkpoint import Checkpoint, library_of
from toposcope.recorder.checkpoints.named_tensors import checkpoint_from, named_from

_KEY = "toposcope"
_FORMATS = {"torch": "pt", None: "np"}
_OS_ERROR = re.compile(r"\(os error (\d+)\)")


def require_safetensors() -> None:
    """Raise ImportError when the package safetensors is not installed."""
    if importlib.util.find_spec("safetensors") is None:
        raise ImportError("Checkpoints of format 'safetensors' need the package safetensors: pip install safetensors")


def write(checkpoint: Checkpoint, path: str) -> None:
    """Write a checkpoint of torch tensors or arrays into the file *path*.

    Raises:
        ValueError: an entry of the network is nothing that such a file can hold.
        OSError: the file cannot be written.
    """
    require_safetensors()
    library = library_of(checkpoint)
    if library is None:  # Numbers too are arrays of the network, for all who read the file.
        checkpoint = checkpoint._replace(network={name: np.asarray(t) for name, t in checkpoint.network.items()})
    tensors, text = named_from(checkpoint)
    separate = _separate(tensors) if library else {name: np.asarray(t, order="C") for name, t in tensors.items()}
    package: Any = importlib.import_module(f"safetensors.{library or 'numpy'}")
    try:
        package.save_file(separate, path, metadata={"format": _FORMATS[library], _KEY: text})
    except Exception as error:  # The package has one class for all that happens to it.
        if (number := _OS_ERROR.search(str(error))) is not None:
            raise OSError(int(number[1]), os.strerror(int(number[1])), path) from error
        raise


def read(file: BinaryIO) -> Checkpoint:
    """Return the checkpoint in a file: torch's tensors, on the CPU, if it says so, or torch is in use; else arrays.

    Raises:
        Exception: any, when the file is damaged.
    """
    require_safetensors()
    metadata = metadata_of(file)
    known = "pt" if "torch" in sys.modules else "np"
    library = "torch" if metadata.get("format", known) == "pt" else "numpy"
    package: Any = importlib.import_module(f"safetensors.{library}")
    file.seek(0)
    return checkpoint_from(package.load(file.read()), metadata.get(_KEY))


def metadata_of(file: BinaryIO) -> dict[str, str]:
    """Return the texts in the head of a file; ValueError when it has no whole head."""
    file.seek(0)
    size = int.from_bytes(file.read(8), "little")
    try:
        metadata: dict[str, str] = json.loads(file.read(size)).get("__metadata__", {})
    except (ValueError, AttributeError):
        raise ValueError("it begins like a .safetensors file and its head is not whole: it is cut or damaged") from None
    return metadata


def _separate(tensors: dict[str, Any]) -> dict[str, Any]:
    """Return tensors each of which has its memory to itself, as the format wants: tied weights are copied."""
    owned: set[int] = set()
    separate = {}
    for name, tensor in tensors.items():
        contiguous = _tensor(name, tensor).contiguous()
        address = contiguous.untyped_storage().data_ptr()
        is_shared = address in owned or contiguous.untyped_storage().nbytes() > contiguous.nbytes
        separate[name] = contiguous.clone() if is_shared else contiguous
        owned.add(address)
    return separate


def _tensor(name: str, value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    torch: Any = importlib.import_module("torch")
    try:
        return torch.tensor(value)
    except TypeError:
        raise ValueError(
            f"{name!r} is an array of dtype {value.dtype}, which a .safetensors file cannot hold; format='ckpt' can."
        ) from None
