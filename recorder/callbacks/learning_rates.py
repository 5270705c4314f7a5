"""Learning rates: reads and changes the learning rates of a training's optimizer, for any framework."""

import math
from collections.abc import Callable
from typing import Any

from toposcope.recorder.framework import framework_of
from toposcope.recorder.training.events.run_context import CallbackParams


def check_learning_rates(params: CallbackParams, callback_name: str) -> None:
    """Raise ValueError if neither the optimizer nor the network of a training provides a learning rate."""
    owner = _owner(params)
    if not framework_of(owner).learning_rates(owner):
        raise ValueError(
            f"{callback_name} sets the learning rate of an optimizer; a {type(owner).__name__} does not provide one."
        )


def change_learning_rates(params: CallbackParams, change: Callable[[float], float]) -> list[float]:
    """Replace the learning rate of each parameter group by change(rate).

    Returns:
        The new learning rates; [] if no relative change is larger than 1e-10, in which case none is set.
    """
    owner = _owner(params)
    framework = framework_of(owner)
    rates = [float(rate) for rate in framework.learning_rates(owner)]
    changed = [change(rate) for rate in rates]
    if all(math.isclose(new, old, rel_tol=1e-10) for new, old in zip(changed, rates, strict=True)):
        return []
    framework.set_learning_rates(owner, changed)
    return changed


def _owner(params: CallbackParams) -> Any:
    """Return the optimizer; without one the network, which may have its own learning rate."""
    optimizer = params.get("optimizer")
    return params.get("network") if optimizer is None else optimizer
