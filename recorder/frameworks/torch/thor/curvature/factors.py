"""Kronecker factors of the Fisher information of a layer, from the sums of outer products."""

from __future__ import annotations

from typing import Literal, NamedTuple

from torch import Tensor

from toposcope.recorder.frameworks.torch.thor.curvature.capture import Kind, LayerSums
from toposcope.recorder.frameworks.torch.thor.curvature.layers import Layer, is_embedding

Reduction = Literal["mean", "sum"]


class Factors(NamedTuple):
    """F is approximately the Kronecker product of both. Either may be reduced to its traces, (groups,)."""

    inputs: Tensor
    """A, (groups, input_size, input_size), or a diagonal (1, input_size)."""
    gradients: Tensor
    """G, (groups, output_size, output_size)."""


def factors_from(sums: LayerSums, reduction: Reduction) -> Factors:
    """Return the factors of a layer, or their traces.

    With N samples of S positions, the sums of all passes, and the gradients g of a loss that is the mean over the
    samples: A = sum(a a') / N, G = N sum(g g') / S. If the loss is the sum over the samples: G = sum(g g') / (N S).
    Accumulated passes, whose losses are divided by their number, count as one batch.
    """
    samples, positions = _at_least_1(sums.samples), _at_least_1(sums.positions)
    per_sample = samples * samples if reduction == "mean" else 1
    return Factors(sums.inputs / samples, sums.gradients * (per_sample / positions))


def _at_least_1(count: Tensor | int) -> Tensor | int:
    return max(count, 1) if isinstance(count, int) else count.clamp(min=1)


def shapes_of(layer: Layer, kind: Kind) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shapes of the factors of a layer, or of their traces."""
    if kind == "traces":
        return (layer.groups,), (layer.groups,)
    size, output = layer.input_size, layer.output_size
    return (1, size) if is_embedding(layer) else (layer.groups, size, size), (layer.groups, output, output)


def traces(matrix: Tensor) -> Tensor:
    """Return the trace of a factor for each group, shape (groups,)."""
    if matrix.ndim == 1:
        return matrix
    return matrix.sum(1) if matrix.ndim == 2 else matrix.diagonal(dim1=1, dim2=2).sum(1)
