"""The details of a landscape, read from its message, and landscapes as files of other programs."""

import base64
import io
import json
import struct
import xml.etree.ElementTree as ElementTree
from contextlib import suppress

import numpy as np
import pytest
from support import landscape_details as made

from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.recorder.messages.landscape import landscape as recorded
from toposcope.server.landscapes.files.csv_file import csv_file
from toposcope.server.landscapes.files.npz_file import npz_file
from toposcope.server.landscapes.files.vtk_files import vti_file, vtp_file
from toposcope.server.landscapes.landscape import read_landscape


def test_details_equal_those_recorded() -> None:
    """Nodes, losses of the path and diagnostics equal those recorded; landscapes of other writers have none."""
    details = read_landscape(made.bowl().SerializeToString()).details
    assert details is not None
    expected = made.measured(3)

    np.testing.assert_array_equal(details.measured.z, expected.z)
    np.testing.assert_array_equal(details.measured.known, expected.known)
    assert (details.measured.level, details.measured.levels) == (3, 3)
    assert details.truth is not None
    np.testing.assert_array_equal(details.truth.residual, made.RESIDUAL)
    recorded_diagnostics = made.diagnostics()
    assert {
        name: getattr(recorded_diagnostics, name) for name in ("axes", "samples", "seed", "buffers", "is_flat")
    } == {name: getattr(details.diagnostics, name) for name in ("axes", "samples", "seed", "buffers", "is_flat")}
    assert details.diagnostics.eigenvalues.tolist() == [4.0, 2.5]
    assert read_landscape(recorded([0], [0], [[1]]).SerializeToString()).details is None


def _changed(field: str, part: str = "measured", value: object = ()) -> LossLandscape:
    message = made.bowl()
    getattr(getattr(message.details, part), field)[:] = value
    return message


def _without(part: str) -> LossLandscape:
    message = made.bowl()
    message.details.ClearField(part)
    return message


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (_without("measured"), "no measured nodes"),
        (_without("diagnostics"), "no diagnostics"),
        (_changed("z"), "9 x 9 measured nodes, but there are 0 losses, 81 standard"),
        (_changed("known", value=[True]), "1 flags"),
        (_changed("x", value=[0.0]), "9 x 1 measured nodes"),
        (_changed("plane", "truth"), r"losses of 5 checkpoints, but the lists have \[5, 0, 5, 5\]"),
        (_changed("energy", "diagnostics", [1.0]), "each of 2 axes, or none, but the sizes are energy 1"),
        (_changed("ritz_residuals", "diagnostics"), "a residual for each eigenvalue"),
    ],
)
def test_mismatched_details_are_errors(message: LossLandscape, error: str) -> None:
    """The error contains the expected and the actual sizes."""
    with pytest.raises(ValueError, match=error):
        read_landscape(message.SerializeToString())


def test_changed_bytes_of_details_raise_nothing_unexpected() -> None:
    """Flipping any bit of the details raises nothing but ValueError."""
    content = made.bowl(level=1, size=2).SerializeToString()
    begin = len(content) - made.bowl(level=1, size=2).details.ByteSize()
    for at in range(begin, len(content)):
        changed = bytearray(content)
        changed[at] ^= 1 << at % 8
        with suppress(ValueError):
            read_landscape(bytes(changed))


def test_npz_file_is_exact() -> None:
    """The .npz file contains every number of the landscape and its details, and no pickled objects."""
    read = read_landscape(made.bowl().SerializeToString())

    with np.load(io.BytesIO(npz_file(read)), allow_pickle=False) as file:
        arrays = dict(file)

    assert read.details is not None
    for name in ("x", "y", "z"):
        np.testing.assert_array_equal(arrays[name], getattr(read, name))
        np.testing.assert_array_equal(arrays[f"measured_{name}"], getattr(read.details.measured, name))
    np.testing.assert_array_equal(arrays["path_intervals"], [0, 4, 8, 12, 16])
    assert read.details.truth is not None
    np.testing.assert_array_equal(
        arrays["truth_real"] - arrays["truth_plane"], read.details.truth[0] - read.details.truth[1]
    )
    np.testing.assert_array_equal(arrays["convergence_point"], [0, 0, 0.1])
    assert json.loads(str(arrays["diagnostics"]))["energy"] == [0.9, 0.06]
    assert json.loads(str(arrays["metadata"]))["unit"] == "step"
    assert set(np.load(io.BytesIO(npz_file(read_landscape(recorded([0], [0], [[1]]).SerializeToString()))))) == set(
        "xyz"
    ) | {"metadata"}


