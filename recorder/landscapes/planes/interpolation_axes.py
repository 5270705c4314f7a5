"""Interpolation axes: the line between two models, along which the loss is measured."""

import numpy as np

from toposcope.recorder.landscapes.planes.axes import Axes, axes_along, directions_of
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet


def interpolation_axes(checkpoints: CheckpointSet) -> Axes:
    """Return the line from the last checkpoint (0) to the first one (1); the second direction is zero.

    See Goodfellow et al. (2015, https://arxiv.org/abs/1412.6544). Buffers are interpolated as well. A barrier between
    two models of one training is not an error: large learning rates and BatchNorm cause such barriers (Lucas et al.,
    2021, https://arxiv.org/abs/2104.11044).

    Raises:
        ValueError: both are equal, or weights are not finite.
    """
    last, layout = len(checkpoints.points) - 1, checkpoints.layout
    if checkpoints.products[0, 0] <= 0:
        raise ValueError("A line needs two checkpoints that differ; the first and the last one are equal.")
    combination = np.zeros((2, last + 1))
    combination[0, 0] = 1
    directions = directions_of(checkpoints, combination)
    return axes_along("interpolate", checkpoints.rows[-1], directions, combination, layout)
