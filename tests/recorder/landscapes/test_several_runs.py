"""Several runs on one plane: one landscape, measured once, in which each run has its own path."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.bowl_network import Bowl, bowl_callback, bowl_loss, train_bowl
from support.landscape_events import journals, newest

from toposcope.recorder.checkpoints import load_checkpoint
from toposcope.recorder.landscapes import SummaryLandscape
from toposcope.recorder.landscapes.command import main
from toposcope.recorder.landscapes.sweep.job import FOLDER
from toposcope.server.landscapes.details import Details
from toposcope.server.landscapes.landscape import Landscape

STEPS = {"slow": 9, "fast": 6, "wild": 7}
JOINT = {"slow": "joint_landscape_[1, 9]", "fast": "joint_landscape_[1, 6]", "wild": "joint_landscape_[1, 7]"}
RATES = {"slow": 0.05, "fast": 0.2, "wild": 0.45}


def train(logdir: Path) -> None:
    """Train bowls from the same weights at different learning rates."""
    for name, steps in STEPS.items():
        train_bowl(logdir / name, steps, RATES[name])


def compute(logdir: Path, *others: str, network: Any = Bowl, **options: Any) -> dict[str, Landscape]:
    """Return the landscapes of the slow run and others on one plane."""
    landscape = SummaryLandscape(logdir / "slow")
    landscape.gen_landscapes_with_multi_process(
        bowl_callback(network), others=[logdir / other for other in others], **options
    )
    return {name: newest(logdir / name)[JOINT[name]] for name in ("slow", *others)}


def weights(logdir: Path, name: str) -> Any:
    """Return the weights of all checkpoints of a run, shape (T, N)."""
    paths = [logdir / name / "ckpt_dir" / f"Bowl_{step}_step.safetensors" for step in range(1, STEPS[name] + 1)]
    return np.array(
        [np.asarray(load_checkpoint(path).network["body.weight"], np.float64).reshape(-1) for path in paths]
    )


def plane(logdir: Path) -> tuple[Any, Any]:
    """Return origin and directions of the only plane."""
    (folder,) = (logdir / "slow" / "ckpt_dir" / FOLDER).iterdir()
    return np.load(folder / "origin.npy").astype(np.float64), np.load(folder / "directions.npy").astype(np.float64)


def details(surface: Landscape) -> Details:
    """Return the details of a landscape."""
    assert surface.details is not None
    return surface.details


@pytest.mark.parametrize("axes", ["anchored", "pca", "three-point"])
def test_runs_share_a_surface_and_have_their_own_paths(tmp_path: Path, axes: str) -> None:
    """Real losses, losses on the plane, residuals and energies are those of the formulas."""
    train(tmp_path)
    surfaces = compute(tmp_path, "fast", "wild", axes=axes)
    origin, directions = plane(tmp_path)
    own = surfaces["slow"]
    for name, surface in surfaces.items():
        assert [surface.x.tolist(), surface.y.tolist(), surface.z.tolist()] == [
            own.x.tolist(), own.y.tolist(), own.z.tolist()
        ]  # fmt: skip
        facts, path, truth = details(surface).diagnostics, surface.path, details(surface).truth
        assert facts.provenance["axes"] == details(own).diagnostics.provenance["axes"]
        assert path is not None
        assert truth is not None
        checkpoints = weights(tmp_path, name)
        places = np.stack([path.x, path.y], axis=1)
        assert np.allclose(places, (checkpoints - origin) @ directions.T, atol=1e-5)
        assert np.allclose(path.z, [1 + bowl_loss(each) for each in checkpoints], rtol=1e-6)
        on_plane = origin + places @ directions
        assert np.allclose(truth.plane, [1 + bowl_loss(each) for each in on_plane], rtol=1e-6)
        away = np.linalg.norm(checkpoints - origin, axis=1)
        off = np.linalg.norm(checkpoints - on_plane, axis=1)
        assert np.allclose(truth.residual[:-1], (off / np.maximum(away, 1e-30))[:-1], atol=1e-4)
        displaced = checkpoints - (checkpoints.mean(axis=0) if axes == "pca" else checkpoints[-1])
        energy = ((displaced @ directions.T) ** 2).sum(axis=0) / (displaced**2).sum()
        assert np.allclose(facts.energy, energy, rtol=1e-4)
        assert path.intervals.tolist() == list(range(1, STEPS[name] + 1))
        assert surface.convergence_point is not None
        assert np.allclose(surface.convergence_point, [path.x[-1], path.y[-1], path.z[-1]])
        assert surface.x[0] <= path.x.min() < path.x.max() <= surface.x[-1]
        assert surface.y[0] <= path.y.min() < path.y.max() <= surface.y[-1]
    hashes = {details(surface).diagnostics.provenance["checkpoints"] for surface in surfaces.values()}
    assert len(hashes) == len(surfaces)


def test_three_points_show_the_ends_of_two_runs_exactly(tmp_path: Path) -> None:
    """And the line between these ends is that of "interpolate"."""
    train(tmp_path)
    surfaces = compute(tmp_path, "fast", axes="three-point")
    for surface in surfaces.values():
        truth = details(surface).truth
        assert truth is not None
        assert truth.plane[-1] == pytest.approx(truth.real[-1], rel=1e-6)
    path = surfaces["fast"].path
    assert path is not None
    assert path.y[-1] == pytest.approx(0, abs=1e-6)

    line = compute(tmp_path, "fast", axes="interpolate")["fast"]
    assert line.path is not None
    assert line.path.x[-1] == pytest.approx(1)


def test_losses_of_several_runs_are_measured_once_and_not_again(tmp_path: Path) -> None:
    """The nodes, and two losses for each checkpoint; a second call, after both runs were moved, measures none."""
    train(tmp_path / "before")
    first = compute(tmp_path / "before", "fast", levels=2)
    (places,) = journals(tmp_path / "before" / "slow").values()
    assert len(places) == 25 + 2 * (STEPS["slow"] + STEPS["fast"])
    (tmp_path / "before").rename(tmp_path / "after")
    again = compute(tmp_path / "after", "fast", levels=2, device_ids=[0, 1])
    assert list(journals(tmp_path / "after" / "slow").values()) == [places]
    assert all(np.array_equal(again[name].z, first[name].z) for name in first)


def test_command_accepts_other_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By --others."""
    train(tmp_path)
    monkeypatch.setattr("support.bowl_network.callback_fn", bowl_callback(), raising=False)
    runs = [os.fspath(tmp_path / name) for name in ("slow", "fast", "wild")]
    assert main([runs[0], "--model", "support.bowl_network:callback_fn", "--levels", "2", "--others", *runs[1:]]) == 0
    assert all(JOINT[name] in newest(tmp_path / name) for name in JOINT)


