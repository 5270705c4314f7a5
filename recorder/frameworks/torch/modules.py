"""PyTorch modules without their wrappers, and the shapes and dtypes of tensors."""

import importlib
from typing import Any

from toposcope.recorder.adapters import is_module

# The name that each wrapper gives to the module inside it.
_WRAPPED = {"DistributedDataParallel": "module", "DataParallel": "module", "OptimizedModule": "_orig_mod"}
_NUMBERS = {"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"} | {
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
}


def library(name: str = "torch") -> Any:
    """Return the package torch or one of its modules; call it only where the process has already imported PyTorch."""
    return importlib.import_module(name)


def unwrapped(module: Any) -> Any:
    """Return the module inside DataParallel, DistributedDataParallel and torch.compile's wrapper."""
    while is_module(module) and (attribute := _WRAPPED.get(type(module).__name__)) in (inner := module._modules):
        module = inner[attribute]
    return module


def device_of(module: Any) -> Any:
    """Return the device of a module's first parameter; None if it has none, or if it is not a module of PyTorch."""
    return next((parameter.device for parameter in module.parameters()), None) if is_module(module) else None


def dtype_name(tensor: Any) -> str | None:
    """Return the name of a tensor's dtype in a graph, such as "float32"; None for a dtype that graphs do not have."""
    name = str(tensor.dtype).removeprefix("torch.")
    return name if name in _NUMBERS else None


def shape_of(tensor: Any) -> tuple[int | None, ...]:
    """Return the shape of a tensor; None for a size that depends on the data."""
    return tuple(size if type(size) is int else None for size in tensor.shape)
