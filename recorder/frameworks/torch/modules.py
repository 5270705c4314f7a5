"""Modules of PyTorch: known, and freed of what wraps them."""

import importlib
from typing import Any

from toposcope.recorder.adapters import is_module

# What a wrapper calls the module inside it.
_WRAPPED = {"DistributedDataParallel": "module", "DataParallel": "module", "OptimizedModule": "_orig_mod"}
_NUMBERS = {"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"} | {
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
}


def library(name: str = "torch") -> Any:
    """Return PyTorch, or a module of it; called where something of PyTorch's is at hand, so that it is imported."""
    return importlib.import_module(name)


def unwrapped(module: Any) -> Any:
    """Return the module inside DataParallel, DistributedDataParallel and torch.compile's wrapper."""
    while is_module(module) and (attribute := _WRAPPED.get(type(module).__name__)) in (inner := module._modules):
        module = inner[attribute]
    return module


def dtype_name(tensor: Any) -> str | None:
    """Return the dtype of a tensor as our graphs have it, "float32"; None for one that they have not."""
    name = str(tensor.dtype).removeprefix("torch.")
    return name if name in _NUMBERS else None


def shape_of(tensor: Any) -> tuple[int | None, ...]:
    """Return the shape of a tensor; None for a size that depends on data."""
    return tuple(size if type(size) is int else None for size in tensor.shape)
