"""Details of loss landscapes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from support import landscape_details as examples

from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.recorder.messages.landscape import landscape
from toposcope.recorder.messages.landscape_details import LandscapeDetails, PathTruth


def test_details_are_stored_exactly() -> None:
    """Measured nodes (also if not finite), true losses of the path and diagnostics are preserved bit by bit."""
    message = LossLandscape.FromString(examples.bowl().SerializeToString())
    nodes, truth, diagnostics = message.details.measured, message.details.truth, message.details.diagnostics

    expected = examples.measured(3)
    assert (list(nodes.x), list(nodes.y)) == (expected.x.tolist(), expected.y.tolist())
    np.testing.assert_array_equal(np.reshape(nodes.z, (9, 9)), expected.z)
    np.testing.assert_array_equal(np.reshape(nodes.known, (9, 9)), expected.known)
    assert (set(nodes.standard_error), nodes.level, nodes.levels) == ({0.01}, 3, 3)
    np.testing.assert_allclose(np.subtract(truth.real, truth.plane), examples.GAP, atol=1e-15)
    np.testing.assert_array_equal(truth.residual, examples.RESIDUAL)
    assert (list(diagnostics.energy), diagnostics.seed, diagnostics.buffers) == ([0.9, 0.06], 7, "moved")
    assert diagnostics.provenance["axes"] == "plane one"

    message.ClearField("details")
    without_details = examples.bowl()
    without_details.ClearField("details")
    assert message == without_details


def test_unknown_values_are_absent() -> None:
    """An unknown seed, interpolation error and eigenvalues are absent, not zero."""
    unknown = examples.diagnostics(seed=None, interpolation_error=None, eigenvalues=(), ritz_residuals=(), curvature=())
    details = LandscapeDetails(examples.measured(2), None, unknown)

    stored = landscape([0], [0], [[1]], details=details).details

    assert not stored.HasField("truth")
    assert not stored.diagnostics.HasField("seed")
    assert not stored.diagnostics.HasField("interpolation_error")
    assert not stored.diagnostics.eigenvalues


def _truth(points: int, **changed: Any) -> PathTruth:
    columns = {name: np.zeros(points) for name in ("real", "plane", "residual", "standard_error")}
    return PathTruth(**(columns | changed))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: replace(examples.measured(2), z=np.zeros((5, 4))),
            ValueError,
            r"z must have the shape .*; not \(5, 4\)",
        ),
        (
            lambda: replace(examples.measured(2), known=np.zeros(25, np.bool_)),
            ValueError,
            r"known must have the shape .*; not \(25,\)",
        ),
        (
            lambda: replace(examples.measured(2), x=np.zeros((5, 1))),
            ValueError,
            r"x must have one dimension; .*\(5, 1\)",
        ),
        (lambda: replace(examples.measured(2), level=4), ValueError, "level must be an integer from 0 to 3, not 4"),
        (lambda: replace(examples.measured(2), levels=cast(int, 2.0)), TypeError, "levels must be an integer, not 2.0"),
        (lambda: _truth(3, real=np.zeros(2)), ValueError, "columns of equal shape"),
        (lambda: examples.diagnostics(axis_lengths=(1, 1, 1)), ValueError, "each of 1 or 2 axes; not 3"),
        (
            lambda: examples.diagnostics(energy=(0.9,)),
            ValueError,
            "energy must have a number for each axis, 2, or none; not 1",
        ),
        (lambda: examples.diagnostics(ritz_residuals=()), ValueError, "one number per eigenvalue; got 0 for 2"),
        (lambda: examples.diagnostics(buffers="melted"), ValueError, "'frozen', 'recalibrated'; not 'melted'"),
        (lambda: examples.diagnostics(samples=-1), ValueError, "samples must be an integer from 0"),
        (lambda: examples.diagnostics(seed="0"), TypeError, "seed must be an integer, not '0'"),
        (
            lambda: landscape([0], [0], [[1]], details=cast(LandscapeDetails, "none")),
            TypeError,
            "details must be a LandscapeDetails or None",
        ),
        (
            lambda: landscape(
                [0], [0], [[1]], details=LandscapeDetails(examples.measured(2), _truth(3), examples.diagnostics())
            ),
            ValueError,
            "one number per point of the path; got 3 for 0",
        ),
    ],
)
def test_invalid_shapes_and_values_are_rejected(
    make: Callable[[], object], error: type[Exception], message: str
) -> None:
    """The message names the field and the expected value."""
    with pytest.raises(error, match=message):
        make()
