"""Measure how the treatment of BatchNorm's statistics changes a loss landscape.

python benchmarks/batch_norm.py    (make bench-batch-norm, half a minute)

Trains a convolutional network with two BatchNorms on images of digits, and measures the same points with statistics
that are kept as in the last checkpoint, interpolated linearly, moved as Toposcope does (means linearly, the logarithms
of variances linearly), or recomputed from the images at each point. Recomputed ones are the reference between
checkpoints; at a checkpoint the reference is its own loss.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from landscape import SAMPLES, callback_of, images, momentum, normalised, restored_model, row, scratch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.landscapes.plan.landscape_plan import plan_of
from toposcope.recorder.landscapes.planes.axes_of_kind import axes_of_kind
from toposcope.recorder.landscapes.planes.projection import projection_of
from toposcope.recorder.landscapes.surface.grid import grid_for
from toposcope.recorder.landscapes.weights.checkpoint_set import CheckpointSet
from toposcope.recorder.training import Model

SIDE, EPOCHS, LEVEL, RADII = 8, 5, 3, (0.1, 0.25, 0.5, 1.0)


class Plane(NamedTuple):
    """A plane, and the vectors with which the statistics are treated in each way."""

    origin: Any
    moved: Any
    kept: Any
    linear: Any
    variances: Any
    """Positions of the variances."""


def main() -> None:
    """Train, and measure on both kinds of planes."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(dir=scratch()) as directory:
        train(Path(directory))
        (landscape, _) = plan_of(directory, None).landscapes
        with restored_model(callback_of(normalised, SIDE), None) as model:
            run = landscape.main_run
            print(f"checkpoints of the steps {', '.join(map(str, run.points))}")
            checkpoints = CheckpointSet.open(run.ckpt_dir, list(run.points), model.layout)
            on_path_plane(model, checkpoints)
            on_random_plane(model, checkpoints)


def train(directory: Path) -> None:
    """Train for five epochs and save the twenty checkpoints of the default settings."""
    torch.manual_seed(0)
    network, dataset = normalised(), TensorDataset(*images(SIDE))
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    collector = SummaryCollector(
        directory, 10, {"collect_landscape": {"num_samples": SAMPLES}}, keep_default_action=False
    )
    model = Model(network, nn.CrossEntropyLoss(), momentum(network.parameters()))
    model.train(EPOCHS, loader, callbacks=[collector])


def on_path_plane(model: Any, checkpoints: Any) -> None:
    """Compare losses on the plane of the path: at the checkpoints' projections, and at nodes around them."""
    axes = axes_of_kind("anchored", checkpoints)
    path = projection_of(axes, checkpoints).coordinates
    plane = plane_of(axes, checkpoints)
    grid = grid_for(path, 2**LEVEL + 1, LEVEL)
    nodes = [(x, y) for y in grid.y.nodes(LEVEL) for x in grid.x.nodes(LEVEL)]
    real = []
    for row_of_checkpoint in checkpoints.rows:
        model.load(row_of_checkpoint)
        real.append(model.losses().sums.mean)
    print("\nplane of the path: |loss at the projection - loss of the checkpoint|, without the last one")
    for name, measure in WAYS.items():
        gaps = np.abs([measure(model, plane, place) for place in path][:-1] - np.array(real[:-1]))
        row(name, f"mean {gaps.mean():8.4f}  median {np.median(gaps):8.4f}  max {gaps.max():8.4f}")
    print("\nplane of the path: relative to the loss with recomputed statistics, at 9 x 9 nodes")
    reference = np.array([recomputed(model, plane, node) for node in nodes])
    for name, measure in list(WAYS.items())[:-1]:
        losses = np.array([measure(model, plane, node) for node in nodes])
        ratio = losses / reference
        row(
            name,
            f"median {np.nanmedian(ratio):8.3f}  5-95 % {np.nanpercentile(ratio, 5):7.3f} .. "
            f"{np.nanpercentile(ratio, 95):9.3f}  max {np.nanmax(ratio):10.3f}",
            f"without a loss: {(~np.isfinite(losses)).sum()}",
        )
    print("\nplane of the path: from the last checkpoint (0) to the first (1)")
    first, last = checkpoints.rows[0], checkpoints.rows[len(checkpoints.points) - 1]
    line = line_between(first, last, model)
    for name, measure in WAYS.items():
        row(name, "  ".join(f"{measure(model, line, (t,)):8.4f}" for t in (0.0, 0.25, 0.5, 0.75, 1.0)))


