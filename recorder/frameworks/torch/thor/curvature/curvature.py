"""Curvature: the inverse factors of one layer, and what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from toposcope.recorder.frameworks.torch.thor.curvature.factors import Factors
from toposcope.recorder.frameworks.torch.thor.curvature.inverse import Block, PerGroup, blocks_of, split_damping
from toposcope.recorder.frameworks.torch.thor.curvature.layers import Layer, factor_dtype, is_embedding
from toposcope.recorder.frameworks.torch.thor.curvature.refresh import Decision, TraceRule


@dataclass(frozen=True)
class InverseSettings:
    """How factors are inverted."""

    uses_pi: bool
    block: int | None
    """Size of diagonal blocks; None: whole factors."""


class OfFactors(NamedTuple):
    """Numbers of both factors, tensors of the CPU."""

    inputs: Tensor
    """The numbers of A, of shape (groups,)."""
    gradients: Tensor
    """The numbers of G, of shape (groups,)."""


class Norms(NamedTuple):
    """Euclidean norms of a layer's gradient in one step, before weight decay and clipping."""

    natural: Tensor
    """The norm of the preconditioned gradient, without dimensions."""
    plain: Tensor
    """The norm of the gradient, without dimensions."""


class Average(NamedTuple):
    """A running average of factors and their traces."""

    factors: Factors
    traces: PerGroup

    def averaged(self, factors: Factors, traces: PerGroup, decay: float) -> Average:
        """Return the average with new factors, without changing either."""
        matrices = (last.lerp(new, 1 - decay) for last, new in zip(self.factors, factors, strict=True))
        numbers = (
            tuple(decay * last + (1 - decay) * new for last, new in zip(*each, strict=True))
            for each in zip(self.traces, traces, strict=True)
        )
        return Average(Factors(*matrices), PerGroup(*numbers))


Inverse = tuple[Tensor, ...]
"""Inverses of the diagonal blocks, (groups, block, block) each; or the only one of a diagonal factor, (1, size)."""


