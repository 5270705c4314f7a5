"""Layout: the position of each tensor of a network in one flat vector, trained tensors first."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

KINDS = ("weight", "bias", "norm", "embedding", "buffer")
_BUFFER_NAMES = re.compile(r"(running|moving)_(mean|var|variance)$|num_batches_tracked$")
_VARIANCE_NAMES = re.compile(r"(^|[._/])((running|moving)_)?var(iance)?$")
_NORM_NAMES = re.compile(r"(^|[._/])(gamma|beta)$|(^|[._/])(bn|norm|ln|layernorm|batchnorm)\w*[./](weight|bias)$", re.I)
_EMBEDDING_NAMES = re.compile(r"embedding_table$|(^|[._/])(embed|emb)\w*[./]weight$", re.I)


class TensorLayout(NamedTuple):
    """The position of one floating-point tensor."""

    name: str
    shape: tuple[int, ...]
    start: int
    """Index of its first number in the flat vector; its numbers are in row-major order."""
    kind: str
    """"weight" (two dimensions or more), "bias" (fewer), "norm" (scale and shift of a normalisation), "embedding", or
    "buffer" (computed in training, but not changed by gradients, such as the statistics of BatchNorm)."""

    @property
    def stop(self) -> int:
        """The index after its last number."""
        return self.start + math.prod(self.shape)

    @property
    def is_variance(self) -> bool:
        """Whether its name is that of a buffer of variances."""
        return self.kind == "buffer" and _VARIANCE_NAMES.search(self.name) is not None


class Layout(NamedTuple):
    """All tensors of a network: first those that gradients change, then the buffers.

    Lengths, products and Gram matrices are those of the first part; buffers move with it.
    """

    tensors: tuple[TensorLayout, ...]
    size: int
    """The length of the flat vector."""

    @property
    def parameter_count(self) -> int:
        """The length of the trained part."""
        return next((tensor.start for tensor in self.tensors if tensor.kind == "buffer"), self.size)

    @property
    def variances(self) -> npt.NDArray[np.int64]:
        """The indices of the numbers that are variances in buffers.

        Moved linearly they would become negative. Instead they are multiplied by the exponential of the combination of
        directions, which contain displacements of logarithms there.
        """
        places = [np.arange(tensor.start, tensor.stop) for tensor in self.tensors if tensor.is_variance]
        return np.concatenate([np.empty(0, np.int64), *places])


def layout_of(tensors: Iterable[tuple[str, tuple[int, ...], str]]) -> Layout:
    """Return the layout of tensors (name, shape, kind), in their order except that buffers are last.

    Raises:
        ValueError: two tensors have the same name, or a kind is unknown.
    """
    ordered = list(tensors)
    names = Counter(name for name, *_ in ordered)
    if repeated := [name for name, number in names.items() if number > 1]:
        raise ValueError(f"Tensors have different names; {repeated[0]!r} appears twice.")
    if unknown := [kind for *_, kind in ordered if kind not in KINDS]:
        raise ValueError(f"kind is one of {', '.join(map(repr, KINDS))}; not {unknown[0]!r}.")
    placed: list[TensorLayout] = []
    start = 0
    for name, shape, kind in sorted(ordered, key=lambda tensor: tensor[2] == "buffer"):
        placed.append(TensorLayout(name, tuple(shape), start, kind))
        start = placed[-1].stop
    return Layout(tuple(placed), start)


def kind_by_name(name: str, shape: tuple[int, ...]) -> str:
    """Return the kind of a tensor from its shape and its name, as PyTorch and MindSpore name tensors."""
    if _BUFFER_NAMES.search(name):
        return "buffer"
    if _NORM_NAMES.search(name):
        return "norm"
    if _EMBEDDING_NAMES.search(name):
        return "embedding"
    return "weight" if len(shape) > 1 else "bias"
