"""Moving means and variances of MindSpore's normalisation layers, recomputed from data."""

import sys
from collections.abc import Callable
from typing import Any

# A separate graph: MindSpore does not notice that only some cells of a network are in training mode.
_PHASE = "train_statistics"


def normalisations_in(network: Any) -> list[Any]:
    """Return the cells with moving statistics."""
    cells = [cell for _, cell in network.cells_and_names()]
    return [cell for cell in cells if hasattr(cell, "moving_mean") and getattr(cell, "use_batch_statistics", 0) is None]


def recompute_statistics(network: Any, forward: Callable[[], Any]) -> None:
    """Set the moving statistics to those of one batch.

    In training mode a cell computes (1 - momentum) * old + momentum * new with its attribute momentum: starting from
    zero, the result is momentum times the statistics of the batch.

    Args:
        network: in evaluation mode, before and after the call.
        forward: runs the network on the batch.
    """
    mindspore: Any = sys.modules["mindspore"]
    normalisations = normalisations_in(network)
    if not normalisations:
        return
    statistics = [(getattr(cell, name), cell) for cell in normalisations for name in ("moving_mean", "moving_variance")]
    for statistic, _ in statistics:
        mindspore.ops.assign(statistic, mindspore.ops.zeros_like(statistic))
    phase = network.phase
    network.phase = _PHASE
    for cell in normalisations:
        cell.add_flags(training=True)
    try:
        forward()
    finally:
        network.phase = phase
        for cell in normalisations:
            cell.add_flags(training=False)
    for statistic, cell in statistics:
        mindspore.ops.assign(statistic, statistic / cell.momentum)
