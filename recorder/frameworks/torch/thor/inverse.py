"""Inverses of damped factors, by Cholesky decomposition of their diagonal blocks."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from toposcope.recorder.frameworks.torch.thor.factors import Factors, traces

_RAISES = (1.0, 10.0, 100.0, 1000.0)
"""Factors by which the damping of a matrix is raised until it can be inverted."""


class Damping(NamedTuple):
    """What is added to the diagonals of both factors."""

    inputs: Tensor
    """(groups,)."""
    gradients: Tensor
    """(groups,)."""


class Block(NamedTuple):
    """Diagonal blocks, at the same place in the factors of all groups, that are to be inverted."""

    matrix: Tensor
    """Positive semidefinite, (groups, size, size)."""
    damping: Tensor
    """Positive, (groups,)."""


def split_damping(factors: Factors, damping: float, uses_pi: bool) -> Damping:
    """Return the damping of both factors, whose product is *damping*.

    With uses_pi, pi = sqrt((tr A / dim A) / (tr G / dim G)) divides it in proportion to the factors' mean eigenvalues
    (Martens and Grosse, arXiv:1503.05671, section 6.3); otherwise both are its square root, as in MindSpore.
    """
    root = factors.inputs.new_full(factors.inputs.shape[:1], damping).sqrt()
    if not uses_pi:
        return Damping(root, root)
    inputs = traces(factors.inputs) / factors.inputs.shape[1]
    gradients = traces(factors.gradients) / factors.gradients.shape[1]
    pi = (inputs / gradients).sqrt()
    pi = torch.where(torch.isfinite(pi) & (pi > 0), pi, torch.ones_like(pi))
    return Damping(root * pi, root / pi)


def blocks_of(size: int, block: int | None, has_bias: bool) -> Iterator[slice]:
    """Yield the places of the diagonal blocks of a factor; the last may be smaller.

    Args:
        size: rows of the factor.
        block: size of the blocks; None: the whole factor.
        has_bias: whether the last row is that of a bias, which belongs to the block before it.
    """
    end = size - has_bias
    block = block or max(end, 1)
    for start in range(0, max(end, 1), block):
        yield slice(start, start + block if start + block < end else size)


def inverses(blocks: Sequence[Block]) -> list[Tensor | None]:
    """Return the inverses of matrix + damping * I, of the shapes and dtypes of the matrices.

    Blocks of the same size are inverted together. An inverse is None if it cannot be computed even in float64 with
    1000 times the damping. Waits for the device once, and once more for each block that needs another attempt.
    """
    together = defaultdict(list)
    for number, (matrix, _) in enumerate(blocks):
        together[matrix.shape[-1], matrix.dtype, matrix.device].append(number)
    results: dict[int, Tensor | None] = {}
    flags: list[tuple[int, Tensor]] = []
    for numbers in together.values():
        matrices, dampings = zip(*(blocks[number] for number in numbers), strict=True)
        lengths = [len(matrix) for matrix in matrices]
        inverse, is_good = _cholesky_inverse(torch.cat(matrices), torch.cat(dampings))
        results |= zip(numbers, torch.split(inverse, lengths), strict=True)
        flags += zip(numbers, [each.all() for each in torch.split(is_good, lengths)], strict=True)
    if flags:
        for (number, _), is_good in zip(flags, torch.stack([flag for _, flag in flags]).tolist(), strict=True):
            if not is_good:
                results[number] = _careful_inverse(blocks[number])
    return [results[number] for number in range(len(blocks))]


def _cholesky_inverse(matrices: Tensor, dampings: Tensor) -> tuple[Tensor, Tensor]:
    """Return the inverses, and which of them are good; overwrites the matrices."""
    matrices.diagonal(dim1=1, dim2=2).add_(dampings[:, None])
    lower, info = torch.linalg.cholesky_ex(matrices)
    inverse = torch.cholesky_inverse(lower)
    return inverse, (info == 0) & torch.isfinite(inverse.diagonal(dim1=1, dim2=2)).all(1)


def _careful_inverse(block: Block) -> Tensor | None:
    matrix, damping = block
    for raised in _RAISES:
        inverse, is_good = _cholesky_inverse(matrix.to(torch.float64, copy=True), damping.double() * raised)
        inverse = inverse.to(matrix.dtype)
        if is_good.all() and torch.isfinite(inverse).all():
            return inverse
    return None
