"""Details of a loss landscape that Toposcope records in addition to MindSpore's fields: nodes and diagnostics."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.server.reading.series.series import Float64s


class Measured(NamedTuple):
    """The nodes at which the loss was measured; the surface is interpolated between them."""

    x: Float64s
    """Shape (n,)."""
    y: Float64s
    """Shape (m,)."""
    z: Float64s
    """Shape (m, n): z[i, j] is the loss at (x[j], y[i]); NaN and infinities were measured."""
    known: npt.NDArray[np.bool_]
    """Shape (m, n); False for nodes that have not been measured."""
    standard_error: Float64s
    """Shape (m, n): standard error of the mean over the samples."""
    level: int
    """The last completed level; a level has 2 ** level + 1 nodes per axis."""
    levels: int
    """The last planned level."""
    difference_error: Float64s | None
    """Shape (m, n): standard error of the difference from the loss of the same samples at the origin; None: unknown."""


class PathLosses(NamedTuple):
    """The losses of the checkpoints of a path, and their distance from the plane; one number per checkpoint."""

    real: Float64s
    """The loss of the checkpoint itself."""
    plane: Float64s
    """The loss of its projection on the plane."""
    residual: Float64s
    """The ratio of its distance from the plane to its distance from the origin."""
    standard_error: Float64s
    """Standard error of `real`."""
    gap_error: Float64s | None
    """Standard error of `gap`, whose losses are of the same samples; None if unknown."""

    @property
    def gap(self) -> Float64s:
        """Return the difference between each checkpoint's own loss and the loss of its projection."""
        with np.errstate(invalid="ignore"):  # Infinity minus infinity.
            return self.real - self.plane


class Diagnostics(NamedTuple):
    """Diagnostics of the quality of a landscape; arrays per axis have one number for each axis, or are empty."""

    axes: str
    """How the axes were chosen: "anchored", "pca", "random", ..."""
    energy: Float64s
    """The fraction of the path's energy along each axis."""
    random_walk_energy: Float64s
    """The same fraction for a random walk in place of each path, on a plane fitted to these walks in the same way."""
    is_random_walk: bool
    """Whether the path is indistinguishable from a random walk."""
    axis_lengths: Float64s
    """Lengths in weight space."""
    axis_cosine: float
    """Cosine of the angle between the axes; NaN if there is only one axis."""
    samples: int
    """Number of samples that each loss is computed from."""
    seed: int | None
    buffers: str
    """Treatment of the statistics of normalisation layers: "none", "moved" along the axes, "frozen", "recalibrated"."""
    is_flat: bool
    """Whether no loss differs from that at the origin by more than noise."""
    interpolation_error: float | None
    """95th percentile of the relative interpolation error at held-out nodes."""
    eigenvalues: Float64s
    """Eigenvalues of the Hessian at the origin of the plane."""
    ritz_residuals: Float64s
    """Residual of each eigenvalue."""
    curvature: Float64s
    """Second derivative of the loss along each axis, per unit length in weight space."""
    units: int | None
    """Number of losses that standard errors are computed from: samples, or batches if only their means are known."""
    differing_nodes: int | None
    """Number of measured nodes whose loss differs from that at the origin by more than noise. None: not computed, and
    is_flat is from the standard errors of the losses instead of their differences."""
    random_walk_residual: float | None
    """Median distance of the points of the random walk from the plane, relative to their distance from the origin."""
    provenance: dict[str, str]
    """Hashes of "axes", "checkpoints" and "samples", and entries such as "mode" and "version"."""

    @property
    def surface(self) -> tuple[str, str, str] | None:
        """Return (axes, samples, network), which are equal for landscapes of the same surface; None if unknown."""
        axes, samples, network = (self.provenance.get(name, "") for name in ("axes", "samples", "network"))
        return (axes, samples, network) if axes and samples else None


class Details(NamedTuple):
    """Details of a landscape."""

    measured: Measured
    truth: PathLosses | None
    diagnostics: Diagnostics


def read_details(message: LossLandscape.Details, points: int) -> Details:
    """Convert the details of a landscape.

    Args:
        message: the details.
        points: number of points of the landscape's path; 0 without a path.

    Raises:
        ValueError: a required field is missing, or shapes do not match.
    """
    if not message.HasField("measured") or not message.HasField("diagnostics"):
        raise ValueError("the landscape's details have no measured nodes or no diagnostics")
    truth = _path_losses(message.truth, points) if message.HasField("truth") else None
    return Details(_measured(message.measured), truth, _diagnostics(message.diagnostics))


def _measured(message: LossLandscape.Measured) -> Measured:
    x, y = _doubles(message.x), _doubles(message.y)
    z, errors, known = _doubles(message.z), _doubles(message.standard_error), np.array(message.known, np.bool_)
    shape = (y.size, x.size)
    if not z.size == errors.size == known.size == y.size * x.size:
        raise ValueError(
            f"expected {y.size} x {x.size} measured nodes, but there are {z.size} losses, {errors.size} standard "
            f"errors and {known.size} flags"
        )
    differences = _optional(message.difference_error, z.size)
    return Measured(
        x,
        y,
        z.reshape(shape),
        known.reshape(shape),
        errors.reshape(shape),
        message.level,
        message.levels,
        None if differences is None else differences.reshape(shape),
    )


def _path_losses(message: LossLandscape.PathTruth, points: int) -> PathLosses:
    real, plane, residual, errors = map(
        _doubles, (message.real, message.plane, message.residual, message.standard_error)
    )
    sizes = [column.size for column in (real, plane, residual, errors)]
    if any(size != points for size in sizes):
        raise ValueError(f"expected the losses of {points} checkpoints, but the lists have {sizes} elements")
    return PathLosses(real, plane, residual, errors, _optional(message.gap_error, points))


def _optional(field: Sequence[float], size: int) -> Float64s | None:
    """Return a field that older files do not have, or None."""
    column = _doubles(field)
    if column.size not in (0, size):
        raise ValueError(f"expected {size} standard errors of differences, or none, but there are {column.size}")
    return column if column.size else None


def _diagnostics(message: LossLandscape.Diagnostics) -> Diagnostics:
    columns = {
        name: _doubles(getattr(message, name))
        for name in ("energy", "random_walk_energy", "axis_lengths", "eigenvalues", "ritz_residuals", "curvature")
    }
    axes = columns["axis_lengths"].size
    if any(columns[name].size not in (0, axes) for name in ("energy", "random_walk_energy", "curvature")):
        raise ValueError(f"expected a number for each of {axes} axes, or none, but the sizes are {_sizes(columns)}")
    if columns["eigenvalues"].size != columns["ritz_residuals"].size:
        raise ValueError(f"expected a residual for each eigenvalue, but the sizes are {_sizes(columns)}")
    return Diagnostics(
        axes=message.axes,
        is_random_walk=message.is_random_walk,
        axis_cosine=message.axis_cosine,
        samples=message.samples,
        seed=message.seed if message.HasField("seed") else None,
        buffers=message.buffers,
        is_flat=message.is_flat,
        interpolation_error=message.interpolation_error if message.HasField("interpolation_error") else None,
        provenance=dict(message.provenance),
        units=message.units if message.HasField("units") else None,
        differing_nodes=message.differing_nodes if message.HasField("differing_nodes") else None,
        random_walk_residual=message.random_walk_residual if message.HasField("random_walk_residual") else None,
        **columns,
    )


def _sizes(columns: dict[str, Float64s]) -> str:
    return ", ".join(f"{name} {column.size}" for name, column in columns.items())


def _doubles(field: Sequence[float]) -> Float64s:
    return np.array(field, np.float64)
