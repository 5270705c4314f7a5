"""The inputs of a module's call without their data: enough to run the module on fake tensors."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from toposcope.recorder.frameworks.torch.modules import library

_PLAIN = (type(None), bool, int, float, complex, str)
_SETTINGS = ("dtype", "device", "layout", "memory_format")


class CallInputs(NamedTuple):
    """The arguments of a call, with a TensorInput in place of each tensor."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True)
class TensorInput:
    """The properties of a tensor."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: Any
    device: Any


@dataclass(frozen=True)
class UntraceableInput:
    """An argument with which a network cannot be traced."""

    kind: str
    """The name of its type."""


def described(args: tuple[Any, ...], kwargs: dict[str, Any]) -> CallInputs:
    """Return a description of a module's arguments that keeps no tensor alive."""
    return CallInputs(*library("torch.utils._pytree").tree_map(_described, (tuple(args), dict(kwargs))))


def faked(inputs: CallInputs, mode: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the described arguments with fake tensors of a FakeTensorMode, which take no memory.

    Raises:
        TypeError: an argument is not a tensor, a plain value or a container of these.
    """
    with mode:
        arguments: tuple[tuple[Any, ...], dict[str, Any]] = library("torch.utils._pytree").tree_map(
            _faked, tuple(inputs)
        )
    return arguments


def _described(leaf: Any) -> object:
    torch = library()
    if isinstance(leaf, torch.Tensor):
        if leaf.layout is not torch.strided or leaf.is_quantized or leaf.is_nested:
            return UntraceableInput(f"{type(leaf).__name__} of layout {leaf.layout}")
        # Only the strides distinguish a contiguous tensor from a transposed one.
        return TensorInput(tuple(leaf.shape), tuple(leaf.stride()), leaf.dtype, leaf.device)
    if type(leaf) in _PLAIN or isinstance(leaf, tuple(getattr(torch, name) for name in _SETTINGS)):
        return leaf
    return UntraceableInput(type(leaf).__name__)


def _faked(leaf: object) -> object:
    if isinstance(leaf, UntraceableInput):
        raise TypeError(f"an input is a {leaf.kind}")
    if not isinstance(leaf, TensorInput):
        return leaf
    return library().empty_strided(leaf.shape, leaf.strides, dtype=leaf.dtype, device=leaf.device)
