"""Loss landscapes as arrays."""

import json
import math
from contextlib import suppress

import numpy as np
import pytest
from google.protobuf.message import DecodeError
from support.event_files import GOLDEN
from support.golden_run import landscapes

from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.recorder import landscape as recorded
from toposcope.server.landscapes.landscape import Landscape, read_landscape

_X, _Y = [0.0, 0.5, 1.0], [-1.0, 1.0]
_Z = [[0.1, 0.2, 0.3], [1e-300, 5.0, 6.0]]
_PATH = [[0.0, 0.0, 3.0], [1.0, 1.0, 2.0]]


@pytest.mark.parametrize("tag", ["landscape_[1, 4]", "landscape_[4]"])
def test_golden_landscapes_equal_those_of_mindspore_and_mindinsight(tag: str) -> None:
    """Axes, losses, path, convergence point, metadata and kind equal those of the writer and of MindInsight."""
    run = GOLDEN / "mindspore" / "digits_momentum"
    wrote = json.loads((run / "expected.json").read_text())["landscape"][tag]
    sees = json.loads((run / "mindinsight_sees.json").read_text())["digits_momentum"]["landscape"]
    (shown,) = sees["intervals"][0][1] if wrote["intervals"] else sees["final"]

    read = read_landscape(landscapes()[tag].SerializeToString())

    assert read.z.ravel().tolist() == wrote["z"]
    assert [list(read.x.shape), list(read.y.shape), list(read.z.shape)] == list(wrote["dims"].values())
    assert read.metadata == wrote["metadata"] == {name: shown["metadata"][name] for name in wrote["metadata"]}
    assert {name: getattr(read, name).tolist() for name in "xyz"} == shown["points"]
    assert read.convergence_point is not None
    assert read.convergence_point.tolist() == shown["convergence_point"]
    assert ({name: column.tolist() for name, column in read.path._asdict().items()} if read.path else {}) == shown.get(
        "path", {}
    )
    assert read.kind == ("interval" if wrote["intervals"] else "final")


def test_numbers_are_exact() -> None:
    """Doubles beyond float32 are read from the exact bytes; NaN and infinities are kept."""
    z = [[0.1, math.nan, 1e300], [math.inf, -math.inf, 1e-300]]
    message = recorded(_X, _Y, z, path=_PATH, intervals=[3, 7], convergence_point=[1 / 3, 1 / 7, 0.1], unit="epoch")

    read = read_landscape(message.SerializeToString())

    np.testing.assert_array_equal(read.z, z)
    assert (read.x.tolist(), read.y.tolist(), read.kind) == (_X, _Y, "interval")
    assert read.path is not None
    assert [column.tolist() for column in read.path] == [[0.0, 1.0], [0.0, 1.0], [3.0, 2.0], [3, 7]]
    assert read.convergence_point is not None
    assert read.convergence_point.tolist() == [1 / 3, 1 / 7, 0.1]
    assert read.metadata == {"decomposition": "PCA", "unit": "epoch", "step_per_epoch": 1}


def test_landscape_without_intervals_is_final() -> None:
    """A landscape with a path but without intervals is of the final kind."""
    bare = read_landscape(recorded(_X, _Y, _Z).SerializeToString())
    with_path = read_landscape(recorded(_X, _Y, _Z, path=_PATH).SerializeToString())

    assert (bare.kind, bare.path, bare.convergence_point) == ("final", None, None)
    assert with_path.kind == "final"
    assert with_path.path is not None
    assert with_path.path.intervals.tolist() == []


def _valid_landscape() -> LossLandscape:
    return recorded(_X, _Y, _Z, path=_PATH, intervals=[1, 2], convergence_point=[0, 0, 1])


def _without_surface() -> LossLandscape:
    message = _valid_landscape()
    message.ClearField("landscape")
    return message


def _with_dims(axis: str, dims: list[int]) -> LossLandscape:
    message = _valid_landscape()
    getattr(message.landscape, axis).dims[:] = dims
    return message


def _of_type(data_type: str) -> LossLandscape:
    message = _valid_landscape()
    message.landscape.x.ClearField("raw_data")
    message.landscape.x.MergeFrom(type(message.landscape.x)(data_type=data_type))
    return message


def _with_intervals(intervals: list[int]) -> LossLandscape:
    message = _valid_landscape()
    message.loss_path.intervals[:] = intervals
    return message


def _with_two_convergence_points() -> LossLandscape:
    message = _valid_landscape()
    message.convergence_point.CopyFrom(message.loss_path.points)
    return message


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (LossLandscape(), "no surface"),
        (_without_surface(), "no surface"),
        (_with_dims("z", [3, 2]), r"\(3,\), \(2,\) and \(3, 2\)"),
        (_with_dims("z", [6]), r"and \(6,\)"),
        (_with_dims("x", [1, 3]), r"shapes are \(1, 3\)"),
        (_with_dims("x", [2**40]), "x: "),
        (_with_dims("y", [-2]), "y: "),
        (_with_dims("z", [2**62, 4]), "z: "),
        (_of_type("DT_STRING"), "x is not a tensor of real numbers"),
        (_of_type("DT_COMPLEX64"), "x is not a tensor of real numbers"),
        (_with_intervals([1, 2, 3]), "3 intervals"),
        (_with_two_convergence_points(), "one convergence point"),
    ],
)
def test_mismatched_shapes_are_errors(message: LossLandscape, error: str) -> None:
    """The error contains the expected and the actual shapes."""
    with pytest.raises(ValueError, match=error):
        read_landscape(message.SerializeToString())


def test_valid_landscape_is_read() -> None:
    """The landscape that the invalid ones are derived from is valid."""
    assert isinstance(read_landscape(_valid_landscape().SerializeToString()), Landscape)


def test_changed_bytes_raise_nothing_unexpected() -> None:
    """Flipping any bit of a message raises nothing but the documented errors."""
    content = _valid_landscape().SerializeToString()
    for at in range(len(content)):
        for bit in (0, 1, 7):
            changed = bytearray(content)
            changed[at] ^= 1 << bit
            with suppress(DecodeError, ValueError):
                read_landscape(bytes(changed))
