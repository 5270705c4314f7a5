"""Curvature: the inverse factors of one layer, refreshed on due steps."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor

from toposcope.recorder.frameworks.torch.thor.factors import Factors, is_finite, traces
from toposcope.recorder.frameworks.torch.thor.inverse import Damping, damped_inverse, split_damping
from toposcope.recorder.frameworks.torch.thor.layers import Layer
from toposcope.recorder.frameworks.torch.thor.refresh import TraceRule


@dataclass(frozen=True)
class InverseSettings:
    """How factors are inverted."""

    uses_pi: bool
    block: int | None
    """Size of diagonal blocks; None: whole factors."""


class Traces(NamedTuple):
    """Traces of both factors, without damping."""

    inputs: Tensor
    """tr A, (groups,)."""
    gradients: Tensor
    """tr G, (groups,)."""


class Norms(NamedTuple):
    """Euclidean norms of a layer's gradient in one step, before weight decay and clipping."""

    natural: Tensor
    """Of the preconditioned gradient, without dimensions."""
    plain: Tensor
    """Of the gradient, without dimensions."""


@dataclass
class Curvature:
    """The inverse factors of a layer, and what is known of them. Tensors stay on the device: reading them is a sync."""

    layer: Layer
    rule: TraceRule
    inverse_inputs: Tensor | None = None
    inverse_gradients: Tensor | None = None
    damping: Damping | None = None
    """What was added to the diagonals of both factors at the last refresh, (groups,) each; their product is the
    damping of the parameter group."""
    traces: Traces | None = None
    """Of the last batch on which the trace rule decided or the layer was refreshed."""
    decision: Literal["refreshed", "kept", "frozen", "failed"] | None = None
    """On the last due step; "failed": the factors were missing, not finite or singular, and the last inverses stay."""
    refreshes: int = 0
    """How often the inverses were computed."""
    norms: Norms | None = None
    """Of the last step, if `measures_norms` of the optimizer is set; else None."""

    def refresh(self, factors: Factors, damping: float, settings: InverseSettings) -> bool:
        """Invert new factors if the trace rule decides so; return False if they are not finite or singular.

        The last good inverses are kept then.
        """
        self.decision = "failed"
        if not is_finite(factors):
            return False
        self.traces = Traces(traces(factors.inputs), traces(factors.gradients))
        trace = float((self.traces.inputs * self.traces.gradients).sum())
        size = self.layer.groups * self.layer.input_size * self.layer.output_size
        decision = self.rule.decide(trace + damping * size)
        if decision != "refreshed":
            self.decision = decision
            return True
        split = split_damping(factors, damping, settings.uses_pi)
        inputs = damped_inverse(factors.inputs, split.inputs, settings.block)
        gradients = damped_inverse(factors.gradients, split.gradients, settings.block)
        if inputs is None or gradients is None:
            return False
        self.inverse_inputs, self.inverse_gradients = inputs, gradients
        self.damping, self.decision = split, "refreshed"
        self.refreshes += 1
        return True

    def condition_numbers(self) -> Tensor | None:
        """Return the condition numbers of both damped factors, the largest of their groups, shape (2,); or None.

        Costs the eigenvalues of both inverses.
        """
        if self.inverse_inputs is None or self.inverse_gradients is None:
            return None
        return torch.stack([_condition_number(each) for each in (self.inverse_inputs, self.inverse_gradients)])

    def natural(self, gradient: Tensor) -> Tensor:
        """Return G^-1 * gradient * A^-1, of the shape (groups, output_size, input_size) and dtype of the gradient."""
        inputs, gradients = self.inverse_inputs, self.inverse_gradients
        if inputs is None or gradients is None:
            return gradient
        matrix = gradients @ gradient.to(gradients.dtype)
        natural = matrix * inputs[:, None, :] if inputs.ndim == 2 else matrix @ inputs
        return natural.to(gradient.dtype)

    def state_dict(self) -> dict[str, Any]:
        """Return what load_state_dict() needs to continue with the same bits."""
        return {
            "inverse_inputs": self.inverse_inputs,
            "inverse_gradients": self.inverse_gradients,
            "last_trace": self.rule.last_trace,
            "is_frozen": self.rule.is_frozen,
            "refreshes": self.refreshes,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what state_dict() returned, on the device of the layer."""
        device = self.layer.weight.device
        for name in ("inverse_inputs", "inverse_gradients"):
            tensor = state[name]
            setattr(self, name, None if tensor is None else tensor.to(device, copy=True))
        self.rule.last_trace, self.rule.is_frozen = state["last_trace"], state["is_frozen"]
        self.refreshes = state["refreshes"]


def _condition_number(inverse: Tensor) -> Tensor:
    values = inverse if inverse.ndim == 2 else torch.linalg.eigvalsh(inverse)
    largest = values.amax(-1)
    # Rounding may make the smallest eigenvalue of an ill-conditioned matrix negative.
    return (largest / values.amin(-1).maximum(largest * torch.finfo(values.dtype).eps)).max()
