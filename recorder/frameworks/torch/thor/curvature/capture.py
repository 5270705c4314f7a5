"""Capture: observes the inputs of layers and the gradients of their outputs, and sums their outer products."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import torch
from torch import Tensor, nn

from toposcope.recorder import log
from toposcope.recorder.frameworks.torch.thor.curvature.layers import Layer, factor_dtype
from toposcope.recorder.frameworks.torch.thor.curvature.rows import Approach, RowSums, outer_sums, trace_sums

Kind = Literal["products", "traces"]
"""What is summed: outer products or only their traces."""


@dataclass
class LayerSums:
    """Sums of one layer over the backward passes since the last clear(); passes that are not finite are left out."""

    inputs: Tensor
    """See RowSums."""
    gradients: Tensor
    samples: Tensor | int
    positions: Tensor | int


@dataclass(eq=False)
class _Call:
    """One call of a layer."""

    inputs: Tensor
    gradient: Tensor | None = None
    backward: int = -1
    """PyTorch's number of the backward pass that computed the gradient."""
    is_summed: bool = False


@dataclass
class Capture:
    """Sums while is_active is set; otherwise its hooks return immediately.

    The hooks stay registered, also those of modules that are no layers yet: under torch.compile, hooks that are added
    after the first call are never called. Calls in evaluation mode and without gradients are not observed. A call
    counts when the gradient of the layer's weight is accumulated, so torch.autograd.grad() changes nothing, and neither
    does a recomputed activation.
    """

    approach: Approach
    """For linear layers whose input has positions."""
    scale: Callable[[], float]
    """Returns the factor by which the loss is multiplied at present."""
    samples_labels: bool
    """Whether only backward passes in sampling() count."""
    is_active: bool = False
    """Whether any layer is observed; one condition for all, because each change recompiles a compiled network."""
    sums: dict[str, LayerSums] = field(default_factory=dict)
    """The sums, by the names of layers."""
    _observers: dict[nn.Module, _Observer] = field(default_factory=dict)
    _kinds: Mapping[str, Kind] = field(default_factory=dict)
    _pending: dict[str, list[_Call]] = field(default_factory=dict)
    _is_sampling: bool = False
    _step: int = 0
    _last_scale: tuple[int, float] = (-1, 1.0)
    _has_failed: bool = False

    def prepare(self, modules: Iterable[nn.Module]) -> None:
        """Register the forward hooks of modules, which return immediately until the modules are added as layers."""
        for module in modules:
            if module not in self._observers:
                self._observers[module] = observer = _Observer(self)
                module.register_forward_hook(observer, with_kwargs=True)

    def add(self, layer: Layer) -> None:
        """Observe a layer, whose module is prepared, from the next due step on."""
        self._observers[layer.module].layer = layer
        if not self.samples_labels:
            weight: Any = layer.weight
            weight.register_post_accumulate_grad_hook(lambda _: self._sum_pending(layer))

    def begin(self, kinds: Mapping[str, Kind]) -> None:
        """Forget everything and sum for these layers from now on."""
        self.clear()
        self._kinds, self.is_active = kinds, bool(kinds)
        self._step += 1

    def clear(self) -> None:
        """Forget the sums."""
        self.sums.clear()
        self._pending.clear()

    def divide(self, scale: float) -> None:
        """Divide gradients by a scale that scale() did not contain while they were summed."""
        for sums in self.sums.values():
            sums.gradients.div_(scale).div_(scale)

    @contextmanager
    def sampling(self, layers: Mapping[str, Layer]) -> Iterator[None]:
        """Sum the gradients that autograd computes in the context."""
        self._is_sampling = True
        try:
            yield
            for name in list(self._pending):
                self._sum(layers[name], self._pending.pop(name), 1.0)
        finally:
            self._is_sampling = False
            self._pending.clear()

    def is_observed(self, layer: Layer) -> bool:
        """Return whether a layer is observed."""
        return layer.name in self._kinds

    @torch.compiler.disable
    def observe(self, layer: Layer, inputs: Tensor, output: Tensor) -> None:
        """Sum the products of a call after its backward pass; a failure only costs the factors of the layer."""
        if layer.name not in self._kinds or not layer.module.training:
            return
        try:
            self._observe(layer, inputs, output)
        except Exception as error:
            self._fail(layer, error)

    def _observe(self, layer: Layer, inputs: Tensor, output: Tensor) -> None:
        if not (torch.is_grad_enabled() and output.requires_grad):
            return
        if layer.weight.grad is None and not self.samples_labels:
            self.sums.pop(layer.name, None)  # The gradients of these sums were dropped: the step was skipped.
        inputs = inputs.detach()
        if inputs.is_floating_point():
            # What autocast computes with. Its copy, unlike the input, cannot be changed in place before the backward.
            inputs = inputs.to(output.dtype)
        output.register_hook(partial(self._receive, layer.name, self._step, _Call(inputs)))  # type: ignore[no-untyped-call, unused-ignore]

    def _receive(self, name: str, step: int, call: _Call, gradient: Tensor) -> None:
        """Keep a gradient until that of the weight is accumulated by the same backward pass."""
        if step != self._step or call.is_summed or self._is_sampling != self.samples_labels:
            return
        call.gradient, call.backward = gradient.detach(), torch._C._current_graph_task_id()
        calls = self._pending.setdefault(name, [])
        if call not in calls:
            calls.append(call)

    def _sum_pending(self, layer: Layer) -> None:
        if not self._pending:
            return
        backward = torch._C._current_graph_task_id()
        calls = [call for call in self._pending.pop(layer.name, ()) if call.backward == backward]
        if not calls:
            return
        try:
            if self._last_scale[0] != backward:
                self._update_scale(backward)
            self._sum(layer, calls, self._last_scale[1])
        except Exception as error:
            self._fail(layer, error)

    def _fail(self, layer: Layer, error: Exception) -> None:
        self.sums.pop(layer.name, None)
        if not self._has_failed:
            self._has_failed = True
            log.warn("THOR: layer %s cannot be observed: %s: %s", layer.name, type(error).__name__, error)

    def _update_scale(self, backward: int) -> None:
        """Read the scale of the loss, once per backward pass. A GradScaler that lowers it has skipped the step."""
        scale = self.scale()
        if scale != self._last_scale[1]:
            self.sums.clear()
        self._last_scale = (backward, scale)

    @torch.no_grad()
    def _sum(self, layer: Layer, calls: list[_Call], scale: float) -> None:
        """Add the calls of a backward pass. Calls of the same pass see the same samples."""
        dtype = factor_dtype(layer)
        row_sums = outer_sums if self._kinds[layer.name] == "products" else trace_sums
        parts: list[RowSums] = []
        with torch.autocast(layer.weight.device.type, enabled=False):
            for call in calls:
                assert call.gradient is not None
                inputs = call.inputs if isinstance(layer.module, nn.Embedding) else call.inputs.to(dtype)
                gradient = call.gradient.to(dtype)
                if scale != 1.0:  # Before they are squared: the squares of scaled gradients may overflow.
                    gradient = gradient / scale
                parts.append(row_sums(layer, inputs, gradient, self.approach))
                call.gradient = None
                if not self.samples_labels:
                    call.is_summed = True
                    del call.inputs
        first, *others = parts
        for other in others:
            first.inputs.add_(other.inputs)
            first.gradients.add_(other.gradients)
        samples, positions = max(part.samples for part in parts), sum(part.positions for part in parts)
        total = LayerSums(first.inputs, first.gradients, samples, positions)
        earlier = self.sums.get(layer.name)
        self.sums[layer.name] = total if earlier is None else _added(earlier, total)


