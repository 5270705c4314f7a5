"""Statistics of the curvature of each layer as scalars: damping, traces, condition numbers, gradients, refreshes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias
from weakref import ref

import torch
from torch import Tensor

from toposcope.recorder.frameworks.torch.thor.curvature.curvature import Curvature, Norms
from toposcope.recorder.frameworks.torch.thor.curvature.layers import gradient_matrix

Scalars: TypeAlias = "dict[str, float | Tensor]"
"""Numbers, and tensors without dimensions that may be on a device, by tag."""


class CurvatureStatistics:
    """Remembers condition numbers, so that they are computed once for each inverse."""

    def __init__(self) -> None:
        self._conditions: dict[str, _Conditions] = {}

    @torch.no_grad()
    def scalars(self, curvatures: Mapping[str, Curvature], dampings: Sequence[float]) -> Scalars:
        """Return the statistics of all layers, and the damping of each parameter group; see Thor."""
        if len(dampings) == 1:
            scalars: Scalars = {"thor_damping/global": dampings[0]}
        else:
            scalars = {f"thor_damping/group{i}": damping for i, damping in enumerate(dampings)}
        for name, curvature in curvatures.items():
            scalars |= self._of_layer(name or "network", curvature)
        return scalars

    def _of_layer(self, name: str, curvature: Curvature) -> Scalars:
        scalars: Scalars = {f"thor_refreshes/{name}": float(curvature.refreshes)}
        if curvature.rule.thresholds is not None:
            scalars[f"thor_frozen/{name}"] = float(curvature.rule.is_frozen)
        if curvature.damping is not None:
            scalars |= _of_factors("damping", name, [each.mean() for each in curvature.damping])
        if curvature.traces is not None:
            scalars |= _of_factors("trace", name, [each.sum() for each in curvature.traces])
        conditions = self._conditions_of(name, curvature)
        if conditions is not None:
            scalars |= _of_factors("condition", name, conditions)
            if (norms := _norms(curvature)) is not None:
                ratio = torch.where(norms.plain == 0, 0.0, norms.natural / norms.plain)
                scalars[f"thor_gradient_ratio/{name}"] = ratio
        return scalars

    def _conditions_of(self, name: str, curvature: Curvature) -> Tensor | None:
        """Return the condition numbers of both inverses, computed if the inverses have changed; None without them."""
        if curvature.inverse_gradients is None:
            return None
        inverse = curvature.inverse_gradients[0]
        known = self._conditions.get(name)
        if known is None or known.version != inverse._version or known.inverse() is not inverse:
            numbers = curvature.condition_numbers()
            assert numbers is not None
            known = self._conditions[name] = _Conditions(ref(inverse), inverse._version, numbers)
        return known.numbers


class _Conditions(NamedTuple):
    """The condition numbers of a layer, and of which inverse they are."""

    inverse: ref[Tensor]
    """The inverse of the first block of the gradients' factor."""
    version: int
    """The counter that PyTorch increases with each change in place."""
    numbers: Tensor


def _of_factors(quantity: str, name: str, values: Iterable[Tensor]) -> Scalars:
    inputs, gradients = values
    return {f"thor_{quantity}/{name}.inputs": inputs, f"thor_{quantity}/{name}.gradients": gradients}


def _norms(curvature: Curvature) -> Norms | None:
    """Return the norms of the newest step, measured now if it has not; None without a gradient."""
    if curvature.norms is not None or curvature.layer.weight.grad is None:
        return curvature.norms
    gradient = gradient_matrix(curvature.layer)
    return Norms(curvature.natural(gradient).norm(), gradient.norm())
