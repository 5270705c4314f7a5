"""LossSums: the losses of samples as sums, from which their mean and its standard error follow."""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class LossSums(NamedTuple):
    """The loss of some samples, as sums that add up over samples measured one after the other.

    A unit is what has a loss of its own: a sample, or a batch where only the means of batches are known.
    """

    samples: int
    units: int
    total: float
    """Of the losses of the units, each times its samples."""
    squares: float
    """Of the squares of the losses of the units, each times its samples."""

    @property
    def mean(self) -> float:
        """The loss: that of all samples on average."""
        return self.total / self.samples

    @property
    def standard_error(self) -> float:
        """How far the mean of other samples may be: from the spread between units, NaN where there is only one."""
        if self.units < 2 or not math.isfinite(self.squares):
            return math.nan
        return math.sqrt(max(self.squares / self.samples - self.mean**2, 0.0) / (self.units - 1))


def sums_of(losses: npt.NDArray[Any], samples: npt.NDArray[np.int64] | None = None) -> LossSums:
    """Return the sums of the losses of units, in double precision.

    Args:
        losses: shape (U,), of any floating dtype.
        samples: shape (U,), how many samples each unit has; None: one.
    """
    exact = losses.astype(np.float64)
    number = len(exact) if samples is None else int(samples.sum())
    with np.errstate(all="ignore"):  # Losses far out may be anything.
        weighted = exact if samples is None else exact * samples
        return LossSums(number, len(exact), float(weighted.sum()), float((weighted * exact).sum()))
