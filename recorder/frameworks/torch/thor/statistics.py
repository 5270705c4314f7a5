"""Statistics of the curvature of each layer as scalars: damping, traces, condition numbers, gradients, refreshes."""

from collections.abc import Mapping
from typing import NamedTuple
from weakref import ref

import torch
from torch import Tensor

from toposcope.recorder.frameworks.torch.thor.curvature import Curvature
from toposcope.recorder.frameworks.torch.thor.layers import gradient_matrix


class _Measured(NamedTuple):
    """The condition number of an inverse."""

    inverse: "ref[Tensor]"
    version: int
    """The counter that PyTorch increases at each change in place."""
    condition: float


class CurvatureStatistics:
    """Remembers condition numbers, so that they are computed once for each inverse."""

    def __init__(self) -> None:
        self._measured: dict[str, _Measured] = {}

    @torch.no_grad()
    def scalars(self, curvatures: Mapping[str, Curvature]) -> dict[str, float | Tensor]:
        """Return the statistics of all layers by tag; see Thor.curvature_statistics()."""
        scalars: dict[str, float | Tensor] = {}
        for name, curvature in curvatures.items():
            values = self._of_layer(name, curvature)
            scalars |= {f"thor/{quantity}/{name or 'network'}": value for quantity, value in values.items()}
        return scalars

    def _of_layer(self, name: str, curvature: Curvature) -> dict[str, float | Tensor]:
        values: dict[str, float | Tensor] = {"refreshes": float(curvature.refreshes)}
        if curvature.rule.thresholds is not None:
            values["frozen"] = float(curvature.rule.is_frozen)
        inputs, gradients = curvature.inverse_inputs, curvature.inverse_gradients
        if inputs is None or gradients is None:
            return values
        values["damping"] = curvature.damping
        values["trace_inputs"], values["trace_gradients"] = curvature.trace_inputs, curvature.trace_gradients
        values["condition_inputs"] = self._condition(f"inputs of {name}", inputs)
        values["condition_gradients"] = self._condition(f"gradients of {name}", gradients)
        if curvature.layer.weight.grad is not None:
            values["natural_to_plain"] = _natural_to_plain(curvature)
        return values

    def _condition(self, key: str, inverse: Tensor) -> float:
        measured = self._measured.get(key)
        if measured is None or measured.inverse() is not inverse or measured.version != inverse._version:
            measured = _Measured(ref(inverse), inverse._version, condition_number(inverse))
            self._measured[key] = measured
        return measured.condition


def condition_number(matrix: Tensor) -> float:
    """Return the ratio of the largest to the smallest eigenvalue, the largest of all groups.

    Args:
        matrix: symmetric and positive definite, (groups, size, size), or a diagonal (groups, size). A matrix and its
            inverse have the same condition number.
    """
    wide = matrix.double()
    values = wide.sort().values if wide.ndim == 2 else torch.linalg.eigvalsh(wide)
    # Rounding may make the smallest eigenvalue of an ill-conditioned float32 matrix negative.
    lowest = values[:, -1] * torch.finfo(matrix.dtype).eps
    return float((values[:, -1] / torch.maximum(values[:, 0], lowest)).max())


def _natural_to_plain(curvature: Curvature) -> Tensor:
    """Return the norm of the preconditioned gradient divided by that of the gradient; 0 for a gradient of zeros."""
    gradient = gradient_matrix(curvature.layer)
    plain = gradient.norm()
    return torch.where(plain > 0, curvature.natural(gradient).norm() / plain, 0)
