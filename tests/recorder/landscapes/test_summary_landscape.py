"""SummaryLandscape: its results and its errors."""

import json
import math
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.bowl_network import Bowl, bowl_callback, bowl_loss, train_bowl
from support.landscape_events import journals, newest, published
from support.pytorch import torch

from toposcope.recorder import callbacks
from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.checkpoints import load_checkpoint
from toposcope.recorder.landscapes import SummaryLandscape
from toposcope.recorder.landscapes.sweep.job import FOLDER
from toposcope.recorder.training import Model
from toposcope.server.landscapes.details import Details
from toposcope.server.landscapes.landscape import Landscape

INTERVAL, FINAL = "landscape_[1, 12]", "landscape_[12]"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a bowl whose landscapes have been computed."""
    directory = tmp_path_factory.mktemp("trained")
    compute(directory)
    return directory


def compute(directory: Path, network: Any = Bowl, **options: Any) -> dict[str, Landscape]:
    """Compute the landscapes of a bowl, trained if it is not, and return the newest of each tag."""
    if not (directory / "ckpt_dir").exists():
        train_bowl(directory)
    SummaryLandscape(directory).gen_landscapes_with_multi_process(bowl_callback(network), **options)
    return newest(directory)


def details_of(surface: Landscape) -> Details:
    """Return the details of a landscape."""
    assert surface.details is not None
    return surface.details


def weights_of(directory: Path, step: int) -> Any:
    """Return the weights of a checkpoint."""
    path = directory / "ckpt_dir" / f"Bowl_{step}_step.safetensors"
    return np.asarray(load_checkpoint(path).network["body.weight"]).reshape(-1)


def plane_of(directory: Path, axes: str) -> tuple[Any, Any]:
    """Return the origin and the directions of the landscape on such axes."""
    for folder in (directory / "ckpt_dir" / FOLDER).iterdir():
        if json.loads((folder / "plane.json").read_text())["axes"] == axes:
            return np.load(folder / "origin.npy"), np.load(folder / "directions.npy")
    raise AssertionError(axes)


@pytest.mark.parametrize(("tag", "axes"), [(INTERVAL, "anchored"), (FINAL, "random")])
def test_losses_on_a_plane_are_those_of_the_formula(trained: Path, tag: str, axes: str) -> None:
    """At each measured node; the written losses are interpolated between them."""
    surface = newest(trained)[tag]

    origin, directions = plane_of(trained, axes)
    nodes = details_of(surface).measured
    expected = [[1 + bowl_loss(origin + x * directions[0] + y * directions[1]) for x in nodes.x] for y in nodes.y]
    assert np.allclose(nodes.z, expected, rtol=1e-6)
    assert nodes.known.all()
    written = [[1 + bowl_loss(origin + x * directions[0] + y * directions[1]) for x in surface.x] for y in surface.y]
    assert np.allclose(surface.z, written, rtol=2e-2)
    assert (nodes.level, nodes.levels, surface.z.shape) == (3, 3, (9, 9))
    assert 0.0 in surface.x
    assert 0.0 in surface.y


def test_path_is_drawn_at_the_real_losses_of_the_checkpoints(trained: Path) -> None:
    """With the losses of the plane; the gap is caused by the residual."""
    surface = newest(trained)[INTERVAL]
    truth, path = details_of(surface).truth, surface.path
    assert truth is not None
    assert path is not None

    real = [1 + bowl_loss(weights_of(trained, step)) for step in range(1, 13)]
    origin, directions = plane_of(trained, "anchored")
    points = [origin + x * directions[0] + y * directions[1] for x, y in zip(path.x, path.y, strict=True)]
    assert np.allclose(path.z, real, rtol=1e-6)
    assert np.allclose(truth.real, real, rtol=1e-6)
    assert np.allclose(truth.plane, [1 + bowl_loss(point) for point in points], rtol=1e-6)
    off = [np.linalg.norm(weights_of(trained, step) - point) for step, point in zip(range(1, 13), points, strict=True)]
    away = [np.linalg.norm(weights_of(trained, step) - origin) for step in range(1, 13)]
    assert np.allclose(truth.residual[:-1], np.array(off[:-1]) / away[:-1], atol=1e-4)
    assert math.isnan(truth.residual[-1])
    assert path.intervals.tolist() == list(range(1, 13))
    assert surface.convergence_point is not None
    assert surface.convergence_point.tolist() == [0, 0, truth.real[-1]]


def test_every_level_is_published_into_a_separate_file(trained: Path) -> None:
    """Coarse ones first, at step 0; the tags are MindSpore's, and those of the training are left alone."""
    training, landscapes = sorted(trained.glob("*_MS"))
    assert b"loss_landscape" not in training.read_bytes()
    assert [tag for tag, _ in published(trained)] == [INTERVAL, FINAL, INTERVAL, FINAL]
    assert landscapes.name > training.name
    assert {tag: surface.metadata for tag, surface in newest(trained).items()} == {
        INTERVAL: {"decomposition": "PCA", "unit": "step", "step_per_epoch": 12},
        FINAL: {"decomposition": "Random", "unit": "step", "step_per_epoch": 12},
    }
    assert newest(trained)[FINAL].path is None


