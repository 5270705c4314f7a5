"""The number of trained steps, saved with a checkpoint and restored from it."""

from typing import Any

from toposcope.recorder.checkpoints.state.capturing import normalized_optimizer
from toposcope.recorder.checkpoints.state.trained_steps import trained_steps_of


def saved_step(network: Any, optimizer: Any) -> int | None:
    """Return how many steps a Model or a watched run has trained an optimizer, or a network without one; or None."""
    return max(trained_steps_of(each).step for each in _counted(network, optimizer)) or None


def restore_step(step: int | None, network: Any, optimizer: Any) -> None:
    """Let the next training begin at the step of a checkpoint; None: the step is unknown, and nothing changes."""
    if step is None:
        return
    for each in _counted(network, optimizer):
        count = trained_steps_of(each)
        count.step, count.is_restored = step, True


def _counted(network: Any, optimizer: Any) -> list[Any]:
    optimizer = normalized_optimizer(optimizer)
    if optimizer is None:
        return [network]
    return list(optimizer) if isinstance(optimizer, tuple) else [optimizer]
