"""LossSums: the losses of samples as sums, from which their mean and its standard error follow."""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class LossSums(NamedTuple):
    """The loss of some samples, as sums that can be added over several measurements.

    A unit is what has one loss: a sample, or a batch if only the means of batches are known.
    """

    samples: int
    units: int
    total: float
    """The sum of the losses of the units, each times its number of samples."""
    squares: float
    """The sum of the squared losses of the units, each times its number of samples."""

    @property
    def mean(self) -> float:
        """The mean loss of all samples."""
        return self.total / self.samples

    @property
    def standard_error(self) -> float:
        """The standard error of the mean, from the spread between units; NaN for a single unit."""
        if self.units < 2 or not math.isfinite(self.squares):
            return math.nan
        return math.sqrt(max(self.squares / self.samples - self.mean**2, 0.0) / (self.units - 1))


def sums_of(losses: npt.NDArray[Any], samples: npt.NDArray[np.int64] | None = None) -> LossSums:
    """Return the sums of the losses of units, in double precision.

    Args:
        losses: shape (U,), of any floating dtype.
        samples: shape (U,), the number of samples of each unit; None: one each.
    """
    exact = losses.astype(np.float64)
    number = len(exact) if samples is None else int(samples.sum())
    with np.errstate(all="ignore"):  # Losses far from the origin may be infinite or NaN.
        weighted = exact if samples is None else exact * samples
        return LossSums(number, len(exact), float(weighted.sum()), float((weighted * exact).sum()))
