"""Builds the details of a loss landscape: measured nodes, true losses along the path, and diagnostics."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.values.arrays.foreign_values import short_repr

Doubles = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
_PATH_COLUMNS = ("real", "plane", "residual", "standard_error")
BUFFERS = ("none", "moved", "frozen", "recalibrated")
_MAX_LEVELS = 20
_MAX_AXES = 2


@dataclass(frozen=True, eq=False)
class Measured:
    """Nodes at which the loss was measured; the surface of the landscape is interpolated between them.

    Raises:
        TypeError: level or levels is not an integer.
        ValueError: shapes do not match, or not 0 <= level <= levels <= 20.
    """

    x: Doubles
    """Shape (n,)."""
    y: Doubles
    """Shape (m,)."""
    z: Doubles
    """Shape (m, n): z[i][j] is the loss at y[i], x[j]; NaN and infinities are measured values."""
    known: Bools
    """Shape (m, n). False: not measured yet; z and standard_error are then meaningless."""
    standard_error: Doubles
    """Shape (m, n): standard error of the mean over the samples; NaN if unknown."""
    level: int
    """The last completed level; it has 2 ** level + 1 nodes per side."""
    levels: int
    """The last level planned."""
    difference_error: Doubles | None = None
    """Shape (m, n): standard error of the difference from the loss of the same samples at the origin; NaN if unknown.
    None: not computed."""

    def __post_init__(self) -> None:
        x, y = _column(self, "x"), _column(self, "y")
        for name in ("z", "known", "standard_error", "difference_error"):
            shape = np.shape(getattr(self, name))
            if shape != (y.size, x.size) and not (name == "difference_error" and self.difference_error is None):
                raise ValueError(f"{name} must have the shape (m, n) of y {y.shape} and x {x.shape}; not {shape}.")
        checked_integer("levels", self.levels, 0, _MAX_LEVELS)
        checked_integer("level", self.level, 0, self.levels)


@dataclass(frozen=True, eq=False)
class PathTruth:
    """True losses of the k checkpoints of the path, which in general are not on the plane.

    Raises:
        ValueError: shapes do not match.
    """

    real: Doubles
    """Shape (k,): the loss of the checkpoint itself."""
    plane: Doubles
    """Shape (k,): the loss of its projection on the plane."""
    residual: Doubles
    """Shape (k,), 0..1: distance from the plane, relative to the distance from the origin; NaN at the origin."""
    standard_error: Doubles
    """Shape (k,): standard error of real."""
    gap_error: Doubles | None = None
    """Shape (k,): standard error of the difference between plane and real, whose samples are the same; NaN if unknown.
    None: not computed."""

    def __post_init__(self) -> None:
        columns = [_column(self, name) for name in _PATH_COLUMNS]
        if self.gap_error is not None:
            columns.append(_column(self, "gap_error"))
        if len({column.shape for column in columns}) > 1:
            raise ValueError(f"PathTruth must have columns of equal shape; not {[column.shape for column in columns]}.")


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """Diagnostics of a landscape. Sequences per axis have two numbers, or one if the landscape is a line.

    Raises:
        TypeError: samples or seed is not an integer.
        ValueError: a sequence has the wrong length, or buffers has an invalid value.
    """

    axes: str
    """How the axes were computed: "anchored", "pca", "random", "three-point", "interpolate", "hessian", "saddle",
    "mindspore"."""
    energy: Doubles
    """Fraction of the path's energy (variance) along each axis, 0..1; empty without a path."""
    random_walk_energy: Doubles
    """The same fraction for a random walk in place of each path, with steps of the same lengths, on a plane that is
    fitted to these walks in the same way; empty without a path."""
    is_random_walk: bool
    """The path cannot be distinguished from a random walk."""
    axis_lengths: Doubles
    """Length of each axis in the space of the weights."""
    axis_cosine: float
    """Cosine of the angle between the axes; NaN if the landscape is a line."""
    samples: int
    """Number of samples per loss."""
    seed: int | None
    buffers: str
    """Statistics of normalisation layers: "none" (there are none), "moved" along the axes, "frozen" as they are in the
    last checkpoint, or "recalibrated" from the data."""
    is_flat: bool
    """No loss differs from that at the origin by more than noise."""
    interpolation_error: float | None = None
    """95th percentile of the relative error of interpolated losses, at held-out nodes; None: not computed yet."""
    eigenvalues: Doubles = field(default_factory=lambda: np.empty(0))
    """Shape (e,): largest eigenvalues of the Hessian at the origin of the plane, descending; empty: not requested."""
    ritz_residuals: Doubles = field(default_factory=lambda: np.empty(0))
    """Shape (e,): residual of each eigenvalue."""
    curvature: Doubles = field(default_factory=lambda: np.empty(0))
    """Second derivative of the loss along each axis, per unit of length in weight space; or empty."""
    provenance: Mapping[str, str] = field(default_factory=dict)
    """Hashes of "axes" (equal hashes: the same plane), "checkpoints" and "samples"; "mode", "version" and more."""
    units: int | None = None
    """The number of losses that each standard error is computed from: the samples, or batches if only the means of
    batches are known. None: unknown."""
    differing_nodes: int | None = None
    """The number of measured nodes whose loss differs from that at the origin by more than the noise of the difference.
    None: not computed, and is_flat is then from the standard errors of the losses themselves."""
    random_walk_residual: float | None = None
    """The median of PathTruth.residual for the random walk of random_walk_energy. None: unknown."""

    def __post_init__(self) -> None:
        axes = _column(self, "axis_lengths").size
        if not 1 <= axes <= _MAX_AXES:
            raise ValueError(f"axis_lengths must have a number for each of 1 or 2 axes; not {axes}.")
        for name in ("energy", "random_walk_energy", "curvature"):
            if (size := _column(self, name).size) not in (0, axes):
                raise ValueError(f"{name} must have a number for each axis, {axes}, or none; not {size}.")
        values, residuals = _column(self, "eigenvalues"), _column(self, "ritz_residuals")
        if values.size != residuals.size:
            raise ValueError(
                f"ritz_residuals must have one number per eigenvalue; got {residuals.size} for {values.size}."
            )
        if self.buffers not in BUFFERS:
            raise ValueError(f"buffers must be one of {', '.join(map(repr, BUFFERS))}; not {short_repr(self.buffers)}.")
        checked_integer("samples", self.samples, 0)
        for name in ("units", "differing_nodes"):
            if (number := getattr(self, name)) is not None:
                checked_integer(name, number, 0)
        if self.seed is not None:
            checked_integer("seed", self.seed)


