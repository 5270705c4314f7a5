"""What a module is called with, without the data: enough to run it on fake tensors."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from toposcope.recorder.frameworks.torch.modules import library

_PLAIN = (type(None), bool, int, float, complex, str)
_SETTINGS = ("dtype", "device", "layout", "memory_format")


class Inputs(NamedTuple):
    """The arguments of a call, with a TensorInput in the place of each tensor."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True)
class TensorInput:
    """What a tensor is like."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: Any
    device: Any


@dataclass(frozen=True)
class UnfitInput:
    """An argument that no network can be traced with."""

    kind: str
    """Name of its type."""


def described(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Inputs:
    """Return what a module is called with; nothing of it keeps a tensor alive."""
    return Inputs(*library("torch.utils._pytree").tree_map(_described, (tuple(args), dict(kwargs))))


def faked(inputs: Inputs, mode: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return arguments like those described, with fake tensors of a FakeTensorMode, which take no memory.

    Raises:
        TypeError: an argument is no tensor, plain value or nest of these.
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
            return UnfitInput(f"{type(leaf).__name__} of layout {leaf.layout}")
        # A stride per size is all that tells a contiguous tensor from a transposed one.
        return TensorInput(tuple(leaf.shape), tuple(leaf.stride()), leaf.dtype, leaf.device)
    if type(leaf) in _PLAIN or isinstance(leaf, tuple(getattr(torch, name) for name in _SETTINGS)):
        return leaf
    return UnfitInput(type(leaf).__name__)


def _faked(leaf: object) -> object:
    if isinstance(leaf, UnfitInput):
        raise TypeError(f"an input is a {leaf.kind}")
    if not isinstance(leaf, TensorInput):
        return leaf
    return library().empty_strided(leaf.shape, leaf.strides, dtype=leaf.dtype, device=leaf.device)
