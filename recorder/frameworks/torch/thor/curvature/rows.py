"""Sums of outer products of a layer's inputs, and of the gradients of its outputs, over a batch; and their traces."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from toposcope.recorder.frameworks.torch.thor.curvature.layers import Layer

Approach = Literal["expand", "reduce"]
"""How positions that share weights are treated (Eschenhagen et al., arXiv:2311.00636).

"expand": each is a row. "reduce": inputs are averaged and gradients summed over the positions of a sample.
"""
_CHUNK_ELEMENTS = 1 << 24
"""Elements of unfolded patches in memory at a time."""


class RowSums(NamedTuple):
    """Sums over the rows of one batch."""

    inputs: Tensor
    """Outer products, (groups, input_size, input_size), of an embedding (1, input_size), the diagonal; or their
    traces, (groups,)."""
    gradients: Tensor
    """Outer products, (groups, output_size, output_size), or their traces, (groups,)."""
    samples: int
    positions: int
    """Rows: samples times positions per sample."""


def outer_sums(layer: Layer, inputs: Tensor, gradient: Tensor, approach: Approach) -> RowSums:
    """Return the sums of outer products of a batch.

    Args:
        layer: the layer.
        inputs: its input; the first dimension counts samples, except in an unbatched input.
        gradient: the gradient of the loss with respect to its output.
        approach: for positions that share weights in linear layers. Convolutions and embeddings are always expanded.
    """
    if isinstance(layer.module, nn.Embedding):
        ids, gradients, samples = _embedding_rows(layer.module, inputs, gradient)
        counts = gradients.new_zeros(layer.input_size).index_add_(0, ids, _used(layer.module, ids).to(gradients.dtype))
        return RowSums(counts[None], _outer(gradients.t()[None], False), samples, len(ids))
    has_bias = layer.bias is not None
    if isinstance(layer.module, nn.Conv2d):
        inputs, gradients = _batched(inputs), _convolution_gradients(layer, _batched(gradient))
        products = [_outer(patches, has_bias) for patches in _patches(layer.module, inputs, gradient.shape[-2:])]
        total = products[0] if len(products) == 1 else torch.stack(products).sum(0)
        return RowSums(total, _outer(gradients, False), len(inputs), gradients.shape[2])
    rows, gradients, samples = _linear_rows(inputs, gradient, approach)
    return RowSums(_outer(rows.t()[None], has_bias), _outer(gradients.t()[None], False), samples, len(rows))


def trace_sums(layer: Layer, inputs: Tensor, gradient: Tensor, approach: Approach) -> RowSums:
    """Return the traces of what outer_sums() returns, the sums of squares of the rows, without outer products."""
    if isinstance(layer.module, nn.Embedding):
        ids, gradients, samples = _embedding_rows(layer.module, inputs, gradient)
        used = _used(layer.module, ids).sum().to(gradients.dtype)
        return RowSums(used[None], gradients.square().sum()[None], samples, len(ids))
    has_bias = layer.bias is not None
    if isinstance(layer.module, nn.Conv2d):
        inputs, gradients = _batched(inputs), _convolution_gradients(layer, _batched(gradient))
        squares = _patch_squares(layer.module, inputs) + has_bias * gradients.shape[2]
        return RowSums(squares, gradients.square().sum((1, 2)), len(inputs), gradients.shape[2])
    rows, gradients, samples = _linear_rows(inputs, gradient, approach)
    squares = rows.square().sum()[None] + has_bias * len(rows)
    return RowSums(squares, gradients.square().sum()[None], samples, len(rows))


def _linear_rows(inputs: Tensor, gradient: Tensor, approach: Approach) -> tuple[Tensor, Tensor, int]:
    """Return the inputs (rows, size), the gradients (rows, size), and the number of samples."""
    samples = inputs.shape[0] if inputs.ndim > 1 else 1
    if approach == "reduce" and inputs.ndim > 2:
        inputs, gradient = inputs.flatten(1, -2).mean(1), gradient.flatten(1, -2).sum(1)
    return inputs.reshape(-1, inputs.shape[-1]), gradient.reshape(-1, gradient.shape[-1]), samples


def _embedding_rows(module: nn.Embedding, inputs: Tensor, gradient: Tensor) -> tuple[Tensor, Tensor, int]:
    """Return the ids (rows,), the gradients (rows, size), zero for padding, and the number of samples."""
    ids, gradients = inputs.reshape(-1), gradient.reshape(-1, gradient.shape[-1])
    if module.padding_idx is not None:  # Zeros keep the shape, without a sync.
        gradients = gradients * _used(module, ids)[:, None]
    return ids, gradients, inputs.shape[0] if inputs.ndim else 1


def _used(module: nn.Embedding, ids: Tensor) -> Tensor:
    """Return which ids have a row that is trained: all but padding."""
    return torch.ones_like(ids, dtype=torch.bool) if module.padding_idx is None else ids != module.padding_idx


def _batched(images: Tensor) -> Tensor:
    return images[None] if images.ndim == 3 else images


def _convolution_gradients(layer: Layer, gradient: Tensor) -> Tensor:
    """Return the gradients at all positions, (groups, output_size, rows)."""
    samples = len(gradient)
    return gradient.reshape(samples, layer.groups, layer.output_size, -1).permute(1, 2, 0, 3).flatten(2)


def _patches(module: nn.Conv2d, inputs: Tensor, positions: torch.Size) -> Iterator[Tensor]:
    """Yield the patches that a convolution multiplies, (groups, size, rows), of some samples at a time."""
    size = module.weight[0].numel() * module.groups
    step = max(1, _CHUNK_ELEMENTS // max(1, size * positions.numel()))
    for chunk in torch.split(inputs, step):
        padded = _padded(module, chunk)
        sample, channel, row, column = padded.stride()
        (down, right), (low, wide) = module.stride, module.dilation
        patches = padded.as_strided(
            (padded.shape[1], *module.kernel_size, len(chunk), *positions),
            (channel, row * low, column * wide, sample, row * down, column * right),
        )
        yield patches.reshape(module.groups, size // module.groups, -1)


def _patch_squares(module: nn.Conv2d, inputs: Tensor) -> Tensor:
    """Return the sum of squares of the patches, (groups,)."""
    squares = _padded(module, inputs).square()
    squares = squares.reshape(len(inputs), module.groups, -1, *squares.shape[2:]).sum(2)
    kernel = squares.new_ones((module.groups, 1, *module.kernel_size))
    sums = functional.conv2d(squares, kernel, None, module.stride, 0, module.dilation, module.groups)
    return sums.sum((0, 2, 3))


def _padded(module: nn.Conv2d, inputs: Tensor) -> Tensor:
    """Return the input with the padding of a convolution, also of the modes "same" and "reflect"."""
    mode = "constant" if module.padding_mode == "zeros" else module.padding_mode
    return functional.pad(inputs, module._reversed_padding_repeated_twice, mode)


def _outer(columns: Tensor, has_bias: bool) -> Tensor:
    """Return the sum of outer products of columns, (groups, size, rows) to (groups, size, size).

    With has_bias, a last entry of each column is 1: the input of the bias.
    """
    product = torch.bmm(columns, columns.transpose(1, 2))
    if not has_bias:
        return product
    groups, size, rows = columns.shape
    matrix = columns.new_full((groups, size + 1, size + 1), rows)
    matrix[:, :size, :size] = product
    matrix[:, size, :size] = matrix[:, :size, size] = columns.sum(2)
    return matrix