def test_diagnostics_describe_how_a_landscape_was_measured(trained: Path) -> None:
    """Axes, energies, lengths, samples, hashes."""
    interval, final = (details_of(newest(trained)[tag]).diagnostics for tag in (INTERVAL, FINAL))
    assert (interval.axes, interval.seed, interval.samples, interval.buffers) == ("anchored", None, 32, "none")
    assert 0.99 < interval.energy.sum() <= 1
    assert interval.random_walk_energy.size == 2
    assert not interval.is_random_walk
    assert np.allclose(interval.axis_lengths, 1, atol=1e-5)
    assert abs(interval.axis_cosine) < 1e-5
    assert interval.interpolation_error is not None
    assert interval.interpolation_error < 0.05
    assert (final.axes, final.seed, final.energy.size) == ("random", 0, 0)
    assert interval.provenance["samples"] == final.provenance["samples"]
    assert interval.provenance["axes"] != final.provenance["axes"]
    assert interval.provenance["mode"] == "evaluation, float32, eager"
    assert not interval.is_flat


def test_landscape_can_be_computed_again_with_other_settings(trained: Path, tmp_path: Path) -> None:
    """Settings of the call replace those of the metadata; known losses are not measured again."""
    before = journals(trained)
    output = tmp_path / "elsewhere"
    again = compute(trained, output=output, levels=4, collect_landscape={"create_landscape": {"train": False}})
    assert again.keys() == newest(trained).keys()  # The directory itself has not changed.
    (surface,) = newest(output).values()
    assert (surface.z.shape, details_of(surface).measured.z.shape) == ((9, 9), (17, 17))
    (deeper,) = [losses for name, losses in journals(trained).items() if losses != before[name]]
    assert len(deeper) == 1 + 17**2

    smaller = {"landscape_size": 4, "intervals": [[2, 4, 6], [6, 8, 12]], "num_samples": 20}
    compute(trained, output=tmp_path / "smaller", collect_landscape=smaller, axes="pca", samples=8)
    surfaces = newest(tmp_path / "smaller")
    assert set(surfaces) == {"landscape_[2, 6]", "landscape_[6, 12]", FINAL}
    diagnostics = details_of(surfaces["landscape_[2, 6]"]).diagnostics
    assert (diagnostics.axes, diagnostics.samples, surfaces["landscape_[6, 12]"].z.shape) == ("pca", 8, (4, 4))


@pytest.mark.parametrize(
    ("axes", "exact", "shape"), [("three-point", [0, 1, 2], (5, 5)), ("interpolate", [0, 2], (1, 5))]
)
def test_planes_through_chosen_checkpoints_have_their_losses(
    trained: Path, tmp_path: Path, axes: str, exact: list[int], shape: tuple[int, int]
) -> None:
    """Those of the first, the middle and the last one; a line has those at its ends."""
    few = {"intervals": [[1, 3, 12]], "create_landscape": {"result": False}}
    compute(trained, output=tmp_path, axes=axes, levels=2, collect_landscape=few)
    details = details_of(newest(tmp_path)[INTERVAL])
    assert details.truth is not None
    assert np.allclose(details.truth.plane[exact], details.truth.real[exact], rtol=1e-6)
    assert (details.measured.z.shape, details.diagnostics.axes) == (shape, axes)


