"""Decimal logarithms of losses, with the same result on every processor."""

import math

import numpy as np

from toposcope.server.reading.series.series import Float64s


def log10_of_losses(losses: Float64s) -> Float64s:
    """Return the logarithms of losses of any shape; NaN for those that have none.

    Computed by the C library: the last bit of NumPy's vectorized log10 depends on the processor.
    """
    logarithms = np.full(losses.shape, np.nan)
    has_logarithm = losses > 0
    logarithms[has_logarithm] = [math.log10(loss) for loss in losses[has_logarithm].tolist()]
    return logarithms
