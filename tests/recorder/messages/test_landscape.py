"""Loss landscapes built from arrays."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from support import golden_run

from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.proto.tensor_pb2 import DT_FLOAT64, TensorProto
from toposcope.recorder.messages.landscape import landscape


def singles(tensor: TensorProto) -> np.ndarray:
    """Return the elements of a tensor as MindInsight reads them."""
    return np.array(tensor.float_data, np.float32).reshape(tuple(tensor.dims))


def doubles(tensor: TensorProto) -> np.ndarray:
    """Return the elements of a tensor as our reader reads them."""
    if tensor.HasField("raw_data"):
        return np.frombuffer(tensor.raw_data, "<f8").reshape(tuple(tensor.dims))
    return singles(tensor).astype(np.float64)


def test_landscape_with_a_path_matches_mindspore() -> None:
    """The arrays, the path and the convergence point of a golden landscape result in its message."""
    golden = golden_run.landscapes()["landscape_[1, 4]"]
    surface, points, end = golden.landscape, golden.loss_path.points, golden.convergence_point
    # MindSpore's arrays are float64, float32 and int64; ours are all float64.
    for axis in (points.x, points.y, end.x, end.y):
        axis.data_type = DT_FLOAT64

    message = landscape(
        singles(surface.x),
        singles(surface.y),
        singles(surface.z),
        path=(singles(points.x), singles(points.y), singles(points.z)),
        intervals=[1, 2, 3, 4],
        convergence_point=[singles(axis)[0] for axis in (end.x, end.y, end.z)],
        unit="epoch",
        step_per_epoch=23,
    )

    assert message == golden


def test_landscape_without_a_path_matches_mindspore() -> None:
    """A landscape along random directions has no path."""
    golden = golden_run.landscapes()["landscape_[4]"]
    surface, end = golden.landscape, golden.convergence_point

    message = landscape(
        surface.x.float_data[:],
        surface.y.float_data[:],
        singles(surface.z).tolist(),
        convergence_point=tuple(axis.float_data[0] for axis in (end.x, end.y, end.z)),
        decomposition="Random",
        unit="epoch",
        step_per_epoch=23,
    )

    assert message == golden


@given(arrays(np.float64, (2, 3), elements=st.floats()))
def test_losses_are_exact(z: np.ndarray) -> None:
    """Every double is stored exactly; MindInsight reads the nearest float32."""
    message = LossLandscape.FromString(landscape([0, 1, 2], [0, 1], z).SerializeToString())

    stored = message.landscape.z
    assert stored.data_type == DT_FLOAT64
    assert list(stored.dims) == [2, 3]
    np.testing.assert_array_equal(doubles(stored), z)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(singles(stored), z.astype(np.float32))


def test_raw_data_is_absent_if_float32_is_exact() -> None:
    """Numbers that float32 represents, including NaN and infinities, are stored once."""
    message = landscape([0.5, np.nan], [0.1], [[np.inf, 2.0]])

    assert not message.landscape.x.HasField("raw_data")
    assert message.landscape.y.HasField("raw_data")
    assert not message.landscape.z.HasField("raw_data")


def test_path_of_rows_equals_path_of_columns() -> None:
    """A path may be an array with rows (x, y, loss), or a tuple of three columns."""
    rows = np.arange(12.0).reshape(4, 3)

    by_rows = landscape([0], [0], [[1]], path=rows, intervals=np.arange(4))
    by_columns = landscape([0], [0], [[1]], path=(rows[:, 0], rows[:, 1], rows[:, 2]), intervals=range(4))

    assert by_rows == by_columns
    assert list(by_rows.loss_path.points.z.float_data) == [2, 5, 8, 11]
    assert list(by_rows.loss_path.intervals) == [0, 1, 2, 3]


def test_message_is_a_snapshot() -> None:
    """A later change of an array does not change the message."""
    z = np.zeros((1, 1))
    message = landscape([0], [0], z)
    z[:] = 7

    assert list(message.landscape.z.float_data) == [0]


@pytest.mark.parametrize(
    ("x", "y", "z", "message"),
    [
        (np.zeros(3), np.zeros(2), np.zeros((3, 2)), r"got z \(3, 2\), y \(2,\) and x \(3,\)"),
        (np.zeros(3), np.zeros(2), np.zeros(6), r"z must have 2 dimension\(s\); got shape \(6,\)"),
        (np.zeros((3, 1)), np.zeros(2), np.zeros((2, 3)), r"x must have 1 dimension\(s\); got shape \(3, 1\)"),
        ([], [], np.zeros((0, 0)), r"at least \(1, 1\)"),
    ],
)
def test_shapes_that_do_not_match_are_value_errors(x: object, y: object, z: object, message: str) -> None:
    """The message contains the shapes."""
    with pytest.raises(ValueError, match=message):
        landscape(x, y, z)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"path": np.zeros((4, 2))}, ValueError, r"path must have the shape \(k, 3\), at least \(1, 3\); not \(4, 2\)"),
        ({"path": np.zeros((0, 3))}, ValueError, r"path must have the shape .* not \(0, 3\)"),
        ({"path": ([1], [1, 2], [1])}, ValueError, r"three columns of equal shape; not \[\(1,\), \(2,\), \(1,\)\]"),
        ({"path": [[1, 2, 3]], "intervals": [1, 2]}, ValueError, "one integer per point of the path; got 2 for 1"),
        ({"path": [[1, 2, 3]], "intervals": [2**31]}, ValueError, "an interval must be an integer from"),
        ({"path": [[1, 2, 3]], "intervals": [1.5]}, TypeError, "an interval must be an integer"),
        ({"path": [[1, 2, 3]], "intervals": 1}, TypeError, "intervals must be a list of integers"),
        ({"intervals": [1]}, ValueError, "intervals require a path"),
        ({"convergence_point": [0, 0]}, ValueError, r"convergence_point must have the shape \(3,\).* not \(2,\)"),
        ({"convergence_point": "origin"}, TypeError, "convergence_point"),
        ({"decomposition": None}, TypeError, "decomposition must be a str"),
        ({"unit": "batch"}, ValueError, "unit must be 'step' or 'epoch', not 'batch'"),
        ({"step_per_epoch": 0}, ValueError, "step_per_epoch must be an integer from 1"),
        ({"step_per_epoch": True}, TypeError, "step_per_epoch must be an integer"),
    ],
)
def test_invalid_arguments_are_rejected(options: dict[str, Any], error: type[Exception], message: str) -> None:
    """The message names the argument."""
    with pytest.raises(error, match=message):
        landscape([0], [0], [[1]], **options)


@pytest.mark.parametrize("z", ["loss", [["1"]], [[1j]], [[1], [1, 2]], None, [[None]]])
def test_losses_must_be_real_numbers(z: object) -> None:
    """Other elements than real numbers are a TypeError."""
    with pytest.raises(TypeError, match="z"):
        landscape([0], [0], z)
