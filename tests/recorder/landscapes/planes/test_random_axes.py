"""Random axes, scaled to the filters of the network."""

import numpy as np
import pytest

from toposcope.recorder.landscapes.planes.random_axes import random_axes
from toposcope.recorder.landscapes.weights.layout import layout_of


def test_random_directions_are_as_long_as_the_filters() -> None:
    """Each of them, and each row of an embedding; biases, normalisations and buffers do not move."""
    layout = layout_of(
        [
            ("conv.weight", (8, 3, 2, 2), "weight"),
            ("embedding", (5, 4), "embedding"),
            ("bn.weight", (8,), "norm"),
            ("bias", (8,), "bias"),
            ("bn.running_mean", (8,), "buffer"),
        ]
    )
    origin = np.random.default_rng(0).normal(size=layout.size).astype(np.float32)
    origin[:12] = 0  # A filter that is zero.
    axes = random_axes(origin, layout, seed=1)

    for direction in axes.directions:
        for part, filters in ((slice(0, 96), 8), (slice(96, 116), 5)):
            lengths, expected = (
                np.linalg.norm(vector[part].reshape(filters, -1), axis=1) for vector in (direction, origin)
            )
            assert np.allclose(lengths, expected, rtol=1e-5)
        assert not direction[116:].any()
    assert axes.combination is None
    assert np.array_equal(axes.directions, random_axes(origin, layout, seed=1).directions)
    assert not np.array_equal(axes.directions, random_axes(origin, layout, seed=2).directions)


def test_network_without_matrices_has_random_directions_too() -> None:
    """A straight line has a weight and a bias of one number each."""
    layout = layout_of([("weight", (1,), "bias"), ("bias", (3,), "bias")])
    axes = random_axes(np.array([3, 0, 4, 0], np.float32), layout, 0)

    assert np.allclose(np.abs(axes.directions[:, 0]), 3)
    assert np.allclose(np.linalg.norm(axes.directions[:, 1:], axis=1), 4)


def test_random_directions_need_weights() -> None:
    """They are scaled by them."""
    layout = layout_of([("weight", (2, 2), "weight")])
    with pytest.raises(ValueError, match="all zero"):
        random_axes(np.zeros(4, np.float32), layout, 0)
    with pytest.raises(ValueError, match="not finite"):
        random_axes(np.array([1, np.inf, 0, 0], np.float32), layout, 0)
