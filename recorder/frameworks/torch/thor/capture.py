"""Capture: observes the inputs of layers and the gradients of their outputs, and sums their outer products."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from toposcope.recorder.frameworks.torch.thor.layers import Layer
from toposcope.recorder.frameworks.torch.thor.rows import Approach, outer_sums


@dataclass
class LayerSums:
    """Sums of one layer over all forward and backward passes since the last clear(); batches with NaN are left out."""

    inputs: Tensor
    gradients: Tensor
    samples: Tensor
    positions: Tensor
    last_pass: int


class Capture:
    """Sums while is_active is set; otherwise its hooks return immediately.

    The hooks stay registered: under torch.compile, hooks that are added after the first call are never called.
    Passes in evaluation mode, without gradients, and backward passes that create a graph are not observed.
    """

    def __init__(
        self, network: nn.Module, layers: Sequence[Layer], approach: Approach, scale: Callable[[], float]
    ) -> None:
        """Observe a network.

        Args:
            network: contains the layers.
            layers: to observe.
            approach: for linear layers whose input has positions.
            scale: returns the factor by which the loss is multiplied at present.
        """
        self.is_active = False
        """Whether forward passes are observed."""
        self.is_adding = True
        """Whether backward passes through observed forward passes add to the sums."""
        self.sums: dict[str, LayerSums] = {}
        self._approach, self._scale, self._pass = approach, scale, 0
        self._handles = [network.register_forward_pre_hook(self._begin_pass)]
        self._handles += [layer.module.register_forward_hook(self._observer(layer)) for layer in layers]

    def clear(self) -> None:
        """Forget the sums."""
        self.sums.clear()

    def remove(self) -> None:
        """Stop observing."""
        for handle in self._handles:
            handle.remove()

    def _begin_pass(self, *_: object) -> None:
        self._pass += 1

    def _observer(self, layer: Layer) -> Callable[[nn.Module, Any, Any], None]:
        def observe(module: nn.Module, inputs: Any, output: Any) -> None:
            if self.is_active:  # A compiled network has one graph with this condition and one without.
                self._observe(layer, inputs[0], output)

        return observe

    @torch.compiler.disable  # type: ignore[untyped-decorator]
    def _observe(self, layer: Layer, inputs: Tensor, output: Tensor) -> None:
        """Sum the products of a call when its backward pass reaches the output."""
        if not (layer.module.training and torch.is_grad_enabled() and output.requires_grad):
            return
        # Autograd keeps the input anyway. The sums are computed in the backward pass, because with checkpointed
        # activations there may be two forward passes.
        observed, number, is_added = inputs.detach(), self._pass, False

        def add(gradient: Tensor) -> None:
            nonlocal is_added
            if not is_added and self.is_adding and self.is_active and not torch.is_grad_enabled():
                is_added = True
                self._add(layer, observed, gradient, number)

        output.register_hook(add)  # type: ignore[no-untyped-call]

    def _add(self, layer: Layer, inputs: Tensor, gradient: Tensor, number: int) -> None:
        dtype = torch.promote_types(layer.weight.dtype, torch.float32)
        with torch.autocast(gradient.device.type, enabled=False):
            gradient = gradient.to(dtype) / self._scale()
            inputs = inputs if isinstance(layer.module, nn.Embedding) else inputs.to(dtype)
            batch = outer_sums(layer, inputs, gradient, self._approach)
            is_finite = torch.isfinite(batch.inputs).all() & torch.isfinite(batch.gradients).all()
            sums = self.sums.get(layer.name)
            if sums is None:
                zero = torch.zeros((), dtype=dtype, device=gradient.device)
                sums = LayerSums(
                    torch.zeros_like(batch.inputs), torch.zeros_like(batch.gradients), zero, zero.clone(), -1
                )
                self.sums[layer.name] = sums
            sums.inputs += torch.where(is_finite, batch.inputs, 0)
            sums.gradients += torch.where(is_finite, batch.gradients, 0)
            if sums.last_pass != number:  # A layer that is called several times in a pass sees the same samples.
                sums.samples += is_finite * batch.samples
                sums.last_pass = number
            sums.positions += is_finite * batch.positions
