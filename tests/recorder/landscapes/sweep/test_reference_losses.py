"""The losses that others are compared with."""

from collections.abc import Sequence

import numpy as np
import pytest

from toposcope.recorder.landscapes.models.unit_losses import UnitLosses, unit_losses
from toposcope.recorder.landscapes.sweep.journal import Place
from toposcope.recorder.landscapes.sweep.reference_losses import ReferenceLosses

SAMPLES = 4
ORIGIN = (0.0, 0.0)


class Losses:
    """Losses by place, and the places that were measured."""

    def __init__(self, units: int = SAMPLES) -> None:
        """Measure this number of units."""
        self.measured: list[Place] = []
        self.units, self.references = units, ReferenceLosses(self.at)

    def at(self, place: Place, coordinates: Sequence[float]) -> UnitLosses:
        """Measure a loss."""
        if place.j == 13:
            raise RuntimeError("a network may raise anything")
        self.measured.append(place)
        return unit_losses(np.arange(self.units) + (10 * place.j if place.kind == "real" else sum(coordinates)))

    def difference(self, place: Place, coordinates: tuple[float, ...], mode: str = "eager") -> float | None:
        """Return the mean difference of a place that is measured now."""
        sums = self.references.difference(place, coordinates, self.at(place, coordinates), mode)
        return None if sums is None else sums.mean


def node(i: int, j: int, samples: int = SAMPLES) -> Place:
    """Return the place of a node."""
    return Place("node", 2, i, j, samples)


def path(kind: str, j: int) -> Place:
    """Return the place of a checkpoint or of its projection."""
    return Place(kind, 0, 0, j, SAMPLES)


def test_origin_is_measured_once_or_not_at_all() -> None:
    """If it is the first node, nothing is measured for the comparisons; otherwise once, and again in another mode."""
    losses = Losses()
    assert losses.difference(node(2, 2), ORIGIN) == 0
    assert losses.difference(node(1, 2), (0.0, -1.5)) == -1.5
    assert len(losses.measured) == 2

    losses = Losses()
    assert [losses.difference(node(0, j), (1.0, j)) for j in range(3)] == [1, 2, 3]
    assert len(losses.measured) == 4
    assert losses.difference(node(0, 3), (1.0, 3.0), "compile") == 4
    assert losses.difference(node(0, 3, 2), (1.0, 3.0), "compile") == 4
    assert len(losses.measured) == 8


def test_projection_is_compared_with_its_checkpoint() -> None:
    """Which usually precedes it; a checkpoint itself is compared with nothing."""
    losses = Losses()
    assert losses.difference(path("real", 3), ()) is None
    assert losses.difference(path("plane", 3), (20.0, 5.0)) == -5
    assert len(losses.measured) == 2
    assert losses.difference(path("plane", 4), (20.0, 5.0)) == -15
    assert [place.kind for place in losses.measured[2:]] == ["plane", "real"]


def test_comparison_that_is_impossible_costs_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """A network that raises at the other place, once for all comparisons, or losses of other units."""
    losses = Losses()
    place = path("plane", 13)
    own = unit_losses(np.ones(SAMPLES))
    assert losses.references.difference(place, ORIGIN, own, "eager") is None
    monkeypatch.setattr(losses, "at", pytest.fail)
    assert losses.references.difference(place, ORIGIN, own, "eager") is None

    losses = Losses()
    assert losses.difference(node(2, 2), ORIGIN) == 0
    losses.units = 1
    assert losses.difference(node(0, 0), (1.0, 1.0)) is None