def test_csv_file_is_exact() -> None:
    """Each grid point, measured node, checkpoint and the convergence point is a line; doubles are exact."""
    read = read_landscape(made.bowl(2, lift=1 / 3, size=3).SerializeToString())
    assert read.details is not None

    head, *lines, last = csv_file(read).decode().split("\r\n")

    assert (head, last) == (
        "part,interval,step,x,y,loss,standard_error,plane_loss,residual,difference_error,gap_error",
        "",
    )
    by_part: dict[str, list[list[str]]] = {}
    for line in lines:
        part, *cells = line.split(",")
        by_part.setdefault(part, []).append(cells)
    assert {part: len(cells) for part, cells in by_part.items()} == {
        "grid": 9, "measured": 24, "path": 5, "convergence": 1
    }  # fmt: skip
    assert [float(cells[4]) for cells in by_part["grid"]] == read.z.ravel().tolist()
    assert by_part["grid"][1] == ["", "", "0.0", "-1.0", repr(float(read.z[0, 1])), *[""] * 5]
    assert by_part["measured"][-1] == ["", "", "1.0", "1.0", "Infinity", "0.01", "", "", "0.002", ""]
    truth = read.details.truth
    assert truth is not None
    assert [float(cells[6]) for cells in by_part["path"]] == truth.plane.tolist()
    assert by_part["path"][-1] == ["16", "16", "0.0", "0.0", repr(1 / 3), "0.02", repr(1 / 3), "NaN", "", "0.004"]
    bare = csv_file(read_landscape(recorded([0], [2], [[1]], path=([0], [1], [3])).SerializeToString()))
    assert bare.splitlines()[1:] == [b"grid,,,0.0,2.0,1.0,,,,,", b"path,,,0.0,1.0,3.0,,,,,"]


@pytest.mark.parametrize(
    ("intervals", "unit", "steps"),
    [
        ([1, 4], "epoch", [23, 92]),
        ([1, 4], "step", [1, 4]),
        ([4, 4], "epoch", []),
        (None, "epoch", []),
    ],
)
def test_steps_of_checkpoints(intervals: list[int] | None, unit: str, steps: list[int]) -> None:
    """They are computed from increasing intervals; otherwise they are unknown."""
    path = ([0, 1], [0, 1], [2, 1])
    message = recorded([0], [0], [[1]], path=path, intervals=intervals, unit=unit, step_per_epoch=23)

    assert read_landscape(message.SerializeToString()).steps.tolist() == steps


def _arrays(document: bytes) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """Return (attributes of the data set, its arrays) as the VTK format defines them."""
    (data_set,) = ElementTree.fromstring(document)
    arrays = {}
    for array in data_set.iter("DataArray"):
        content = base64.b64decode(array.text or "")
        assert struct.unpack("<Q", content[:8]) == (len(content) - 8,)
        kind = {"Float64": "<f8", "Int64": "<i8"}[array.attrib["type"]]
        arrays[array.attrib["Name"]] = np.frombuffer(content[8:], kind)
    return data_set.attrib, arrays


def test_vti_file_has_losses_and_their_logarithms() -> None:
    """Points are ordered by ascending coordinates, x fastest; a missing logarithm is NaN."""
    z = [[1.0, 10.0, 100.0], [0.0, -1.0, 1000.0]]
    image, arrays = _arrays(vti_file(read_landscape(recorded([-1, 0, 1], [4, 2], z).SerializeToString())))

    assert (image["WholeExtent"], image["Origin"], image["Spacing"]) == ("0 2 0 1 0 0", "-1.0 2.0 0", "1.0 2.0 1")
    assert arrays["loss"].tolist() == [0, -1, 1000, 1, 10, 100]
    np.testing.assert_array_equal(arrays["log10_loss"], [np.nan, np.nan, 3, 0, 1, 2])
    with pytest.raises(ValueError, match="evenly spaced axes, and y is not"):
        vti_file(read_landscape(recorded([0, 1], [0, 1, 3], np.ones((3, 2))).SerializeToString()))


def test_vtp_file_has_the_checkpoints() -> None:
    """Points are at the losses of the checkpoints, with all their arrays; a landscape without a path is an error."""
    read = read_landscape(made.bowl().SerializeToString())
    assert read.path is not None

    _, arrays = _arrays(vtp_file(read))

    np.testing.assert_array_equal(arrays["Points"].reshape(5, 3), np.stack(read.path[:3], axis=1))
    np.testing.assert_allclose(arrays["gap"], made.GAP)
    np.testing.assert_array_equal(arrays["residual"], made.RESIDUAL)
    assert arrays["step"].tolist() == arrays["interval"].tolist() == [0, 4, 8, 12, 16]
    with pytest.raises(ValueError, match="no path"):
        vtp_file(read_landscape(recorded([0], [0], [[1]]).SerializeToString()))
