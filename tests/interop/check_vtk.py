"""Landscape files of the server, read by the readers of VTK, which ParaView uses."""

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import http
from support import landscape_details as made
from support.event_files import GOLDEN
from support.landscape_panes import publish
from support.servers import start, stop, wait_until

from toposcope.recorder import landscape

HERE = Path(__file__).parent
PYTHON = HERE.parents[1] / "build/interop/vtk/bin/python"
DETAILED, DESCENDING, ODD, LOST = "detailed", "descending", "odd", "lost"
GOLDEN_RUN, GOLDEN_TAG = "mindspore/digits_momentum", "landscape_[1, 4]"


def odd() -> Any:
    """Return a landscape that is not square, with losses that have no logarithm."""
    z = [[0.5, 0.0, -1.0], [float("nan"), float("inf"), 1e-300]]
    return landscape([-1, 0, 1], [0, 1 / 3], z, path=([0.1, 0.2], [0.0, 0.3], [1.0, 1 / 3]), intervals=[3, 9])


def lost() -> Any:
    """Return a landscape with two checkpoints whose loss is not finite."""
    message = made.bowl(2)
    message.details.truth.real[1] = float("nan")
    message.details.truth.real[2] = message.details.truth.plane[2] = float("inf")
    return message


@pytest.fixture(scope="module")
def replies(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """Return, for each landscape, the reply of the API and what VTK reads of the surface and of the path."""
    logdir, folder = tmp_path_factory.mktemp("logdir"), tmp_path_factory.mktemp("files")
    axis = np.linspace(1, -1, 5)
    publish(logdir, DETAILED, made.bowl())
    publish(logdir, DESCENDING, landscape(axis, -axis, made.losses(*np.meshgrid(axis, -axis)), path=([0], [0.5], [2])))
    publish(logdir, ODD, odd())
    publish(logdir, LOST, lost())
    (logdir / "mindspore").symlink_to(GOLDEN / "mindspore")
    names = [(".", tag) for tag in (DETAILED, DESCENDING, ODD, LOST)] + [(GOLDEN_RUN, GOLDEN_TAG)]
    process, url = start(logdir)
    replied, files = [], []
    with http.client(base_url=url) as client:
        wait_until(lambda: not client.get("api/health").json()["loading"])
        for at, (run, tag) in enumerate(names):
            query = {"run": run, "tag": tag}
            replied += client.get("api/landscapes", params=query).raise_for_status().json()["landscapes"]
            for ending in ("vti", "vtp"):
                files.append(folder / f"{at}.{ending}")
                content = client.get(f"api/landscapes.{ending}", params=query).raise_for_status().content
                files[-1].write_bytes(content)
    stop(process)
    read = json.loads(subprocess.check_output([PYTHON, HERE / "vtk_sees.py", *files]))
    return {tag: (replied[at], read[2 * at], read[2 * at + 1]) for at, (_, tag) in enumerate(names)}


def _numbers(column: Any) -> Any:
    return np.array(column, float)


@pytest.mark.parametrize("tag", [DETAILED, DESCENDING, ODD, LOST, GOLDEN_TAG])
def test_surface_has_every_loss_at_its_position(replies: Any, tag: str) -> None:
    """Each point of the image data has the loss of the API, bit for bit, and its logarithm."""
    replied, image, _ = replies[tag]
    x, y, z = (_numbers(replied[name]) for name in "xyz")

    assert image["dimensions"] == [x.size, y.size, 1]
    assert image["active"] == "loss"
    order = np.ix_(np.argsort(y), np.argsort(x))
    losses = _numbers(image["arrays"]["loss"]).reshape(z.shape)
    np.testing.assert_array_equal(losses, z[order])
    logarithms = [math.log10(loss) if loss > 0 else math.nan for loss in losses.ravel().tolist()]
    np.testing.assert_array_equal(_numbers(image["arrays"]["log10_loss"]), logarithms)
    positions = np.array(image["points"]).reshape(y.size, x.size, 3)
    np.testing.assert_allclose(positions[..., 0], np.broadcast_to(np.sort(x), z.shape), atol=1e-6 * np.ptp(x))
    np.testing.assert_allclose(positions[..., 1], np.broadcast_to(np.sort(y)[:, None], z.shape), atol=1e-6 * np.ptp(y))


@pytest.mark.parametrize("tag", [DETAILED, DESCENDING, ODD, LOST, GOLDEN_TAG])
def test_path_has_every_checkpoint(replies: Any, tag: str) -> None:
    """Points are at the checkpoints, in order on one line, with all the arrays of the API."""
    replied, _, path = replies[tag]
    truth, unit = replied["truth"], replied["metadata"]["unit"]
    count = len(replied["path"]["x"])
    columns = (
        {"plane_loss": replied["path"]["z"]}
        if truth is None
        else {"real_loss": truth["real"], "plane_loss": truth["plane"]}
        | {name: truth[name] for name in ("residual", "standard_error", "gap_error") if truth[name] is not None}
    )
    expected = {name: _numbers(column) for name, column in columns.items()}
    if truth is not None:
        with np.errstate(invalid="ignore"):
            expected["gap"] = expected["real_loss"] - expected["plane_loss"]
    intervals = _numbers(replied["path"]["intervals"])
    if intervals.size:
        expected["interval"] = intervals
        expected["step"] = intervals * (replied["metadata"]["step_per_epoch"] if unit == "epoch" else 1)

    assert path["arrays"].keys() == expected.keys()
    for name, column in expected.items():
        np.testing.assert_array_equal(_numbers(path["arrays"][name]), column, name)
    assert path["active"] == ("plane_loss" if truth is None else "real_loss")
    vertices = [["vtkVertex", [at]] for at in range(count)]
    line = "vtkLine" if count == 2 else "vtkPolyLine"
    assert path["cells"] == [*vertices, [line, list(range(count))]]
    x, y, heights = np.array(path["points"]).T
    np.testing.assert_array_equal((x, y), (_numbers(replied["path"]["x"]), _numbers(replied["path"]["y"])))
    finite = np.isfinite(expected[path["active"]])
    np.testing.assert_array_equal(heights[finite], expected[path["active"]][finite])


def test_checkpoint_without_a_finite_loss_has_a_position(replies: Any) -> None:
    """It is at its loss on the plane, or at 0, as ParaView cannot compute bounds with NaN."""
    _, _, path = replies[LOST]

    heights = np.array(path["points"])[:, 2]
    assert (heights[1], heights[2]) == (path["arrays"]["plane_loss"][1], 0)
