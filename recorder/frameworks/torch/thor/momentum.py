"""The update of one parameter group: weight decay, clipping and momentum, in MindSpore's order."""

from typing import Any, NamedTuple

import torch
from torch import Tensor


class Rates(NamedTuple):
    """The numbers of a group in one step."""

    rate: float
    momentum: float
    decay: float


def update(
    parameters: list[Tensor],
    gradients: list[Tensor],
    momenta: list[Tensor],
    rates: Rates,
    *,
    decays: list[bool],
    clips: bool,
    nesterov: bool,
) -> None:
    """Update parameters and their momenta in place; the gradients are not changed.

    Args:
        parameters: of one group.
        gradients: preconditioned or not.
        momenta: running sums of the updates.
        rates: of the group.
        decays: which parameters decay.
        clips: whether each update is clipped to an Euclidean norm of 1.
        nesterov: whether momentum is Nesterov's.
    """
    rate, momentum, decay = rates
    if decay and any(decays):
        gradients = _decayed(parameters, gradients, decay, decays)
    if clips:
        norms = torch._foreach_clamp_min(torch._foreach_norm(gradients), 1.0)
        gradients = list(torch._foreach_div(gradients, norms))
    torch._foreach_mul_(momenta, momentum)
    torch._foreach_add_(momenta, gradients)
    if not nesterov:
        torch._foreach_add_(parameters, momenta, alpha=-rate)
        return
    torch._foreach_add_(parameters, gradients, alpha=-rate)
    torch._foreach_add_(parameters, momenta, alpha=-rate * momentum)


def _decayed(parameters: list[Tensor], gradients: list[Tensor], decay: float, decays: list[bool]) -> list[Tensor]:
    if all(decays):
        return list(torch._foreach_add(gradients, parameters, alpha=decay))
    return [
        gradient.add(parameter, alpha=decay) if is_decayed else gradient
        for parameter, gradient, is_decayed in zip(parameters, gradients, decays, strict=True)
    ]


def state_of(state: dict[str, Any], parameter: Tensor) -> Tensor:
    """Return the momentum in a parameter's state, zeros at first."""
    momentum = state.get("momentum")
    if momentum is None:
        momentum = state["momentum"] = torch.zeros_like(parameter)
    return momentum
