"""Sums of outer products of a layer's inputs, and of the gradients of its outputs, over a batch."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from toposcope.recorder.frameworks.torch.thor.layers import Layer

Approach = Literal["expand", "reduce"]
"""How positions that share weights are treated (Eschenhagen et al., arXiv:2311.00636).

"expand": each is a row. "reduce": inputs are averaged and gradients summed over the positions of a sample.
"""
_CHUNK_ELEMENTS = 1 << 24
"""Elements of unfolded patches in memory at a time."""


class OuterSums(NamedTuple):
    """Sums over the rows of one batch."""

    inputs: Tensor
    """(groups, input_size, input_size); of an embedding (1, input_size), the diagonal."""
    gradients: Tensor
    """(groups, output_size, output_size)."""
    samples: int
    positions: int
    """Rows: samples times positions per sample."""


def outer_sums(layer: Layer, inputs: Tensor, gradient: Tensor, approach: Approach) -> OuterSums:
    """Return the sums of a batch.

    Args:
        layer: the layer.
        inputs: its input; the first dimension counts samples, except in an unbatched input.
        gradient: the gradient of the loss with respect to its output.
        approach: for positions that share weights. Convolutions and embeddings are always expanded.
    """
    if isinstance(layer.module, nn.Embedding):
        return _embedding_sums(layer.module, inputs, gradient)
    if isinstance(layer.module, nn.Conv2d):
        return _convolution_sums(layer, layer.module, inputs, gradient)
    return _linear_sums(layer, inputs, gradient, approach)


def _linear_sums(layer: Layer, inputs: Tensor, gradient: Tensor, approach: Approach) -> OuterSums:
    samples = inputs.shape[0] if inputs.ndim > 1 else 1
    rows = inputs.reshape(samples, -1, inputs.shape[-1])
    gradients = gradient.reshape(samples, -1, gradient.shape[-1])
    if approach == "reduce":
        rows, gradients = rows.mean(1, keepdim=True), gradients.sum(1, keepdim=True)
    rows, gradients = rows.flatten(0, 1), gradients.flatten(0, 1)
    return OuterSums(_outer(_with_bias(layer, rows)[None]), _outer(gradients[None]), samples, len(rows))


def _embedding_sums(module: nn.Embedding, inputs: Tensor, gradient: Tensor) -> OuterSums:
    ids, gradients = inputs.reshape(-1), gradient.reshape(-1, gradient.shape[-1])
    if module.padding_idx is not None:  # Its row is not trained. Zeros keep the shape without a sync.
        is_used = ids != module.padding_idx
        gradients = gradients * is_used[:, None]
        counts = torch.zeros(module.num_embeddings, dtype=gradients.dtype, device=gradients.device)
        counts.index_add_(0, ids, is_used.to(gradients.dtype))
    else:
        counts = torch.bincount(ids, minlength=module.num_embeddings).to(gradients.dtype)
    samples = inputs.shape[0] if inputs.ndim else 1
    return OuterSums(counts[None], _outer(gradients[None]), samples, ids.numel())


def _convolution_sums(layer: Layer, module: nn.Conv2d, inputs: Tensor, gradient: Tensor) -> OuterSums:
    if inputs.ndim == 3:
        inputs, gradient = inputs[None], gradient[None]
    samples, groups = inputs.shape[0], layer.groups
    positions = gradient.shape[2] * gradient.shape[3]
    gradients = gradient.reshape(samples, groups, -1, positions).permute(1, 0, 3, 2).flatten(1, 2)
    sums = sum(_outer(_with_bias(layer, patches)) for patches in _patches(module, inputs, positions))
    assert isinstance(sums, Tensor)
    return OuterSums(sums, _outer(gradients), samples, samples * positions)


def _patches(module: nn.Conv2d, inputs: Tensor, positions: int) -> Iterator[Tensor]:
    """Yield the patches that a convolution multiplies, (groups, rows, size), of some samples at a time."""
    size = module.weight[0].numel() * module.groups
    step = max(1, _CHUNK_ELEMENTS // max(1, size * positions))
    for chunk in torch.split(inputs, step):
        unfolded = functional.unfold(_padded(module, chunk), module.kernel_size, module.dilation, 0, module.stride)
        yield unfolded.reshape(len(chunk), module.groups, -1, positions).permute(1, 0, 3, 2).flatten(1, 2)


def _padded(module: nn.Conv2d, inputs: Tensor) -> Tensor:
    """Return the input with the padding of a convolution, also of the modes "same" and "reflect"."""
    mode = "constant" if module.padding_mode == "zeros" else module.padding_mode
    return functional.pad(inputs, module._reversed_padding_repeated_twice, mode)


def _with_bias(layer: Layer, rows: Tensor) -> Tensor:
    """Append a column of ones, the input of the bias."""
    if layer.bias is None:
        return rows
    return torch.cat([rows, rows.new_ones((*rows.shape[:-1], 1))], -1)


def _outer(rows: Tensor) -> Tensor:
    """Return the sum of outer products of rows, (groups, rows, size) to (groups, size, size)."""
    return rows.transpose(1, 2) @ rows
