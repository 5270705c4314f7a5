"""How far a landscape can be trusted, read from its message; and landscapes as files of other programs."""

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
from toposcope.server.landscapes.csv_file import csv
from toposcope.server.landscapes.landscape import landscape
from toposcope.server.landscapes.npz_file import npz
from toposcope.server.landscapes.vtk_files import vti, vtp


def test_details_come_back_as_they_were_recorded() -> None:
    """Nodes, truth and diagnostics equal what the recorder was given; others' landscapes have none."""
    details = landscape(made.bowl().SerializeToString()).details
    assert details is not None
    expected = made.measured(3)

    np.testing.assert_array_equal(details.measured.z, expected.z)
    np.testing.assert_array_equal(details.measured.known, expected.known)
    assert (details.measured.level, details.measured.levels) == (3, 3)
    assert details.truth is not None
    np.testing.assert_array_equal(details.truth.residual, made.RESIDUAL)
    wanted = made.diagnostics()
    assert {name: getattr(wanted, name) for name in ("axes", "samples", "seed", "buffers", "is_flat")} == {
        name: getattr(details.diagnostics, name) for name in ("axes", "samples", "seed", "buffers", "is_flat")
    }
    assert details.diagnostics.eigenvalues.tolist() == [4.0, 2.5]
    assert details.diagnostics.provenance == wanted.provenance
    assert landscape(recorded([0], [0], [[1]]).SerializeToString()).details is None


def _changed(field: str, part: str = "measured", value: object = ()) -> LossLandscape:
    message = made.bowl()
    getattr(getattr(message.details, part), field)[:] = value
    return message


def _without(part: str) -> LossLandscape:
    message = made.bowl()
    message.details.ClearField(part)
    return message


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (_without("measured"), "no measured nodes"),
        (_without("diagnostics"), "no diagnostics"),
        (_changed("z"), "9 x 9 measured nodes; found 0 losses, 81 standard errors"),
        (_changed("known", value=[True]), "1 that are known"),
        (_changed("x", value=[0.0]), "9 x 1 measured nodes"),
        (_changed("plane", "truth"), r"truth of 5 checkpoints; found \[5, 0, 5, 5\]"),
        (_changed("energy", "diagnostics", [1.0]), "each of 2 axes, or none; found energy 1"),
        (_changed("ritz_residuals", "diagnostics"), "a residual for each eigenvalue"),
    ],
)
def test_details_that_do_not_fit_are_refused(message: LossLandscape, says: str) -> None:
    """The error says what was expected and what was found."""
    with pytest.raises(ValueError, match=says):
        landscape(message.SerializeToString())


def test_changed_bytes_of_details_raise_nothing_unexpected() -> None:
    """Whatever one bit of the details becomes, readers meet a ValueError or read on."""
    content = made.bowl(level=1, size=2).SerializeToString()
    begin = len(content) - made.bowl(level=1, size=2).details.ByteSize()
    for at in range(begin, len(content)):
        changed = bytearray(content)
        changed[at] ^= 1 << at % 8
        with suppress(ValueError):
            landscape(bytes(changed))


def test_arrays_of_numpy_are_exact() -> None:
    """Every number of the landscape and of its details comes back from the .npz, nothing of it pickled."""
    read = landscape(made.bowl().SerializeToString())

    with np.load(io.BytesIO(npz(read)), allow_pickle=False) as file:
        arrays = dict(file)

    assert read.details is not None
    for name in ("x", "y", "z"):
        np.testing.assert_array_equal(arrays[name], getattr(read, name))
        np.testing.assert_array_equal(arrays[f"measured_{name}"], getattr(read.details.measured, name))
    np.testing.assert_array_equal(arrays["path_intervals"], [0, 4, 8, 12, 16])
    np.testing.assert_array_equal(
        arrays["truth_real"] - arrays["truth_plane"], read.details.truth[0] - read.details.truth[1]
    )
    np.testing.assert_array_equal(arrays["convergence_point"], [0, 0, 0.1])
    assert json.loads(str(arrays["diagnostics"]))["energy"] == [0.9, 0.06]
    assert json.loads(str(arrays["metadata"]))["unit"] == "step"
    assert set(np.load(io.BytesIO(npz(landscape(recorded([0], [0], [[1]]).SerializeToString()))))) == set("xyz") | {
        "metadata"
    }