def test_without_enabled_landscapes_nothing_is_written(
    trained: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As in the sample of MindSpore's documentation."""
    compute(trained, output=tmp_path, collect_landscape={"create_landscape": {"train": False, "result": False}})
    assert not list(tmp_path.iterdir())
    assert "there is no landscape to compute" in caplog.text


class Cliff(Bowl):
    """Has a loss that is not finite where a weight is very negative, and counts its evaluations."""

    evaluations = 0

    def eval_step(self, samples: Any) -> tuple[float, Any, Any]:
        """Return the mean loss, NaN or an infinity."""
        Cliff.evaluations += 1
        weight = float(self._weights["body.weight"][0, 0])
        loss, *others = super().eval_step(samples)
        return (math.nan if weight < -0.2 else math.inf if weight > 1.5 else loss), *others


@pytest.mark.filterwarnings("ignore:invalid value")
def test_losses_that_are_not_finite_are_stored(tmp_path: Path) -> None:
    """They are holes of the surface, and are not measured again."""
    surface = compute(tmp_path, Cliff, collect_landscape={"create_landscape": {"result": False}})[INTERVAL]
    nodes = details_of(surface).measured
    assert nodes.known.all()
    assert np.isnan(nodes.z).any()
    assert np.isfinite(nodes.z).any()
    assert np.isnan(surface.z).sum() < surface.z.size / 2

    before = Cliff.evaluations
    again = compute(tmp_path, Cliff, collect_landscape={"create_landscape": {"result": False}})[INTERVAL]
    assert np.array_equal(details_of(again).measured.z, nodes.z, equal_nan=True)
    assert Cliff.evaluations - before <= 8  # For the loss that identifies the network.


class Flat(Bowl):
    """Has the same loss everywhere."""

    def eval_step(self, samples: Any) -> tuple[float, Any, Any]:
        """Return a mean loss."""
        return float(np.mean(samples)), samples, samples


def test_landscape_without_differences_is_reported_as_flat(tmp_path: Path) -> None:
    """Within its noise."""
    assert details_of(compute(tmp_path, Flat)[INTERVAL]).diagnostics.is_flat


def stubborn() -> Any:
    """Return a network with batch normalisation, dropout, and a layer that never moves."""

    class Stubborn(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            torch.manual_seed(0)
            self.body = torch.nn.Sequential(
                torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Tanh(), torch.nn.Dropout(0.5)
            )
            self.frozen = torch.nn.Linear(8, 8).requires_grad_(False)
            self.head = torch.nn.Linear(8, 2)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.head(self.frozen(self.body(x)))

    return Stubborn()


def test_network_with_batch_normalisation_has_exact_losses_and_is_restored(tmp_path: Path) -> None:
    """Three checkpoints are on their plane, so the losses there are theirs, buffers included; nothing is trained."""
    random = torch.Generator().manual_seed(0)
    x = torch.randn(64, 4, generator=random)
    batches = [(x[i : i + 16], (x[i : i + 16, 0] > 0).long()) for i in range(0, 64, 16)]
    network, loss_fn = stubborn(), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD((each for each in network.parameters() if each.requires_grad), lr=0.3, momentum=0.9)
    model = Model(network, loss_fn, optimizer, metrics={"loss"})
    settings = {"landscape_size": 5, "num_samples": 64, "intervals": [[1, 4, 8]]}
    collector = SummaryCollector(tmp_path, 1, {"collect_landscape": settings}, keep_default_action=False)
    model.train(2, batches, callbacks=[collector])
    network.train()
    network.frozen.eval()
    state = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    modes, randomness = [module.training for module in network.modules()], torch.get_rng_state()

    landscape = SummaryLandscape(tmp_path)
    landscape.gen_landscapes_with_multi_process(lambda: (model, network, batches, {"Loss"}), eigenvalues=1)

    assert all(torch.equal(tensor, state[name]) for name, tensor in network.state_dict().items())
    assert [module.training for module in network.modules()] == modes
    assert torch.equal(torch.get_rng_state(), randomness)
    interval, final = details_of(newest(tmp_path)["landscape_[1, 8]"]), details_of(newest(tmp_path)["landscape_[8]"])
    assert (interval.diagnostics.buffers, final.diagnostics.buffers) == ("moved", "recalibrated")
    assert interval.truth is not None
    assert np.allclose(interval.truth.plane, interval.truth.real, rtol=1e-5)
    network.eval()
    for number, step in enumerate((1, 4, 8)):
        path = tmp_path / "ckpt_dir" / f"Stubborn_{step}_step.safetensors"
        network.load_state_dict(load_checkpoint(path).network)
        with torch.no_grad():
            loss = sum(float(loss_fn(network(images), labels)) for images, labels in batches) / 4
        assert interval.truth.real[number] == pytest.approx(loss, rel=1e-6)
    top = interval.diagnostics.eigenvalues[0]
    assert (interval.diagnostics.curvature <= top * 1.01).all()
    assert interval.diagnostics.ritz_residuals[0] < 0.05 * top

    for axes in ("hessian", "saddle"):
        landscape.gen_landscapes_with_multi_process(lambda: (model, network, batches, {"Loss"}), axes=axes, levels=2)
        for surface in newest(tmp_path).values():
            assert details_of(surface).diagnostics.axes == axes
            assert np.isfinite(details_of(surface).measured.z).all()


def test_a_mode_that_the_user_gives_is_that_of_all_losses(tmp_path: Path) -> None:
    """Two computations in two directories have the same bits; a mode that does not exist is refused at once."""
    settings = {"create_landscape": {"train": False}}
    surfaces: list[Landscape] = []
    for name in ("first", "second"):
        surfaces += compute(tmp_path / name, collect_landscape=settings, levels=2, mode="eager").values()
    first, second = (details_of(surface) for surface in surfaces)
    assert np.array_equal(first.measured.z, second.measured.z)
    assert first.diagnostics.provenance["mode"] == "evaluation, float32, eager"
    with pytest.raises(ValueError, match="mode is"):
        compute(tmp_path / "first", mode="fast")


def test_two_equal_checkpoints_are_two_points_of_the_path(tmp_path: Path) -> None:
    """If all are equal, there is no path."""
    train_bowl(tmp_path)
    folder = tmp_path / "ckpt_dir"
    (folder / "Bowl_3_step.safetensors").write_bytes((folder / "Bowl_12_step.safetensors").read_bytes())
    path = compute(tmp_path)[INTERVAL].path
    assert path is not None
    assert np.allclose([path.x[2], path.y[2]], 0, atol=1e-6)
    assert path.z[2] == path.z[11]

    for step in range(1, 12):
        (folder / f"Bowl_{step}_step.safetensors").write_bytes((folder / "Bowl_12_step.safetensors").read_bytes())
    with pytest.raises(ValueError, match="all are equal"):
        compute(tmp_path)


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"collect_landscape": {"size": 9}}, ValueError, "not 'size'"),
    (
        {"collect_landscape": {"landscape_size": 2}},
        ValueError,
        "landscape_size must be an integer from 3 to 256, not 2",
    ),
    ({"collect_landscape": {"landscape_size": 257}}, ValueError, "from 3 to 256, not 257"),
    ({"collect_landscape": {"intervals": [[1, 2]]}}, ValueError, "at least 3 different steps or epochs"),
    ({"collect_landscape": {"intervals": [[1, 2, 2]]}}, ValueError, r"at least 3 different steps.*not \[\[1, 2, 2\]\]"),
    ({"collect_landscape": {"intervals": None}}, TypeError, "intervals must be a list of lists of integers, not None"),
    ({"collect_landscape": {"unit": 5}}, TypeError, "unit must be a str, not 5"),
    ({"collect_landscape": {"intervals": [[1, 2, 99]]}}, FileNotFoundError, "no checkpoint of step 99"),
    ({"collect_landscape": {"unit": "epoch"}}, ValueError, "unit is 'step', as in the training, not 'epoch'"),
    ({"collect_landscape": {"create_landscape": {"train": 1}}}, TypeError, "True or False, not 1"),
    ({"collect_landscape": 9}, TypeError, "collect_landscape"),
    ({"axes": "best"}, ValueError, "axes is one of 'anchored'.*not 'best'"),
    ({"device_ids": 0}, TypeError, "device_ids is a list of integers or None, not 0"),
    ({"device_ids": []}, ValueError, "device_ids contains at least one device"),
    ({"device_ids": [-1]}, ValueError, "not -1"),
    ({"device_ids": ["0"]}, TypeError, "a device id must be an integer"),
    ({"executor": "processes"}, TypeError, "executor is an Executor"),
    ({"levels": 9}, ValueError, "levels must be an integer from 2 to 8, not 9"),
    ({"samples": 0}, ValueError, "samples"),
    ({"seed": -1}, ValueError, "seed"),
    ({"axes": "hessian"}, ValueError, "axes 'hessian' need Hessian-vector products"),
    ({"axes": "saddle"}, ValueError, "axes 'saddle' need Hessian-vector products"),
    ({"eigenvalues": 1}, ValueError, "eigenvalues must be 0: a Bowl"),
    ({"progress": 1}, TypeError, "progress is a function"),
]


