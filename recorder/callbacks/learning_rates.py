"""Learning rates: reads and changes those of the optimizer in training, of whatever framework."""

import math
from collections.abc import Callable
from typing import Any

from toposcope.recorder.framework import framework_of
from toposcope.recorder.training.run_context import CallbackParams


def check_learning_rates(params: CallbackParams, wanted_by: str) -> None:
    """Raise ValueError when nothing in the training shows a learning rate."""
    owner = _owner(params)
    if not framework_of(owner).learning_rates(owner):
        raise ValueError(f"{wanted_by} sets the learning rate of an optimizer; a {type(owner).__name__} shows none.")


def change_learning_rates(params: CallbackParams, change: Callable[[float], float]) -> list[float]:
    """Replace the learning rate of each parameter group by change(rate).

    Returns:
        The new ones; none when all are equal to the old ones but for a part in 10 billion, and nothing was set.
    """
    owner = _owner(params)
    framework = framework_of(owner)
    rates = framework.learning_rates(owner)
    changed = [change(rate) for rate in rates]
    if all(math.isclose(new, old, rel_tol=1e-10) for new, old in zip(changed, rates, strict=True)):
        return []
    framework.set_learning_rates(owner, changed)
    return changed


def _owner(params: CallbackParams) -> Any:
    """Return the optimizer; without one the network, which then holds its learning rate itself."""
    optimizer = params.get("optimizer")
    return params.get("network") if optimizer is None else optimizer
