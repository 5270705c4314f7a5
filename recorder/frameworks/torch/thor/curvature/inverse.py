"""Inverses of damped factors, by Cholesky decomposition of their diagonal blocks."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

_RAISES = (1.0, 10.0, 100.0, 1000.0)
"""Factors by which the damping of a matrix is raised until it can be inverted."""


class PerGroup(NamedTuple):
    """Numbers of both factors of a layer, one for each group."""

    inputs: tuple[float, ...]
    gradients: tuple[float, ...]


class Block(NamedTuple):
    """Diagonal blocks, at the same place in the factors of all groups, that are to be inverted."""

    matrix: Tensor
    """Positive semidefinite, (groups, size, size)."""
    damping: tuple[float, ...]
    """Positive, for each group."""


def split_damping(traces: PerGroup, sizes: tuple[int, int], damping: float, uses_pi: bool) -> PerGroup:
    """Return what is added to the diagonals of both factors, whose product is *damping*.

    With uses_pi, pi = sqrt((tr A / dim A) / (tr G / dim G)) divides it in proportion to the factors' mean eigenvalues
    (Martens and Grosse, arXiv:1503.05671, section 6.3); otherwise both are its square root, as in MindSpore.

    Args:
        traces: of the factors.
        sizes: rows of the factors.
        damping: positive.
        uses_pi: whether to use pi.
    """
    root = math.sqrt(damping)
    ratios = [_pi(*each, *sizes) if uses_pi else 1.0 for each in zip(*traces, strict=True)]
    return PerGroup(tuple(root * pi for pi in ratios), tuple(root / pi for pi in ratios))


def _pi(inputs: float, gradients: float, input_size: int, output_size: int) -> float:
    """Return pi; 1 if it is 0 or not finite."""
    if not inputs > 0 or not gradients > 0:
        return 1.0
    ratio = (inputs / input_size) / (gradients / output_size)
    return math.sqrt(ratio) if 0 < ratio < math.inf else 1.0


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
    lengths, checks = [], []
    for numbers in together.values():
        lengths += [len(blocks[number].matrix) for number in numbers]
        dampings = [damping for number in numbers for damping in blocks[number].damping]
        inverse, check = _cholesky_inverse(torch.cat([blocks[number].matrix for number in numbers]), dampings)
        checks.append(check)
        results |= zip(numbers, torch.split(inverse, lengths[-len(numbers) :]), strict=True)
    if checks:
        are_good = iter(map(math.isfinite, torch.cat([check.to(checks[0]) for check in checks]).tolist()))
        for number, length in zip(list(results), lengths, strict=True):
            if not all([next(are_good) for _ in range(length)]):
                results[number] = _careful_inverse(blocks[number])
    return [results[number] for number in range(len(blocks))]


def _cholesky_inverse(matrices: Tensor, dampings: Sequence[float]) -> tuple[Tensor, Tensor]:
    """Return the inverses, and for each a number that is finite if it is good; overwrites the matrices."""
    diagonals = matrices.diagonal(dim1=1, dim2=2)
    if len(dampings) == 1:
        diagonals.add_(dampings[0])
    else:
        diagonals.add_(matrices.new_tensor(dampings)[:, None])
    lower, info = torch.linalg.cholesky_ex(matrices)
    # Some builds of LAPACK refuse all matrices if one has a factor with a zero on the diagonal.
    lower.diagonal(dim1=1, dim2=2).masked_fill_((info != 0)[:, None], 1.0)
    inverse = torch.cholesky_inverse(lower)
    return inverse, inverse.diagonal(dim1=1, dim2=2).sum(1).div_(info == 0)


def _careful_inverse(block: Block) -> Tensor | None:
    matrix, damping = block
    for raised in _RAISES:
        wide = matrix.to(torch.float64, copy=True)
        inverse, check = _cholesky_inverse(wide, [each * raised for each in damping])
        inverse = inverse.to(matrix.dtype)
        if torch.isfinite(check).all() and torch.isfinite(inverse).all():
            return inverse
    return None
