"""Statistics of the curvature of each layer as scalars: damping, traces, condition numbers, gradients, refreshes."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from weakref import ref

import torch
from torch import Tensor

from toposcope.recorder.frameworks.torch.thor.curvature import Curvature
from toposcope.recorder.frameworks.torch.thor.layers import gradient_matrix

Scalars = dict[str, float | Tensor]
"""Numbers, and tensors without dimensions that may be on a device, by tag."""


class CurvatureStatistics:
    """Remembers condition numbers, so that they are computed once for each inverse."""

    def __init__(self) -> None:
        self._conditions: dict[str, _Conditions] = {}

    @torch.no_grad()
    def scalars(self, curvatures: Mapping[str, Curvature], dampings: Sequence[float]) -> Scalars:
        """Return the statistics of all layers, and the damping of each parameter group; see Thor."""
        tags = ["thor/damping"] if len(dampings) == 1 else [f"thor/damping/group{i}" for i in range(len(dampings))]
        return dict(zip(tags, dampings, strict=True)) | {
            f"thor/{quantity}/{name or 'network'}": value
            for name, curvature in curvatures.items()
            for quantity, value in self._of_layer(name, curvature).items()
        }

    def _of_layer(self, name: str, curvature: Curvature) -> Scalars:
        scalars: Scalars = {"refreshes": float(curvature.refreshes)}
        if curvature.rule.thresholds is not None:
            scalars["frozen"] = float(curvature.rule.is_frozen)
        if curvature.damping is not None:
            scalars["damping_inputs"] = curvature.damping.inputs.mean()
            scalars["damping_gradients"] = curvature.damping.gradients.mean()
        if curvature.traces is not None:
            scalars["trace_inputs"] = curvature.traces.inputs.sum()
            scalars["trace_gradients"] = curvature.traces.gradients.sum()
        conditions = self._of_inverses(name, curvature)
        if conditions is not None:
            scalars["condition_inputs"], scalars["condition_gradients"] = conditions
            if curvature.layer.weight.grad is not None:
                scalars["natural_to_plain"] = _natural_to_plain(curvature)
        return scalars

    def _of_inverses(self, name: str, curvature: Curvature) -> Tensor | None:
        """Return the condition numbers of both inverses, computed if the inverses have changed; None without them."""
        inverse = curvature.inverse_inputs
        if inverse is None:
            return None
        known = self._conditions.get(name)
        if known is None or known.inverse() is not inverse or known.version != inverse._version:
            numbers = curvature.condition_numbers()
            assert numbers is not None
            known = self._conditions[name] = _Conditions(ref(inverse), inverse._version, numbers)
        return known.numbers


class _Conditions(NamedTuple):
    """The condition numbers of a layer, and of which inverse they are."""

    inverse: "ref[Tensor]"
    version: int
    """The counter that PyTorch increases with each change in place."""
    numbers: Tensor


def _natural_to_plain(curvature: Curvature) -> Tensor:
    """Return the norm of the preconditioned gradient divided by that of the gradient; 0 for a gradient of zeros."""
    gradient = gradient_matrix(curvature.layer)
    plain = gradient.float().norm()
    return torch.where(plain == 0, 0.0, curvature.natural(gradient).float().norm() / plain)
