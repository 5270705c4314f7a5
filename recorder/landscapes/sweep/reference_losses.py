"""ReferenceLosses: the losses of the same samples that a measured loss is compared with."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from toposcope.recorder.landscapes.models.unit_losses import LossSums, UnitLosses
from toposcope.recorder.landscapes.sweep.journal import Place


class _Reference(NamedTuple):
    """A place whose losses others are compared with, and how they are computed."""

    place: Place
    mode: str
    """The mode of the model: losses of different modes differ by rounding."""


class ReferenceLosses:
    """The losses at the origin, with which nodes are compared, and those of a checkpoint, for its projection.

    The losses of single samples are kept for these two places only. They are measured once for many comparisons, and
    usually for none: the origin is the first node of a landscape, and the projection of a checkpoint follows the
    checkpoint. Each worker measures those that it does not have.
    """

    def __init__(self, losses_at: Callable[[Place, Sequence[float]], UnitLosses]) -> None:
        """Measure by a function of a place and its coordinates on the plane."""
        self._losses_at = losses_at
        self._kept: dict[str, tuple[_Reference, UnitLosses | None]] = {}

    def difference(self, place: Place, coordinates: Sequence[float], losses: UnitLosses, mode: str) -> LossSums | None:
        """Return the difference between the losses at a place and those that they are compared with.

        Args:
            place: at which they were measured.
            coordinates: on the plane.
            losses: of the samples.
            mode: of the model.

        Returns:
            The sums of the differences of the units; None for a checkpoint, which is compared with nothing, and if the
            other losses cannot be measured or are of other units.
        """
        origin = (0.0,) * len(coordinates)
        compared = Place("node", 0, 0, 0, place.samples) if place.kind == "node" else place._replace(kind="real")
        reference = _Reference(compared, mode)
        if place.kind == "real" or (place.kind == "node" and tuple(coordinates) == origin):
            self._kept[compared.kind] = reference, losses
        if place.kind == "real":
            return None
        if compared.kind not in self._kept or self._kept[compared.kind][0] != reference:
            self._kept[compared.kind] = reference, self._measured(compared, origin)
        others = self._kept[compared.kind][1]
        # The units may differ if eval_step() of a network without a framework chooses them.
        if others is None or not np.array_equal(losses.sizes, others.sizes):
            return None
        return losses.minus(others).sums

    def _measured(self, place: Place, coordinates: Sequence[float]) -> UnitLosses | None:
        try:
            return self._losses_at(place, coordinates)
        except Exception:  # Of the user's network; the loss that was to be compared is known all the same.
            return None
