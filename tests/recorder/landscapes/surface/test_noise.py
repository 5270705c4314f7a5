"""Noise: paired differences over shared samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.recorder.landscapes.models.unit_losses import unit_losses
from toposcope.recorder.landscapes.surface.noise import differing_nodes, is_flat
from toposcope.recorder.landscapes.surface.refinement import LevelLosses
from toposcope.recorder.landscapes.weights.gram import Doubles


def level(samples: Doubles) -> LevelLosses:
    """Return the losses of nodes from those of their samples, shape (m, n, U); the origin is the first node."""
    rows, columns, units = samples.shape
    z, error, difference, difference_error = np.full((4, rows, columns), np.nan)
    losses = LevelLosses(z, np.ones(z.shape, bool), error, difference, difference_error, units)
    for node in np.ndindex(rows, columns):
        here, origin = unit_losses(samples[node]), unit_losses(samples[0, 0])
        losses.z[node], losses.standard_error[node] = here.sums.mean, here.sums.standard_error
        sums = here.minus(origin).sums
        losses.difference[node], losses.difference_error[node] = sums.mean, sums.standard_error
    return losses


@given(
    st.lists(st.tuples(st.floats(0, 9), st.floats(0, 9), st.integers(1, 5)), min_size=2, max_size=9),
    st.floats(-100, 100),
)
def test_standard_error_of_a_difference_is_that_of_the_differences_of_units(
    units: list[tuple[float, float, int]], shift: float
) -> None:
    """It does not depend on what both losses have in common; units count by their samples."""
    here, there, sizes = map(np.array, zip(*units, strict=True))
    sums = unit_losses(here + shift, sizes).minus(unit_losses(there + shift, sizes)).sums

    samples = np.repeat(here - there, sizes)
    assert sums.mean == pytest.approx(samples.mean(), abs=1e-9)
    assert sums.standard_error == pytest.approx(samples.std() / np.sqrt(len(units) - 1), abs=1e-6)


def test_noise_that_all_nodes_share_does_not_hide_differences() -> None:
    """The losses of samples differ by 100 times more than the nodes, whose range is within one standard error."""
    random = np.random.default_rng(0)
    losses = level(random.normal(5, 10, 400) + np.arange(9).reshape(3, 3, 1) * (0.01 + 0.01 * random.normal(size=400)))

    assert np.ptp(losses.z) < np.median(losses.standard_error)
    assert not is_flat(losses)
    assert differing_nodes(losses).sum() == 8
    assert not differing_nodes(losses)[0, 0]


def test_differences_that_only_some_samples_have_by_chance_are_flat() -> None:
    """Slopes and curvatures whose mean is zero, for nearly all of many surfaces."""
    random = np.random.default_rng(0)
    x, y = (axis[..., None] for axis in np.meshgrid(np.linspace(0, 1, 5), np.linspace(0, 1, 5)))
    flat = 0
    for _ in range(200):
        a, b, c, d, e = random.normal(size=(5, 100))
        flat += is_flat(level(random.normal(9, 1, 100) + a * x + b * y + c * x * y + d * x**2 + e * y**2))
    assert flat >= 195


def test_few_units_need_larger_differences() -> None:
    """With three batches, the spread between them is hardly known."""
    batches = np.zeros((1, 2, 3))
    batches[0, 1] = 1, 1.2, 1.4  # Ten standard errors.
    assert is_flat(level(batches))
    assert not is_flat(level(np.repeat(batches, 40, axis=2)))


def test_rounding_is_not_a_difference() -> None:
    """Losses in float32, all a last digit too large, without any spread."""
    losses = np.full((1, 2, 10), 2.3)
    losses[0, 1] = np.nextafter(np.float32(2.3), np.float32(3))
    assert is_flat(level(losses))
    losses[0, 1] += 1e-4
    assert not is_flat(level(losses))


def test_unknown_noise_and_losses_that_are_not_finite() -> None:
    """A single unit, a hole, an overflow."""
    single = level(np.array([[[1.0], [1.5]]]))
    assert np.isnan(single.difference_error).all()
    assert differing_nodes(single).tolist() == [[False, True]]
    assert is_flat(level(np.ones((1, 2, 1))))
    infinite = level(np.array([[[1.0, 2.0], [1.0, np.inf], [1.0, 1e300]]]))
    assert differing_nodes(infinite).tolist() == [[False, False, True]]
    unknown = infinite._replace(difference=np.full((1, 3), np.nan))
    assert not is_flat(unknown)
    assert not differing_nodes(unknown).any()