def test_lines_are_exact() -> None:
    """Each point of the grid, measured node, checkpoint and the end is a line; the same doubles are read from them."""
    read = landscape(made.bowl(2, lift=1 / 3, size=3).SerializeToString())
    assert read.details is not None

    head, *lines, last = csv(read).decode().split("\r\n")

    assert (head, last) == ("part,interval,step,x,y,loss,standard_error,plane_loss,residual", "")
    by_part: dict[str, list[list[str]]] = {}
    for line in lines:
        part, *cells = line.split(",")
        by_part.setdefault(part, []).append(cells)
    assert {part: len(cells) for part, cells in by_part.items()} == {
        "grid": 9, "measured": 24, "path": 5, "convergence": 1
    }  # fmt: skip
    assert [float(cells[4]) for cells in by_part["grid"]] == read.z.ravel().tolist()
    assert by_part["grid"][1] == ["", "", "0.0", "-1.0", repr(float(read.z[0, 1])), "", "", ""]
    assert by_part["measured"][-1] == ["", "", "1.0", "1.0", "Infinity", "0.01", "", ""]
    truth = read.details.truth
    assert truth is not None
    assert [float(cells[6]) for cells in by_part["path"]] == truth.plane.tolist()
    assert by_part["path"][-1] == ["16", "16", "0.0", "0.0", repr(1 / 3), "0.02", repr(1 / 3), "NaN"]
    bare = csv(landscape(recorded([0], [2], [[1]], path=([0], [1], [3])).SerializeToString()))
    assert bare.splitlines()[1:] == [b"grid,,,0.0,2.0,1.0,,,", b"path,,,0.0,1.0,3.0,,,"]


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
    """They are told by intervals that ascend; else nobody knows them."""
    path = ([0, 1], [0, 1], [2, 1])
    message = recorded([0], [0], [[1]], path=path, intervals=intervals, unit=unit, step_per_epoch=23)

    assert landscape(message.SerializeToString()).steps.tolist() == steps


def _arrays(document: bytes) -> tuple[dict[str, str], dict[str, np.ndarray]]:
    """Return (attributes of what is in the file, its arrays) as the description of the format has them."""
    (found,) = ElementTree.fromstring(document)
    arrays = {}
    for array in found.iter("DataArray"):
        content = base64.b64decode(array.text or "")
        assert struct.unpack("<Q", content[:8]) == (len(content) - 8,)
        kind = {"Float64": "<f8", "Int64": "<i8"}[array.attrib["type"]]
        arrays[array.attrib["Name"]] = np.frombuffer(content[8:], kind)
    return found.attrib, arrays


def test_image_data_of_vtk_has_the_losses_and_their_logarithms() -> None:
    """Points are where the axes say, x fastest, ascending whatever the file's order; no logarithm is NaN."""
    z = [[1.0, 10.0, 100.0], [0.0, -1.0, 1000.0]]
    image, arrays = _arrays(vti(landscape(recorded([-1, 0, 1], [4, 2], z).SerializeToString())))

    assert (image["WholeExtent"], image["Origin"], image["Spacing"]) == ("0 2 0 1 0 0", "-1.0 2.0 0", "1.0 2.0 1")
    assert arrays["loss"].tolist() == [0, -1, 1000, 1, 10, 100]
    np.testing.assert_array_equal(arrays["log10_loss"], [np.nan, np.nan, 3, 0, 1, 2])
    with pytest.raises(ValueError, match="evenly spaced axes; y is not"):
        vti(landscape(recorded([0, 1], [0, 1, 3], np.ones((3, 2))).SerializeToString()))


def test_poly_data_of_vtk_has_the_checkpoints() -> None:
    """Points stand at the real losses, with all that is known of them; without a path there is no file."""
    read = landscape(made.bowl().SerializeToString())
    assert read.path is not None

    _, arrays = _arrays(vtp(read))

    np.testing.assert_array_equal(arrays["Points"].reshape(5, 3), np.stack(read.path[:3], axis=1))
    np.testing.assert_allclose(arrays["gap"], made.GAP)
    np.testing.assert_array_equal(arrays["residual"], made.RESIDUAL)
    assert arrays["step"].tolist() == arrays["interval"].tolist() == [0, 4, 8, 12, 16]
    with pytest.raises(ValueError, match="no path"):
        vtp(landscape(recorded([0], [0], [[1]]).SerializeToString()))
