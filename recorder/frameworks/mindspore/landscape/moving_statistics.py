"""Moving statistics: the means and variances of MindSpore's BatchNorms, computed anew from data."""

import sys
from collections.abc import Callable
from typing import Any

# A graph of its own: MindSpore does not see that only some cells of a network train.
_PHASE = "train_statistics"


def normalisations_in(network: Any) -> list[Any]:
    """Return the cells that keep statistics of what they have seen."""
    cells = [cell for _, cell in network.cells_and_names()]
    return [cell for cell in cells if hasattr(cell, "moving_mean") and getattr(cell, "use_batch_statistics", 0) is None]


def new_statistics(network: Any, forward: Callable[[], Any]) -> None:
    """Set the statistics to those of one batch.

    In training mode a cell computes (1 - momentum) * old + momentum * new, by its attribute momentum: from zero, what
    it has then is momentum times those of the batch.

    Args:
        network: in evaluation mode, in which it is afterwards too.
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
