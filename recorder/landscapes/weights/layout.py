"""Layout: where each tensor of a network stands in one flat vector, those that training changes first."""

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

KINDS = ("weight", "bias", "norm", "embedding", "buffer")
_BUFFER_NAMES = re.compile(r"(running|moving)_(mean|var|variance)$|num_batches_tracked$")
_VARIANCE_NAMES = re.compile(r"(^|[._])((running|moving)_)?var(iance)?$")
_NORM_NAMES = re.compile(r"(^|[._])(gamma|beta)$|(^|[._])(bn|norm|ln|layernorm|batchnorm)\w*\.(weight|bias)$", re.I)
_EMBEDDING_NAMES = re.compile(r"embedding_table$|(^|[._])(embed|emb)\w*\.weight$", re.I)


class TensorLayout(NamedTuple):
    """The place of one floating-point tensor."""

    name: str
    shape: tuple[int, ...]
    start: int
    """Index of its first number in the flat vector; the others follow in row-major order."""
    kind: str
    """"weight" (two dimensions or more), "bias" (fewer), "norm" (scale and shift of a normalisation), "embedding", or
    "buffer" (what training computes but no gradient changes, such as the statistics of BatchNorm)."""

    @property
    def stop(self) -> int:
        """Return the index after its last number."""
        return self.start + math.prod(self.shape)

    @property
    def is_variance(self) -> bool:
        """Say whether it is a buffer of variances, which its name tells."""
        return self.kind == "buffer" and _VARIANCE_NAMES.search(self.name) is not None


class Layout(NamedTuple):
    """All tensors of a network: first what gradients change, then the buffers.

    Lengths, products and Gram matrices are those of the first part; buffers move along with it.
    """

    tensors: tuple[TensorLayout, ...]
    size: int
    """Numbers in the flat vector."""

    @property
    def parameter_count(self) -> int:
        """Return the length of the part that is trained."""
        return next((tensor.start for tensor in self.tensors if tensor.kind == "buffer"), self.size)

    @property
    def variances(self) -> npt.NDArray[np.int64]:
        """Return the indices of the numbers that are variances of buffers.

        Moved linearly they would become negative. Along axes they change by factors instead: the origin's times the
        exponential of the combination of directions, which hold displacements of logarithms there.
        """
        places = [np.arange(tensor.start, tensor.stop) for tensor in self.tensors if tensor.is_variance]
        return np.concatenate([np.empty(0, np.int64), *places])


def layout_of(tensors: Iterable[tuple[str, tuple[int, ...], str]]) -> Layout:
    """Return the layout of tensors (name, shape, kind), in their order but for the buffers, which come last.

    Raises:
        ValueError: two have the same name, or a kind is another one.
    """
    given = list(tensors)
    names = Counter(name for name, *_ in given)
    if repeated := [name for name, number in names.items() if number > 1]:
        raise ValueError(f"Tensors have different names; {repeated[0]!r} is given twice.")
    if unknown := [kind for *_, kind in given if kind not in KINDS]:
        raise ValueError(f"kind is one of {', '.join(map(repr, KINDS))}; not {unknown[0]!r}.")
    placed: list[TensorLayout] = []
    start = 0
    for name, shape, kind in sorted(given, key=lambda tensor: tensor[2] == "buffer"):
        placed.append(TensorLayout(name, tuple(shape), start, kind))
        start = placed[-1].stop
    return Layout(tuple(placed), start)


def kind_by_name(name: str, shape: tuple[int, ...]) -> str:
    """Return the kind of a tensor of which nothing is known but its name, as PyTorch and MindSpore give them."""
    if _BUFFER_NAMES.search(name):
        return "buffer"
    if _NORM_NAMES.search(name):
        return "norm"
    if _EMBEDDING_NAMES.search(name):
        return "embedding"
    return "weight" if len(shape) > 1 else "bias"
