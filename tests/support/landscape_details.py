"""Loss landscapes with details, for tests: a bowl with known gaps between the plane's losses and the real ones."""

from typing import Any

import numpy as np

from toposcope.proto.landscape_pb2 import LossLandscape
from toposcope.recorder.messages.landscape import landscape
from toposcope.recorder.messages.landscape_details import Diagnostics, LandscapeDetails, Measured, PathTruth

ALONG = np.linspace(-0.8, 0, 5)
"""x and y of the checkpoints."""
GAP = np.array([0.4, 0.2, 0.1, 0.05, 0.0])
"""Real losses of the checkpoints minus the plane's losses."""
RESIDUAL = np.array([0.5, 0.4, 0.3, 0.2, np.nan])


def losses(x: Any, y: Any, lift: float = 0.1) -> Any:
    """Return the losses of the bowl."""
    return x**2 + y**2 + lift


def measured(level: int, levels: int = 3, lift: float = 0.1) -> Measured:
    """Return the nodes of a level; the loss of the last one is infinite, that of the first one unknown."""
    axis = np.linspace(-1, 1, 2**level + 1)
    z = losses(*np.meshgrid(axis, axis), lift)
    z[-1, -1] = np.inf
    known = np.ones(z.shape, bool)
    known[0, 0] = False
    return Measured(axis, axis, z, known, np.full(z.shape, 0.01), level, levels, np.full(z.shape, 0.002))


def diagnostics(**changed: Any) -> Diagnostics:
    """Return favourable diagnostics with some values changed."""
    favourable: dict[str, Any] = {
        "axes": "anchored",
        "energy": (0.9, 0.06),
        "random_walk_energy": (0.7, 0.2),
        "is_random_walk": False,
        "axis_lengths": (1.0, 1.0),
        "axis_cosine": 0.0,
        "samples": 2048,
        "seed": 7,
        "buffers": "moved",
        "is_flat": False,
        "interpolation_error": 0.004,
        "eigenvalues": (4.0, 2.5),
        "ritz_residuals": (1e-4, 1e-3),
        "curvature": (2.0, 2.0),
        "units": 2048,
        "differing_nodes": 78,
        "random_walk_residual": 0.31,
        "provenance": {"axes": "plane one", "checkpoints": "c0", "samples": "50", "mode": "eager", "version": "0.1"},
    }
    return Diagnostics(**(favourable | changed))


def bowl(
    level: int = 3, levels: int = 3, lift: float = 0.1, size: int = 9, shift: float = 0.0, **changed: Any
) -> LossLandscape:
    """Return the message of a landscape with details, the x of its checkpoints shifted."""
    axis = np.linspace(-1, 1, size)
    plane = losses(ALONG + shift, ALONG, lift)
    truth = PathTruth(plane + GAP, plane, RESIDUAL, np.full(5, 0.02), np.full(5, 0.004))
    return landscape(
        axis,
        axis,
        losses(*np.meshgrid(axis, axis), lift),
        path=(ALONG + shift, ALONG, truth.real),
        intervals=[0, 4, 8, 12, 16],
        convergence_point=(shift, 0, losses(shift, 0, lift)),
        details=LandscapeDetails(measured(level, levels, lift), truth, diagnostics(**changed)),
    )
