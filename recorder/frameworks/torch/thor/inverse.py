"""Inverses of damped factors, by Cholesky decomposition of their diagonal blocks."""

from typing import NamedTuple

import torch
from torch import Tensor

from toposcope.recorder.frameworks.torch.thor.factors import Factors, traces

_ATTEMPTS = 4
_RAISE = 10.0
"""Factor by which the damping of a matrix is raised when it cannot be inverted."""


class Damping(NamedTuple):
    """What is added to the diagonals of both factors."""

    inputs: Tensor
    """(groups,)."""
    gradients: Tensor
    """(groups,)."""


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


def damped_inverse(matrix: Tensor, damping: Tensor, block: int | None) -> Tensor | None:
    """Return the inverse of matrix + damping * I.

    Args:
        matrix: positive semidefinite, (groups, size, size), or a diagonal (groups, size).
        damping: positive numbers, (groups,).
        block: size of the diagonal blocks that are inverted instead of the whole matrix; None: the whole matrix.

    Returns:
        The inverse, of the shape and dtype of the matrix; None if it is singular even in float64 with 1000 times the
        damping.
    """
    if matrix.ndim == 2:
        return 1 / (matrix + damping[:, None])
    size = matrix.shape[-1]
    if block is None or block >= size:
        return _inverse(matrix, damping)
    inverse = torch.zeros_like(matrix)
    for start in range(0, size, block):
        part = slice(start, start + block)
        inverted = _inverse(matrix[:, part, part], damping)
        if inverted is None:
            return None
        inverse[:, part, part] = inverted
    return inverse


def _inverse(matrix: Tensor, damping: Tensor) -> Tensor | None:
    for attempt in range(_ATTEMPTS):
        for dtype in (matrix.dtype, torch.float64):
            wide = matrix.to(dtype)
            raised = (damping.to(dtype) * _RAISE**attempt)[:, None, None]
            lower, info = torch.linalg.cholesky_ex(wide + raised * torch.eye(wide.shape[-1]).to(wide))
            if not info.any():
                inverse = torch.cholesky_inverse(lower)
                if torch.isfinite(inverse).all():
                    return inverse.to(matrix.dtype)
    return None
