"""What is stored beside a loss landscape of how far it can be trusted."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support import landscape_details as made

from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.recorder.messages.landscape import landscape
from toposcope.recorder.messages.landscape_details import LandscapeDetails, PathTruth


def test_details_are_stored_exactly_beside_what_mindinsight_reads() -> None:
    """Measured nodes with what is not finite, the truth of the path and all diagnostics come back bit by bit."""
    message = LossLandscape.FromString(made.bowl().SerializeToString())
    nodes, truth, found = message.details.measured, message.details.truth, message.details.diagnostics

    expected = made.measured(3)
    assert (list(nodes.x), list(nodes.y)) == (expected.x.tolist(), expected.y.tolist())
    np.testing.assert_array_equal(np.reshape(nodes.z, (9, 9)), expected.z)
    np.testing.assert_array_equal(np.reshape(nodes.known, (9, 9)), expected.known)
    assert (set(nodes.standard_error), nodes.level, nodes.levels) == ({0.01}, 3, 3)
    np.testing.assert_allclose(np.subtract(truth.real, truth.plane), made.GAP, atol=1e-15)
    np.testing.assert_array_equal(truth.residual, made.RESIDUAL)
    assert (list(found.energy), found.seed, found.buffers) == ([0.9, 0.06], 7, "moved")
    assert found.provenance["axes"] == "plane one"

    message.ClearField("details")
    bare = made.bowl()
    bare.ClearField("details")
    assert message == bare


def test_what_is_not_known_is_left_out() -> None:
    """No seed, no hold-out error and no eigenvalues are absent, not zero."""
    unknown = made.diagnostics(seed=None, interpolation_error=None, eigenvalues=(), ritz_residuals=(), curvature=())
    details = LandscapeDetails(made.measured(2), None, unknown)

    found = landscape([0], [0], [[1]], details=details).details

    assert not found.HasField("truth")
    assert not found.diagnostics.HasField("seed")
    assert not found.diagnostics.HasField("interpolation_error")
    assert not found.diagnostics.eigenvalues


def _truth(points: int, **changed: Any) -> PathTruth:
    columns = {name: np.zeros(points) for name in ("real", "plane", "residual", "standard_error")}
    return PathTruth(**(columns | changed))


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: replace(made.measured(2), z=np.zeros((5, 4))), ValueError, r"z must have the shape .*; not \(5, 4\)"),
        (
            lambda: replace(made.measured(2), known=np.zeros(25)),
            ValueError,
            r"known must have the shape .*; not \(25,\)",
        ),
        (lambda: replace(made.measured(2), x=np.zeros((5, 1))), ValueError, r"x must have one dimension; .*\(5, 1\)"),
        (lambda: replace(made.measured(2), level=4), ValueError, "level must be an integer from 0 to 3, not 4"),
        (lambda: replace(made.measured(2), levels=2.0), TypeError, "levels must be an integer, not 2.0"),
        (lambda: _truth(3, real=np.zeros(2)), ValueError, "columns of equal shape"),
        (lambda: made.diagnostics(axis_lengths=(1, 1, 1)), ValueError, "each of 1 or 2 axes; not 3"),
        (
            lambda: made.diagnostics(energy=(0.9,)),
            ValueError,
            "energy must have a number for each axis, 2, or none; not 1",
        ),
        (lambda: made.diagnostics(ritz_residuals=()), ValueError, "one number per eigenvalue; got 0 for 2"),
        (lambda: made.diagnostics(buffers="melted"), ValueError, "'frozen', 'recalibrated'; not 'melted'"),
        (lambda: made.diagnostics(samples=-1), ValueError, "samples must be an integer from 0"),
        (lambda: made.diagnostics(seed="0"), TypeError, "seed must be an integer, not '0'"),
        (lambda: landscape([0], [0], [[1]], details="none"), TypeError, "details must be a LandscapeDetails or None"),
        (
            lambda: landscape(
                [0], [0], [[1]], details=LandscapeDetails(made.measured(2), _truth(3), made.diagnostics())
            ),
            ValueError,
            "one number per point of the path; got 3 for 0",
        ),
    ],
)
def test_shapes_and_values_are_checked(make: Callable[[], object], error: type[Exception], says: str) -> None:
    """What does not fit is refused by its name, with what was expected."""
    with pytest.raises(error, match=says):
        make()
