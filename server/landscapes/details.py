"""How a loss landscape came about and how far it can be trusted: what our recorder writes beside MindSpore's fields."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.server.reading.series import Float64s


class Measured(NamedTuple):
    """Nodes at which the loss was measured; the surface is interpolated between them."""

    x: Float64s
    """Shape (n,)."""
    y: Float64s
    """Shape (m,)."""
    z: Float64s
    """Shape (m, n): z[i][j] belongs to y[i], x[j]; NaN and infinities are as measured."""
    known: npt.NDArray[np.bool_]
    """Shape (m, n); False: not measured yet."""
    standard_error: Float64s
    """Shape (m, n): of the mean over the samples."""
    level: int
    """The level that is done; it has 2 ** level + 1 nodes a side."""
    levels: int
    """The last level planned."""


class PathTruth(NamedTuple):
    """What the plane hides of the path: one number for each checkpoint."""

    real: Float64s
    """The loss of the checkpoint itself."""
    plane: Float64s
    """The loss of its projection on the plane."""
    residual: Float64s
    """Its distance from the plane over its distance from the origin."""
    standard_error: Float64s
    """Of real."""

    @property
    def gap(self) -> Float64s:
        """Return by how much each checkpoint's own loss is above that on the plane."""
        with np.errstate(invalid="ignore"):  # Infinity less infinity.
            return self.real - self.plane


class Diagnostics(NamedTuple):
    """What one should know before one believes a landscape; of an axis each: empty, or one number an axis."""

    axes: str
    """How the axes were found: "anchored", "pca", "random", ..."""
    energy: Float64s
    """The part of the path's energy that each axis holds."""
    random_walk_energy: Float64s
    """What each holds of the energy of a random walk with as many points."""
    is_random_walk: bool
    """The path cannot be told from a random walk."""
    axis_lengths: Float64s
    """In the space of the weights."""
    axis_cosine: float
    """Of the angle between the axes; NaN of a line."""
    samples: int
    """Behind each loss."""
    seed: int | None
    buffers: str
    """Statistics of normalisation layers: "none", "moved" along the axes, "frozen" or "recalibrated"."""
    is_flat: bool
    """The losses differ by no more than their noise."""
    interpolation_error: float | None
    """95th percentile of the relative error of interpolated losses, at nodes held out."""
    eigenvalues: Float64s
    """Of the Hessian at the origin of the plane."""
    ritz_residuals: Float64s
    """Of each eigenvalue."""
    curvature: Float64s
    """Second derivative of the loss along each axis, per unit of length in the space of the weights."""
    provenance: dict[str, str]
    """Hashes of "axes", "checkpoints" and "samples"; "mode", "version" and more."""

    @property
    def surface(self) -> tuple[str, str, str] | None:
        """Return what landscapes of one surface have in common: axes, samples and network; None: it is not told."""
        axes, samples, network = (self.provenance.get(name, "") for name in ("axes", "samples", "network"))
        return (axes, samples, network) if axes and samples else None


class Details(NamedTuple):
    """What stands beside a landscape."""

    measured: Measured
    truth: PathTruth | None
    diagnostics: Diagnostics


def landscape_details(message: LossLandscape.Details, points: int) -> Details:
    """Return what a landscape's details say.

    Args:
        message: the details.
        points: of the landscape's path; 0 without one.

    Raises:
        ValueError: a part is missing, or shapes do not fit each other.
    """
    if not message.HasField("measured") or not message.HasField("diagnostics"):
        raise ValueError("the landscape's details have no measured nodes or no diagnostics")
    truth = _truth(message.truth, points) if message.HasField("truth") else None
    return Details(_measured(message.measured), truth, _diagnostics(message.diagnostics))


def _measured(message: LossLandscape.Measured) -> Measured:
    x, y = _doubles(message.x), _doubles(message.y)
    z, errors, known = _doubles(message.z), _doubles(message.standard_error), np.array(message.known, np.bool_)
    shape = (y.size, x.size)
    if not z.size == errors.size == known.size == y.size * x.size:
        raise ValueError(
            f"expected {y.size} x {x.size} measured nodes; "
            f"found {z.size} losses, {errors.size} standard errors, {known.size} that are known or not"
        )
    return Measured(x, y, z.reshape(shape), known.reshape(shape), errors.reshape(shape), message.level, message.levels)


def _truth(message: LossLandscape.PathTruth, points: int) -> PathTruth:
    truth = PathTruth(*(_doubles(getattr(message, name)) for name in PathTruth._fields))
    if any(column.size != points for column in truth):
        raise ValueError(f"expected the truth of {points} checkpoints; found {[column.size for column in truth]}")
    return truth


def _diagnostics(message: LossLandscape.Diagnostics) -> Diagnostics:
    columns = {
        name: _doubles(getattr(message, name))
        for name in ("energy", "random_walk_energy", "axis_lengths", "eigenvalues", "ritz_residuals", "curvature")
    }
    axes = columns["axis_lengths"].size
    if any(columns[name].size not in (0, axes) for name in ("energy", "random_walk_energy", "curvature")):
        raise ValueError(f"expected a number for each of {axes} axes, or none; found {_sizes(columns)}")
    if columns["eigenvalues"].size != columns["ritz_residuals"].size:
        raise ValueError(f"expected a residual for each eigenvalue; found {_sizes(columns)}")
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
        **columns,
    )


def _sizes(columns: dict[str, Float64s]) -> str:
    return ", ".join(f"{name} {column.size}" for name, column in columns.items())


def _doubles(field: Sequence[float]) -> Float64s:
    return np.array(field, np.float64)