def on_random_plane(model: Any, checkpoints: Any) -> None:
    """Compare losses around the last checkpoint, where statistics cannot be moved."""
    axes = axes_of_kind("random", checkpoints)
    plane = plane_of(axes, checkpoints)
    print(f"\nrandom plane: mean loss at eight points at a distance of {RADII} from the last checkpoint")
    angles = np.arange(8) * np.pi / 4
    for name in ("kept", "recomputed"):
        means = [
            np.mean([WAYS[name](model, plane, (r * np.cos(angle), r * np.sin(angle))) for angle in angles])
            for r in (0.0, *RADII)
        ]
        row(name, "  ".join(f"{mean:8.4f}" for mean in means))


def plane_of(axes: Any, checkpoints: Any) -> Plane:
    """Return the vectors of a plane."""
    kept, linear = np.array(axes.directions), np.array(axes.directions)
    kept[:, checkpoints.layout.parameter_count :] = 0
    for tensor in checkpoints.layout.tensors:
        if tensor.kind == "buffer" and axes.combination is not None:
            count = len(checkpoints.points)
            values = np.array([checkpoints.rows.read(t, tensor.start, tensor.stop) for t in range(count)], np.float64)
            linear[:, tensor.start : tensor.stop] = axes.combination @ (values - values[-1])
    return Plane(np.array(axes.origin), axes.directions, kept, linear, checkpoints.layout.variances)


def line_between(first: Any, last: Any, model: Any) -> Plane:
    """Return the line from the last checkpoint (0) to the first one (1)."""
    linear = (np.asarray(first, np.float64) - last)[None].astype(np.float32)
    kept, moved, variances = linear.copy(), linear.copy(), model.layout.variances
    kept[:, model.layout.parameter_count :] = 0
    moved[0, variances] = np.log(first[variances] / last[variances])
    return Plane(np.array(last), moved, kept, linear, variances)


def kept(model: Any, plane: Plane, place: Any) -> float:
    """Return the loss with the statistics of the last checkpoint."""
    return loss_on(model, plane.origin, plane.kept, place)


def linear(model: Any, plane: Plane, place: Any) -> float:
    """Return the loss with linearly interpolated statistics; NaN if a variance is negative."""
    flat = plane.origin + np.asarray(place, np.float64) @ plane.linear
    if (flat[plane.variances] < 0).any():
        return float("nan")
    model.load(flat.astype(np.float32))
    return float(model.losses().sums.mean)


def moved(model: Any, plane: Plane, place: Any) -> float:
    """Return the loss with the statistics of Toposcope's planes of checkpoints."""
    return loss_on(model, plane.origin, plane.moved, place)


def recomputed(model: Any, plane: Plane, place: Any) -> float:
    """Return the loss with statistics of all images."""
    model.hold(plane.origin, plane.moved)
    model.move(place)
    model.recalibrate(SAMPLES)
    return float(model.losses().sums.mean)


def loss_on(model: Any, origin: Any, directions: Any, place: Any) -> float:
    """Return the loss at a point of a plane."""
    model.hold(origin, directions)
    model.move(place)
    return float(model.losses().sums.mean)


WAYS: dict[str, Callable[[Any, Plane, Any], float]] = {
    "kept": kept,
    "interpolated linearly": linear,
    "moved (Toposcope)": moved,
    "recomputed": recomputed,
}


if __name__ == "__main__":
    main()
