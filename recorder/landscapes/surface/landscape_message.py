"""The message of a landscape: losses, path and the diagnostics that show how far it can be trusted."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.recorder.landscapes.plan.landscape_plan import PlannedRun
from toposcope.recorder.landscapes.planes.plane import PathOnPlane, Plane
from toposcope.recorder.landscapes.surface.grid import Grid
from toposcope.recorder.landscapes.surface.noise import differing_nodes, is_flat
from toposcope.recorder.landscapes.surface.refinement import LevelLosses, PathLosses
from toposcope.recorder.landscapes.surface.surface import interpolation_error, surface_of
from toposcope.recorder.messages.landscape import landscape
from toposcope.recorder.messages.landscape_details import Diagnostics, LandscapeDetails, Measured, PathTruth

Doubles = npt.NDArray[np.float64]
_DECOMPOSITIONS = {"anchored": "PCA", "pca": "PCA", "mindspore": "PCA", "random": "Random"}
"""MindSpore's names of decompositions, where there is one."""


class Curvature(NamedTuple):
    """The Hessian of the loss at the origin."""

    eigenvalues: Doubles
    """(e,): descending."""
    ritz_residuals: Doubles
    """(e,): of each eigenvalue."""
    along_axes: Doubles
    """(K,): second derivatives along the axes, per unit of length."""


NO_CURVATURE = Curvature(np.empty(0), np.empty(0), np.empty(0))


class Setting(NamedTuple):
    """The run of a landscape, and how its losses are measured."""

    run: PlannedRun
    buffers: str
    """How running statistics are treated: "none", "moved", "frozen" or "recalibrated"."""
    provenance: Mapping[str, str]


def message_of(
    setting: Setting,
    plane: Plane,
    path: PathOnPlane,
    grid: Grid,
    losses: LevelLosses,
    level: int,
    samples: int,
    along: tuple[PathLosses, PathLosses],
    curvature: Curvature = NO_CURVATURE,
) -> LossLandscape:
    """Return the message of a landscape that has been measured up to a level.

    Args:
        setting: of the landscape.
        plane: its axes.
        path: of the run on the plane.
        grid: its nodes.
        losses: at the nodes of the level.
        level: of the grid.
        samples: for each loss.
        along: the real losses of the run's checkpoints, and those of the plane at their coordinates.
        curvature: of the loss at the origin, if it is known.
    """
    real, on_plane = along
    axes = int((plane.lengths > 0).sum())  # One for a line.
    truth = None
    if path.has_steps:
        truth = PathTruth(real.z, on_plane.z, path.residuals, real.standard_error, on_plane.difference_error)
    details = LandscapeDetails(
        Measured(
            grid.x.nodes(level),
            grid.y.nodes(level),
            losses.z,
            losses.known,
            losses.standard_error,
            level,
            grid.levels,
            losses.difference_error,
        ),
        truth,
        Diagnostics(
            axes=plane.axes,
            energy=path.energy[:axes],
            random_walk_energy=path.random_walk_energy[:axes],
            is_random_walk=path.is_random_walk,
            random_walk_residual=None if np.isnan(path.random_walk_residual) else path.random_walk_residual,
            axis_lengths=plane.lengths[:axes],
            axis_cosine=plane.cosine,
            samples=samples,
            seed=plane.seed if plane.axes == "random" else None,
            buffers=setting.buffers,
            is_flat=is_flat(losses),
            units=losses.units,
            differing_nodes=int(differing_nodes(losses).sum()),
            interpolation_error=interpolation_error(grid, level, losses.z),
            eigenvalues=curvature.eigenvalues,
            ritz_residuals=curvature.ritz_residuals,
            curvature=curvature.along_axes[:axes],
            provenance=setting.provenance,
        ),
    )
    return landscape(
        grid.written_x,
        grid.written_y,
        surface_of(grid, level, losses.z).losses,
        path=(*path.coordinates.T, real.z) if path.has_steps else None,
        intervals=setting.run.points if path.has_steps else None,
        convergence_point=(*path.coordinates[-1].tolist(), real.z[-1]),
        decomposition=_DECOMPOSITIONS.get(plane.axes, plane.axes),
        unit=setting.run.unit,
        step_per_epoch=setting.run.step_per_epoch,
        details=details,
    )
