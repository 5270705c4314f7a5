"""Noise: which losses of a landscape differ from the loss at the origin by more than chance.

All losses are of the same samples. Whether a map has a shape therefore depends on the differences of the samples'
losses, not on the spread of the losses themselves: that is mostly common to all nodes, because hard samples are hard
everywhere, and only raises or lowers the surface as a whole.
"""

from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.landscapes.surface.refinement import LevelLosses

_PROBABILITY = 6.334e-5
"""The probability of normal numbers beyond four standard errors. A smooth surface on a plane has about five independent
differences (slopes and curvatures): of a hundred flat surfaces, less than one has a node beyond."""
_ROUNDING = 1e-6
"""A share of the loss at the origin: smaller differences are rounding of float32."""


def differing_nodes(losses: LevelLosses) -> npt.NDArray[np.bool_]:
    """Return where a loss differs from that at the origin by more than the noise, shape (m, n); False where unknown.

    The limit is four standard errors of the difference, more if these are of few units (Student's t). A difference of
    unknown standard error, from a single unit, counts unless it is rounding.
    """
    special: Any = import_module("scipy.special")
    limit = float(special.stdtrit(losses.units - 1, 1 - _PROBABILITY / 2)) if losses.units > 1 else 0.0
    with np.errstate(invalid="ignore"):
        noise = np.nan_to_num(limit * losses.difference_error, nan=0.0)
        rounding = _ROUNDING * np.abs(losses.z - losses.difference)
        differs: npt.NDArray[np.bool_] = np.abs(losses.difference) > np.maximum(noise, rounding)
    return differs & np.isfinite(losses.difference)


def is_flat(losses: LevelLosses) -> bool:
    """Return whether no loss differs from that at the origin by more than the noise; False if nothing is known."""
    return bool(np.isfinite(losses.difference).any() and not differing_nodes(losses).any())
