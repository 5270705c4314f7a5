"""Curvature: the inverse factors of one layer, refreshed on due steps."""

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from toposcope.recorder.frameworks.torch.thor.factors import Factors, is_finite, traces
from toposcope.recorder.frameworks.torch.thor.inverse import damped_inverse, split_damping
from toposcope.recorder.frameworks.torch.thor.layers import Layer
from toposcope.recorder.frameworks.torch.thor.refresh import TraceRule


@dataclass(frozen=True)
class InverseSettings:
    """How factors are inverted."""

    uses_pi: bool
    block: int | None
    """Size of diagonal blocks; None: whole factors."""


@dataclass
class Curvature:
    """The inverse factors of a layer."""

    layer: Layer
    rule: TraceRule
    inverse_inputs: Tensor | None = None
    inverse_gradients: Tensor | None = None

    def refresh(self, factors: Factors, damping: float, settings: InverseSettings) -> bool:
        """Invert new factors if the trace rule decides so; return False if they are not finite or singular.

        The last good inverses are kept then.
        """
        if not is_finite(factors):
            return False
        trace = float((traces(factors.inputs) * traces(factors.gradients)).sum())
        size = self.layer.groups * self.layer.input_size * self.layer.output_size
        if self.rule.decide(trace + damping * size) != "refreshed":
            return True
        split = split_damping(factors, damping, settings.uses_pi)
        inputs = damped_inverse(factors.inputs, split.inputs, settings.block)
        gradients = damped_inverse(factors.gradients, split.gradients, settings.block)
        if inputs is None or gradients is None:
            return False
        self.inverse_inputs, self.inverse_gradients = inputs, gradients
        return True

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
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore what state_dict() returned, on the device of the layer."""
        device = self.layer.weight.device
        for name in ("inverse_inputs", "inverse_gradients"):
            tensor = state[name]
            setattr(self, name, None if tensor is None else tensor.to(device, copy=True))
        self.rule.last_trace, self.rule.is_frozen = state["last_trace"], state["is_frozen"]