@dataclass
class Curvature:
    """The inverse factors of a layer, and what is known of them. Reading `norms` and inverses waits for the device."""

    layer: Layer
    rule: TraceRule
    settings: InverseSettings
    inverse_inputs: Inverse | None = None
    inverse_gradients: Inverse | None = None
    average: Average | None = None
    """The running average of the factors; None if there is no decay."""
    decision: Literal["refreshed", "kept", "frozen", "failed"] | None = None
    """On the last due step; "failed": the factors were missing, not finite or singular, and the last inverses stay."""
    refreshes: int = 0
    """How often the inverses were computed."""
    planned: Decision | None = None
    """What the trace rule decided, one step before, for the next due step; None: it decides on the due step."""
    norms: Norms | None = None
    """The norms of the last step, if `measures_norms` of the optimizer is set; else None."""
    _damping: PerGroup | None = None
    _traces: PerGroup | None = None
    _diagonal: Tensor | None = None
    """The inverse of the input's factor of an embedding, until refresh()."""

    def condition_numbers(self) -> Tensor | None:
        """Return the condition numbers of both damped factors, the largest of their groups and blocks, shape (2,).

        None before the first refresh. Costs the eigenvalues of both inverses.
        """
        if self.inverse_inputs is None or self.inverse_gradients is None:
            return None
        return torch.stack([_condition_number(each) for each in (self.inverse_inputs, self.inverse_gradients)])

    @property
    def damping(self) -> OfFactors | None:
        """What was added to the diagonals of both factors at the last refresh; the product is that of the group."""
        return None if self._damping is None else OfFactors(*map(torch.tensor, self._damping))

    @property
    def traces(self) -> OfFactors | None:
        """Traces, without damping, of the last batch on which the trace rule decided or the layer was refreshed."""
        return None if self._traces is None else OfFactors(*map(torch.tensor, self._traces))

    def take_traces(self, traces: PerGroup, damping: float) -> float:
        """Remember the traces of a batch; return the trace of F + damping * I."""
        self._traces = traces
        size = self.layer.groups * self.layer.input_size * self.layer.output_size
        return sum(a * g for a, g in zip(*traces, strict=True)) + damping * size

    def damped_blocks(self, factors: Factors, damping: float, decay: float) -> list[Block]:
        """Return what is to be inverted on a refresh; refresh() takes the inverses.

        Args:
            factors: of the batch whose traces take_traces() got.
            damping: of F.
            decay: share of the last factors that is kept.
        """
        assert self._traces is not None
        traces = self._traces
        if decay:
            last = self.average or Average(factors, traces)
            self.average = last.averaged(factors, traces, decay)
            factors, traces = self.average
        sizes = (self.layer.input_size, self.layer.output_size)
        split = self._damping = split_damping(traces, sizes, damping, self.settings.uses_pi)
        blocks = [] if is_embedding(self.layer) else _blocks(factors.inputs, self._slices[0], split.inputs)
        if is_embedding(self.layer):
            self._diagonal = 1 / (factors.inputs + split.inputs[0])
        return blocks + _blocks(factors.gradients, self._slices[1], split.gradients)

    def refresh(self, inverses: Sequence[Tensor | None]) -> None:
        """Take the inverses of damped_blocks(). If there is None, the last ones stay."""
        found = [each for each in inverses if each is not None]
        if len(found) < len(inverses):
            self.fail()
            return
        number = 0 if self._diagonal is not None else len(self._slices[0])
        self.inverse_inputs = tuple(found[:number]) if self._diagonal is None else (self._diagonal,)
        self.inverse_gradients = tuple(found[number:])
        self.decision = "refreshed"
        self.refreshes += 1

    def fail(self) -> None:
        """Keep the last inverses; the next due step refreshes whatever the trace rule says."""
        self.decision, self.rule.last_trace = "failed", None

    def natural(self, gradient: Tensor) -> Tensor:
        """Return G^-1 * gradient * A^-1, a new tensor of shape (groups, output_size, input_size) and the same dtype."""
        inputs, gradients = self.inverse_inputs, self.inverse_gradients
        if inputs is None or gradients is None:
            return gradient.clone()
        matrix = gradient.to(gradients[0].dtype)
        matrix = matrix * inputs[0][:, None, :] if inputs[0].ndim == 2 else _times_blocks(matrix, inputs)
        return _blocks_times(gradients, matrix).to(gradient.dtype)

    def state_dict(self) -> dict[str, Any]:
        """Return what load_state_dict() needs to continue with the same bits."""
        return {
            "inverse_inputs": self.inverse_inputs,
            "inverse_gradients": self.inverse_gradients,
            "average": None if self.average is None else [tuple(each) for each in self.average],
            "last_trace": self.rule.last_trace,
            "is_frozen": self.rule.is_frozen,
            "refreshes": self.refreshes,
            "planned": self.planned,
            "decision": self.decision,
        }

    def check_state(self, state: dict[str, Any]) -> None:
        """Raise ValueError if the inverses of what state_dict() returned have blocks of other sizes."""
        for name, parts in zip(("inverse_inputs", "inverse_gradients"), self._slices, strict=True):
            expected = [part.stop - part.start for part in parts]
            if state[name] is not None and [len(each[0]) for each in state[name]] != expected:
                raise ValueError(
                    f"state_dict must contain {name} of {self.layer.name!r} in blocks of {expected} rows, not "
                    f"{[len(each[0]) for each in state[name]]}."
                )

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what state_dict() returned, on the device of the layer and in the dtype of its factors."""
        weight = self.layer.weight
        for name in ("inverse_inputs", "inverse_gradients"):
            inverse = state[name]
            if inverse is not None:
                inverse = tuple(each.to(weight.device, factor_dtype(self.layer), copy=True) for each in inverse)
            setattr(self, name, inverse)
        self.average = None
        if state["average"] is not None:
            factors, traces = state["average"]
            moved = (each.to(weight.device, factor_dtype(self.layer), copy=True) for each in factors)
            self.average = Average(Factors(*moved), PerGroup(*traces))
        self.rule.last_trace, self.rule.is_frozen = state["last_trace"], state["is_frozen"]
        self.refreshes = state["refreshes"]
        self.planned, self.decision = state["planned"], state["decision"]

    @cached_property
    def _slices(self) -> tuple[list[slice], list[slice]]:
        """Return the places of the blocks of both factors."""
        layer, block = self.layer, self.settings.block
        inputs = None if is_embedding(layer) else block
        return (
            list(blocks_of(layer.input_size, inputs, layer.bias is not None)),
            list(blocks_of(layer.output_size, block, False)),
        )


def _blocks(matrix: Tensor, slices: Sequence[slice], damping: tuple[float, ...]) -> list[Block]:
    if len(slices) == 1:
        return [Block(matrix, damping)]
    return [Block(matrix[:, part, part], damping) for part in slices]


def _times_blocks(matrix: Tensor, blocks: Inverse) -> Tensor:
    """Return matrix * block diagonal, (groups, rows, columns)."""
    if len(blocks) == 1:
        return _product(matrix, blocks[0])
    parts = torch.split(matrix, [block.shape[-1] for block in blocks], 2)
    return torch.cat([_product(part, block) for part, block in zip(parts, blocks, strict=True)], 2)


def _blocks_times(blocks: Inverse, matrix: Tensor) -> Tensor:
    """Return block diagonal * matrix, (groups, rows, columns)."""
    if len(blocks) == 1:
        return _product(blocks[0], matrix)
    parts = torch.split(matrix, [block.shape[-1] for block in blocks], 1)
    return torch.cat([_product(block, part) for part, block in zip(parts, blocks, strict=True)], 1)


def _product(one: Tensor, other: Tensor) -> Tensor:
    """Return the products of matrices; for a single one without the costs of a batch."""
    return (one[0] @ other[0])[None] if len(one) == 1 else one @ other


def _condition_number(inverse: Inverse) -> Tensor:
    numbers = []
    for block in inverse:
        values = block if block.ndim == 2 else torch.linalg.eigvalsh(block)
        largest = values.amax(-1)
        # Rounding may make the smallest eigenvalue of an ill-conditioned matrix negative.
        numbers.append((largest / values.amin(-1).maximum(largest * torch.finfo(values.dtype).eps)).max())
    return torch.stack(numbers).max()
