"""What the processes that train one network (DistributedDataParallel) share: mean factors, and the work of inverting.

All processes call these functions at the same steps, with the same layers in the same order, so that none waits for a
message that is never sent; also if a layer was not called in one of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, distributed

from toposcope.recorder.frameworks.torch.thor.curvature.factors import Factors
from toposcope.recorder.frameworks.torch.thor.curvature.inverse import Block


class Expected(NamedTuple):
    """The factors of a layer that some process may have."""

    factors: Factors | None
    """Those of this process; None: the layer was not called here."""
    shapes: tuple[tuple[int, ...], tuple[int, ...]]
    dtype: torch.dtype
    device: torch.device


def number_of_ranks(group: Any) -> int:
    """Return the number of processes; 1 without torch.distributed."""
    is_distributed = distributed.is_available() and distributed.is_initialized()
    return distributed.get_world_size(group) if is_distributed else 1


def rank_in(group: Any) -> int:
    """Return the number of this process; 0 without torch.distributed."""
    return distributed.get_rank(group) if number_of_ranks(group) > 1 else 0


def mean_over_ranks(layers: Sequence[Expected], group: Any) -> list[Factors | None]:
    """Return the mean of each layer's factors over the processes that have them; None if none has.

    Of symmetric matrices only the upper triangles are sent, all in one buffer.
    """
    if number_of_ranks(group) == 1 or not layers:
        return [each.factors for each in layers]
    parts = [part for layer in layers for part in _message(layer)]
    buffer = torch.cat([part.to(parts[0].device) for part in parts])
    distributed.all_reduce(buffer, group=group)
    sums = torch.split(buffer, [len(part) for part in parts])
    counts = torch.cat(sums[::3]).tolist()
    return [
        _mean(layer, count, sums[3 * number + 1], sums[3 * number + 2])
        for number, (layer, count) in enumerate(zip(layers, counts, strict=True))
    ]


def shared_inverses(
    blocks: Sequence[Block], invert: Callable[[Sequence[Block]], list[Tensor | None]], group: Any
) -> list[Tensor | None]:
    """Return the inverses of blocks, which all processes have: each inverts some and sends them to the others.

    Blocks are assigned, the largest first, to the process with the least work, which grows with the cube of their size.
    """
    world = number_of_ranks(group)
    if world == 1 or not blocks:
        return invert(blocks)
    owners = assigned([len(matrix) * matrix.shape[-1] ** 3 for matrix, _ in blocks], world)
    rank = distributed.get_rank(group)
    own = [number for number, owner in enumerate(owners) if owner == rank]
    inverted = dict(zip(own, invert([blocks[number] for number in own]), strict=True))
    results: dict[int, Tensor | None] = {}
    for sender in range(world):
        numbers = [number for number, owner in enumerate(owners) if owner == sender]
        if numbers:
            matrices = [blocks[number].matrix for number in numbers]
            parts = [
                part
                for number, matrix in zip(numbers, matrices, strict=True)
                for part in _flagged(inverted.get(number), matrix)
            ]
            buffer = torch.cat([part.to(matrices[0].device) for part in parts])
            distributed.broadcast(
                buffer, sender if group is None else distributed.get_global_rank(group, sender), group
            )
            received = torch.split(buffer, [len(part) for part in parts])
            are_good = torch.cat(received[::2]).tolist()
            for number, matrix, is_good, triangle in zip(numbers, matrices, are_good, received[1::2], strict=True):
                results[number] = _symmetric(triangle.to(matrix), matrix.shape) if is_good else None
    return [results[number] for number in range(len(blocks))]


def assigned(costs: Sequence[float], workers: int) -> list[int]:
    """Return a worker for each cost: the largest first, to the worker with the least work."""
    work, owners = [0.0] * workers, [0] * len(costs)
    for number in sorted(range(len(costs)), key=lambda number: -costs[number]):
        owners[number] = work.index(min(work))
        work[owners[number]] += costs[number]
    return owners


def _message(layer: Expected) -> tuple[Tensor, Tensor, Tensor]:
    """Return the number of processes that this one counts as, and both factors or zeros, in one dimension each."""
    count = torch.full((1,), layer.factors is not None, dtype=layer.dtype, device=layer.device)
    if layer.factors is not None:
        return count, _upper_triangle(layer.factors.inputs), _upper_triangle(layer.factors.gradients)
    inputs, gradients = (torch.zeros(_length(shape), dtype=layer.dtype, device=layer.device) for shape in layer.shapes)
    return count, inputs, gradients


def _mean(layer: Expected, count: float, inputs: Tensor, gradients: Tensor) -> Factors | None:
    if not count:
        return None
    means = [(each / count).to(layer.device, layer.dtype) for each in (inputs, gradients)]
    return Factors(*(_symmetric(mean, shape) for mean, shape in zip(means, layer.shapes, strict=True)))


def _flagged(inverse: Tensor | None, matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Return whether there is an inverse, and its upper triangle; memory to receive it in if there is none."""
    if inverse is None:
        return matrix.new_zeros(1), matrix.new_zeros(_length(matrix.shape))
    return matrix.new_ones(1), _upper_triangle(inverse)


def _length(shape: Sequence[int]) -> int:
    """Return the number of entries that _upper_triangle() returns."""
    if len(shape) < 3:
        return math.prod(shape)
    return shape[0] * shape[1] * (shape[1] + 1) // 2


def _upper_triangle(matrix: Tensor) -> Tensor:
    """Return the upper triangles of matrices, or diagonals and traces as they are, in one dimension."""
    if matrix.ndim < 3:
        return matrix.flatten()
    rows, columns = torch.triu_indices(*matrix.shape[1:], device=matrix.device)
    return matrix[:, rows, columns].flatten()


def _symmetric(triangle: Tensor, shape: Sequence[int]) -> Tensor:
    """Return the matrices of a shape with these upper triangles."""
    if len(shape) < 3:
        return triangle.reshape(tuple(shape))
    rows, columns = torch.triu_indices(shape[1], shape[2], device=triangle.device)
    matrix = triangle.new_empty(tuple(shape))
    matrix[:, rows, columns] = triangle.reshape(shape[0], -1)
    matrix[:, columns, rows] = matrix[:, rows, columns]
    return matrix
