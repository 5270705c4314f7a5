"""UnitLosses: the losses of samples or batches; LossSums: from which their mean and its standard error follow."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]


class LossSums(NamedTuple):
    """The loss of some samples, or a difference of two losses, as sums that can be added over several measurements.

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


class UnitLosses(NamedTuple):
    """The losses of units, in the order of the samples."""

    losses: Doubles
    """Shape (U,)."""
    sizes: npt.NDArray[np.int64]
    """Shape (U,), the number of samples of each unit."""

    @property
    def sums(self) -> LossSums:
        """The sums of the losses, in double precision."""
        with np.errstate(all="ignore"):  # Losses far from the origin may be infinite or NaN.
            weighted = self.losses * self.sizes
            return LossSums(
                int(self.sizes.sum()), len(self.losses), float(weighted.sum()), float((weighted * self.losses).sum())
            )

    def minus(self, others: "UnitLosses") -> "UnitLosses":
        """Return the differences from the losses of the same units at another place.

        Most of the spread between samples is common to both and cancels: the standard error of the mean difference is
        usually far smaller than that of each loss.
        """
        with np.errstate(all="ignore"):
            return UnitLosses(self.losses - others.losses, self.sizes)


def unit_losses(losses: npt.ArrayLike, sizes: npt.ArrayLike | None = None) -> UnitLosses:
    """Return the losses of units.

    Args:
        losses: shape (U,), of any floating dtype.
        sizes: shape (U,), the number of samples of each unit; None: one each.
    """
    exact = np.asarray(losses, np.float64)
    return UnitLosses(exact, np.ones(len(exact), np.int64) if sizes is None else np.asarray(sizes, np.int64))
