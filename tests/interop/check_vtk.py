"""What VTK's own readers, those of ParaView, see of the landscapes that we serve as files."""

import json
import subprocess
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
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
    """Return a landscape of which two checkpoints have no finite loss."""
    message = made.bowl(2)
    message.details.truth.real[1] = float("nan")
    message.details.truth.real[2] = message.details.truth.plane[2] = float("inf")
    return message


@pytest.fixture(scope="module")
def replies(
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """Return of each landscape what the API says, and what VTK sees of the surface and of the path."""
    logdir, folder = tmp_path_factory.mktemp("logdir"), tmp_path_factory.mktemp("files")
    axis = np.linspace(1, -1, 5)
    publish(logdir, DETAILED, made.bowl())
    publish(logdir, DESCENDING, landscape(axis, -axis, made.losses(*np.meshgrid(axis, -axis)), path=([0], [0.5], [2])))
    publish(logdir, ODD, odd())
    publish(logdir, LOST, lost())
    (logdir / "mindspore").symlink_to(GOLDEN / "mindspore")
    names = [(".", tag) for tag in (DETAILED, DESCENDING, ODD, LOST)] + [(GOLDEN_RUN, GOLDEN_TAG)]
    process, url = start(logdir)
    said, files = [], []
    with httpx.Client(base_url=url) as client:
        wait_until(lambda: not client.get("api/health").json()["loading"])
        for at, (run, tag) in enumerate(names):
            query = {"run": run, "tag": tag}
            said += client.get("api/landscapes", params=query).raise_for_status().json()["landscapes"]
            for ending in ("vti", "vtp"):
                files.append(folder / f"{at}.{ending}")
                content = client.get(f"api/landscapes.{ending}", params=query).raise_for_status().content
                files[-1].write_bytes(content)
    stop(process)
    seen = json.loads(subprocess.check_output([PYTHON, HERE / "vtk_sees.py", *files]))
    return {tag: (said[at], seen[2 * at], seen[2 * at + 1]) for at, (_, tag) in enumerate(names)}


def _numbers(column: Any) -> Any:
    return np.array(column, float)


@pytest.mark.parametrize("tag", [DETAILED, DESCENDING, ODD, LOST, GOLDEN_TAG])
def test_the_surface_has_every_loss_at_its_place(replies: Any, tag: str) -> None:
    """Each point of the image data has the loss that the API has there, bit for bit, and its logarithm."""
    said, image, _ = replies[tag]
    x, y, z = (_numbers(said[name]) for name in "xyz")

    assert image["dimensions"] == [x.size, y.size, 1]
    assert image["active"] == "loss"
    order = np.ix_(np.argsort(y), np.argsort(x))
    losses = _numbers(image["arrays"]["loss"]).reshape(z.shape)
    np.testing.assert_array_equal(losses, z[order])
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.where(losses > 0, np.log10(losses), np.nan)
    np.testing.assert_array_equal(_numbers(image["arrays"]["log10_loss"]).reshape(z.shape), logarithms)
    places = np.array(image["points"]).reshape(y.size, x.size, 3)
    np.testing.assert_allclose(places[..., 0], np.broadcast_to(np.sort(x), z.shape), atol=1e-6 * np.ptp(x))
    np.testing.assert_allclose(places[..., 1], np.broadcast_to(np.sort(y)[:, None], z.shape), atol=1e-6 * np.ptp(y))


@pytest.mark.parametrize("tag", [DETAILED, DESCENDING, ODD, LOST, GOLDEN_TAG])
def test_the_path_has_every_checkpoint(replies: Any, tag: str) -> None:
    """Points stand at the checkpoints, in their order on one line, and tell all that the API knows of them."""
    said, _, path = replies[tag]
    truth, unit = said["truth"], said["metadata"]["unit"]
    count = len(said["path"]["x"])
    known = (
        {"plane_loss": said["path"]["z"]}
        if truth is None
        else {"real_loss": truth["real"], "plane_loss": truth["plane"]}
        | {name: truth[name] for name in ("residual", "standard_error")}
    )
    wanted = {name: _numbers(column) for name, column in known.items()}
    if truth is not None:
        with np.errstate(invalid="ignore"):
            wanted["gap"] = wanted["real_loss"] - wanted["plane_loss"]
    intervals = _numbers(said["path"]["intervals"])
    if intervals.size:
        wanted["interval"] = intervals
        wanted["step"] = intervals * (said["metadata"]["step_per_epoch"] if unit == "epoch" else 1)

    assert path["arrays"].keys() == wanted.keys()
    for name, column in wanted.items():
        np.testing.assert_array_equal(_numbers(path["arrays"][name]), column, name)
    assert path["active"] == ("plane_loss" if truth is None else "real_loss")
    vertices = [["vtkVertex", [at]] for at in range(count)]
    line = "vtkLine" if count == 2 else "vtkPolyLine"
    assert path["cells"] == [*vertices, [line, list(range(count))]]
    x, y, heights = np.array(path["points"]).T
    np.testing.assert_array_equal((x, y), (_numbers(said["path"]["x"]), _numbers(said["path"]["y"])))
    finite = np.isfinite(wanted[path["active"]])
    np.testing.assert_array_equal(heights[finite], wanted[path["active"]][finite])


def test_a_checkpoint_without_a_finite_loss_has_a_place(replies: Any) -> None:
    """It stands at its loss on the plane, or at 0: ParaView finds no bounds of points that stand nowhere."""
    _, _, path = replies[LOST]

    heights = np.array(path["points"])[:, 2]
    assert (heights[1], heights[2]) == (path["arrays"]["plane_loss"][1], 0)