def test_runs_that_cannot_be_on_one_plane_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    """The message contains the value and what was expected."""
    train(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    slow, fast = tmp_path / "slow", tmp_path / "fast"
    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"others": [tmp_path / "absent"]}, NotADirectoryError, "others is a list of directories of runs; .*absent"),
        ({"others": [tmp_path]}, FileNotFoundError, "train_metadata"),
        ({"others": str(fast)}, TypeError, "others is a list of directories"),
        ({"others": [3]}, TypeError, "not one of 3"),
        ({"others": [slow]}, ValueError, "others contains other runs than this one, each once.*slow"),
        ({"others": [fast, fast]}, ValueError, "fast' is there twice"),
        ({"others": [fast], "axes": "random"}, ValueError, "With others, axes is one of 'anchored'.*not 'random'"),
        ({"others": [fast], "output": tmp_path}, ValueError, "output must be None with others"),
        (
            {"others": [fast], "collect_landscape": {"create_landscape": {"train": False}}},
            ValueError,
            "create_landscape must enable 'train'",
        ),
    ]
    for options, error, words in refused:
        with pytest.raises(error, match=words):
            SummaryLandscape(slow).gen_landscapes_with_multi_process(bowl_callback(), **options)
    assert sorted(tmp_path.rglob("*")) == before


def test_run_of_another_network_is_refused(tmp_path: Path) -> None:
    """The checkpoint is named."""
    train(tmp_path)
    for path in (tmp_path / "fast" / "ckpt_dir").glob("*.safetensors"):
        path.write_bytes(path.read_bytes().replace(b"body.weight", b"head.weight"))
    with pytest.raises(ValueError, match=r"fast.*body\.weight"):
        compute(tmp_path, "fast")