@dataclass(frozen=True, eq=False)
class LandscapeDetails:
    """The fields that Toposcope adds to MindSpore's message."""

    measured: Measured
    truth: PathTruth | None
    """None if there is no path."""
    diagnostics: Diagnostics


def details_message(details: LandscapeDetails) -> LossLandscape.Details:
    """Return details as a message, with all numbers as doubles."""
    message = LossLandscape.Details(measured=_measured(details.measured), diagnostics=_diagnostics(details.diagnostics))
    if (truth := details.truth) is not None:
        names = _PATH_COLUMNS if truth.gap_error is None else (*_PATH_COLUMNS, "gap_error")
        message.truth.CopyFrom(LossLandscape.PathTruth(**{name: _column(truth, name).tolist() for name in names}))
    return message


def _measured(measured: Measured) -> LossLandscape.Measured:
    differences = measured.difference_error
    return LossLandscape.Measured(
        x=np.asarray(measured.x, np.float64).tolist(),
        y=np.asarray(measured.y, np.float64).tolist(),
        z=np.asarray(measured.z, np.float64).ravel().tolist(),
        known=np.asarray(measured.known, np.bool_).ravel().tolist(),
        standard_error=np.asarray(measured.standard_error, np.float64).ravel().tolist(),
        level=int(measured.level),
        levels=int(measured.levels),
        difference_error=None if differences is None else np.asarray(differences, np.float64).ravel().tolist(),
    )


def _diagnostics(diagnostics: Diagnostics) -> LossLandscape.Diagnostics:
    columns = ("energy", "random_walk_energy", "axis_lengths", "eigenvalues", "ritz_residuals", "curvature")
    return LossLandscape.Diagnostics(
        axes=diagnostics.axes,
        is_random_walk=bool(diagnostics.is_random_walk),
        axis_cosine=float(diagnostics.axis_cosine),
        samples=int(diagnostics.samples),
        seed=None if diagnostics.seed is None else int(diagnostics.seed),
        buffers=diagnostics.buffers,
        is_flat=bool(diagnostics.is_flat),
        interpolation_error=diagnostics.interpolation_error,
        provenance=diagnostics.provenance,
        units=None if diagnostics.units is None else int(diagnostics.units),
        differing_nodes=None if diagnostics.differing_nodes is None else int(diagnostics.differing_nodes),
        random_walk_residual=diagnostics.random_walk_residual,
        **{name: _column(diagnostics, name).tolist() for name in columns},
    )


def _column(owner: object, name: str) -> Doubles:
    column = np.asarray(getattr(owner, name), np.float64)
    if column.ndim != 1:
        raise ValueError(f"{name} must have one dimension; got shape {column.shape}.")
    return column
