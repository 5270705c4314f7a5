"""Interpolation axes: the line between two models, along which the loss is measured."""

import numpy as np

from toposcope.recorder.landscapes.planes.axes import Axes, axes_along, directions_of
from toposcope.recorder.landscapes.planes.combination import line_combination
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet


def interpolation_axes(checkpoints: CheckpointSet) -> Axes:
    """Return the line from the last checkpoint (0) to the first one (1); the second direction is zero.

    See Goodfellow et al. (2015, https://arxiv.org/abs/1412.6544). Buffers are interpolated as well. A barrier between
    two models of one training is not an error: large learning rates and BatchNorm cause such barriers (Lucas et al.,
    2021, https://arxiv.org/abs/2104.11044).

    Raises:
        ValueError: both are equal, or weights are not finite.
    """
    if checkpoints.products[0, 0] <= 0:
        raise ValueError("A line needs two checkpoints that differ; the first and the last one are equal.")
    line = line_combination(checkpoints.products)
    combination = np.concatenate([line, np.zeros_like(line)])
    directions = directions_of(checkpoints, combination)
    return axes_along("interpolate", checkpoints.rows[-1], directions, combination, checkpoints.layout)
