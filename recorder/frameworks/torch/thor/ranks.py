"""Factors of several processes that train one network (DistributedDataParallel): their mean."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, distributed

from toposcope.recorder.frameworks.torch.thor.factors import Factors


def mean_over_ranks(factors: Mapping[str, Factors], group: Any) -> dict[str, Factors]:
    """Return the mean of the factors over the processes of a group; unchanged if there is only one process.

    All processes must have factors of the same layers. Of symmetric matrices only the upper triangles are sent, all in
    one buffer.
    """
    factors = dict(factors)
    if not (distributed.is_available() and distributed.is_initialized()) or not factors:
        return factors
    world = distributed.get_world_size(group)
    if world == 1:
        return factors
    tensors = [tensor for name in sorted(factors) for tensor in factors[name]]
    parts = [_upper_triangle(tensor) for tensor in tensors]
    buffer = torch.cat(parts)
    distributed.all_reduce(buffer, group=group)
    buffer /= world
    means = iter(
        _symmetric(part, tensor)
        for part, tensor in zip(torch.split(buffer, [len(part) for part in parts]), tensors, strict=True)
    )
    return {name: Factors(next(means), next(means)) for name in sorted(factors)}


def _upper_triangle(matrix: Tensor) -> Tensor:
    """Return the upper triangles of matrices, or a diagonal as it is, as one dimension."""
    if matrix.ndim == 2:
        return matrix.flatten()
    rows, columns = torch.triu_indices(*matrix.shape[1:], device=matrix.device)
    return matrix[:, rows, columns].flatten()


def _symmetric(triangle: Tensor, like: Tensor) -> Tensor:
    """Return the matrices, of the shape of *like*, with these upper triangles."""
    if like.ndim == 2:
        return triangle.reshape(like.shape)
    rows, columns = torch.triu_indices(*like.shape[1:], device=like.device)
    matrix = torch.empty_like(like)
    matrix[:, rows, columns] = triangle.reshape(len(like), -1)
    matrix[:, columns, rows] = triangle.reshape(len(like), -1)
    return matrix