@pytest.mark.parametrize(("options", "error", "words"), REFUSED, ids=lambda value: str(value)[:40])
def test_wrong_arguments_are_refused_before_anything_is_written(
    trained: Path, tmp_path: Path, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    """The message contains the value and what was expected."""
    before = sorted(trained.rglob("*"))
    with pytest.raises(error, match=words):
        compute(trained, output=tmp_path, **options)
    assert sorted(trained.rglob("*")) == before
    assert not list(tmp_path.iterdir())


def test_processes_that_are_forked_are_refused(trained: Path) -> None:
    """They would hang with PyTorch's threads."""
    with (
        ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool,
        pytest.raises(ValueError, match="executor forks its processes"),
    ):
        compute(trained, executor=pool)


def returning(result: Any) -> Callable[[], Any]:
    """Return a function that returns a value."""
    return lambda: result


def test_missing_or_damaged_files_are_named(tmp_path: Path) -> None:
    """Metadata, a checkpoint, the result of callback_fn."""
    with pytest.raises(FileNotFoundError, match=r"train_metadata\.json"):
        SummaryLandscape(tmp_path).gen_landscapes_with_multi_process(bowl_callback())
    train_bowl(tmp_path)
    for result in (None, (1, 2), (Model(Bowl()), Bowl(), [], {"Loss"}), (Model(Bowl()), Bowl(), [(1,)], {"acc"})):
        with pytest.raises((TypeError, ValueError)):
            SummaryLandscape(tmp_path).gen_landscapes_with_multi_process(returning(result))
    no_function: Any = None
    with pytest.raises(TypeError, match="callback_fn is a function"):
        SummaryLandscape(tmp_path).gen_landscapes_with_multi_process(no_function)
    checkpoint = tmp_path / "ckpt_dir" / "Bowl_5_step.safetensors"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-4])
    with pytest.raises(ValueError, match="Bowl_5_step"):
        compute(tmp_path)
    checkpoint.unlink()
    with pytest.raises(FileNotFoundError, match="Bowl_5_step"):
        compute(tmp_path)
    (tmp_path / "ckpt_dir" / "train_metadata.json").write_text("{")
    with pytest.raises(ValueError, match=r"train_metadata\.json.* is damaged"):
        compute(tmp_path)
    assert len(list(tmp_path.glob("*_MS"))) == 1


def test_interrupted_training_has_the_landscapes_that_its_checkpoints_allow(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """An interval with fewer than three is left out with a warning; two checkpoints alone are too few."""
    train_bowl(tmp_path, 4, intervals=[[1, 2, 3], [4, 5, 6]])
    assert set(compute(tmp_path)) == {"landscape_[1, 3]", "landscape_[4]"}
    assert "at least 3" in caplog.text

    train_bowl(tmp_path / "short", 2, intervals=[[1, 2, 3]], create_landscape={"result": False})
    with pytest.raises(ValueError, match="needs at least 3 checkpoints"):
        compute(tmp_path / "short")


def test_checkpoints_can_be_removed(tmp_path: Path) -> None:
    """With their metadata and measured losses; a second call does nothing."""
    compute(tmp_path)
    landscape = callbacks.SummaryLandscape(tmp_path)
    landscape.clean_ckpt()
    landscape.clean_ckpt()
    assert not (tmp_path / "ckpt_dir").exists()
    assert set(newest(tmp_path)) == {INTERVAL, FINAL}