def _added(one: LayerSums, other: LayerSums) -> LayerSums:
    """Return the sum of both; what is not finite counts as nothing."""
    first, second = _is_finite(one), _is_finite(other)

    def add(name: str) -> Tensor:
        left, right = (
            each if isinstance(each, Tensor) else one.inputs.new_full((), each)
            for each in (getattr(one, name), getattr(other, name))
        )
        return torch.where(first, left, 0) + torch.where(second, right, 0)

    # If neither is finite, nothing remains: the sums must not look like those of a layer without gradients.
    nothing = torch.where(first | second, 1.0, torch.nan)
    return LayerSums(add("inputs") * nothing, add("gradients"), add("samples"), add("positions"))


def _is_finite(sums: LayerSums) -> Tensor:
    """Return whether all rows were finite. The sums of squares show it: they are the diagonals of the products."""
    squares = [each.diagonal(dim1=1, dim2=2) if each.ndim == 3 else each for each in (sums.inputs, sums.gradients)]
    return torch.isfinite(squares[0]).all() & torch.isfinite(squares[1]).all()


@dataclass
class _Observer:
    """A forward hook. A copy of the network, also a pickled one, is not observed: its hooks do nothing."""

    capture: Capture
    layer: Layer | None = None
    """None: the module is no layer yet."""

    def __call__(self, module: nn.Module, inputs: Any, keywords: Mapping[str, Any], output: Any) -> None:
        # A compiled network has one graph with the first condition and one without.
        if self.capture.is_active and self.layer is not None:
            self.capture.observe(self.layer, inputs[0] if inputs else keywords["input"], output)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Unobserved, ()


class _Unobserved:
    """The forward hook of a copy."""

    def __call__(self, *_: object) -> None:
        """Do nothing."""
