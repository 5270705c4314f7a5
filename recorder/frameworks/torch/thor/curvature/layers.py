"""The layers that THOR preconditions: linear layers, convolutions and embeddings with their own parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

import torch
from torch import Tensor, nn

_FORWARDS = (nn.Linear.forward, nn.Conv2d.forward, nn.Embedding.forward)


class Layer(NamedTuple):
    """A layer whose gradient is preconditioned."""

    name: str
    module: nn.Module
    weight: Tensor
    bias: Tensor | None
    """None if there is none or if it is not trained."""
    groups: int
    """Independent parts of the layer: the groups of a convolution, otherwise 1."""

    @property
    def input_size(self) -> int:
        """Rows of the input's factor per group, the bias included."""
        if is_embedding(self):
            return int(self.weight.shape[0])
        return int(self.weight[0].numel()) + (self.bias is not None)

    @property
    def output_size(self) -> int:
        """Rows of the output's factor per group."""
        return int(self.weight.shape[1] if is_embedding(self) else self.weight.shape[0] // self.groups)


class Layers(NamedTuple):
    """The layers of a network."""

    preconditioned: list[Layer]
    excluded: list[str]
    """Names of trainable parameters that are updated by plain momentum."""


def layers_of(network: nn.Module, trained: Collection[int]) -> Layers:
    """Return the layers of a network that can be preconditioned.

    Excluded are weights that several modules share, frozen and parametrized weights, sharded ones, embeddings with
    max_norm, sparse gradients or scale_grad_by_freq, lazy modules without parameters yet, subclasses with their own
    forward(), modules whose forward() is not called (the output projection of nn.MultiheadAttention), and all other
    modules.

    Args:
        network: the network.
        trained: ids of the parameters that the optimizer has.
    """
    users = Counter(id(parameter) for module in network.modules() for parameter in module.parameters(recurse=False))
    uncalled = {id(each.out_proj) for each in network.modules() if isinstance(each, nn.MultiheadAttention)}
    own = {
        id(parameter)
        for parameter in network.parameters()
        if id(parameter) in trained and parameter.requires_grad and users[id(parameter)] == 1
    }
    layers = [
        layer
        for name, module in network.named_modules()
        if id(module) not in uncalled and (layer := _layer(name, module, own)) is not None
    ]
    members = {id(parameter) for layer in layers for parameter in _members(layer)}
    rest = {name: each for name, each in network.named_parameters() if id(each) in trained and each.requires_grad}
    return Layers(layers, [name for name, each in rest.items() if id(each) not in members])


def modules_of(network: nn.Module) -> list[nn.Module]:
    """Return the modules that are layers if the optimizer has their weights."""
    return [module for module in network.modules() if type(module).forward in _FORWARDS]


def is_embedding(layer: Layer) -> bool:
    """Return whether the input of a layer is an index, so that the input's factor is diagonal."""
    return isinstance(layer.module, nn.Embedding)


def factor_dtype(layer: Layer) -> torch.dtype:
    """Return the dtype of the factors and inverses of a layer: at least float32."""
    return torch.promote_types(layer.weight.dtype, torch.float32)


def gradient_matrix(layer: Layer) -> Tensor:
    """Return the gradient of a layer, shape (groups, output_size, input_size); the bias is the last column."""
    weight = layer.weight.grad
    assert weight is not None
    if is_embedding(layer):
        return weight.t()[None]
    matrix = weight.reshape(layer.groups, layer.output_size, -1)
    if layer.bias is None:
        return matrix
    bias = torch.zeros_like(layer.bias) if layer.bias.grad is None else layer.bias.grad
    return torch.cat([matrix, bias.reshape(layer.groups, -1, 1)], 2)


def split_matrix(layer: Layer, matrix: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield the parameters of a layer with their parts of a matrix such as gradient_matrix() returns."""
    if is_embedding(layer):
        yield layer.weight, matrix[0].t()
    elif layer.bias is None:
        yield layer.weight, matrix.reshape(layer.weight.shape)
    else:
        yield layer.weight, matrix[:, :, :-1].reshape(layer.weight.shape)
        yield layer.bias, matrix[:, :, -1].reshape(layer.bias.shape)


def _members(layer: Layer) -> list[Tensor]:
    return [layer.weight] if layer.bias is None else [layer.weight, layer.bias]


def _layer(name: str, module: nn.Module, own: Collection[int]) -> Layer | None:
    """Return a module as a layer; None if it is not preconditioned."""
    if not isinstance(module, nn.Linear | nn.Conv2d | nn.Embedding) or not _has_plain_weight(module):
        return None
    if id(module.weight) not in own or type(module).forward not in _FORWARDS:
        return None
    if isinstance(module, nn.Embedding):
        is_plain = module.max_norm is None and not module.sparse and not module.scale_grad_by_freq
        return Layer(name, module, module.weight, None, 1) if is_plain else None
    bias = module.bias if module.bias is not None and id(module.bias) in own else None
    return Layer(name, module, module.weight, bias, module.groups if isinstance(module, nn.Conv2d) else 1)


def _has_plain_weight(module: nn.Module) -> bool:
    """Return whether the weight is the module's own parameter: not parametrized, lazy, or sharded (DTensor)."""
    return type(module._parameters.get("weight")) is nn.Parameter
