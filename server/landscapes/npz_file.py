"""A loss landscape as a file of NumPy's: .npz."""

import io
import json
from typing import Any

import numpy as np

from toposcope.server.json_values import in_json
from toposcope.server.landscapes.landscape import Landscape


def npz(landscape: Landscape) -> bytes:
    """Return an .npz file, read by numpy.load: every number exact, nothing pickled.

    Its arrays are x, y, z (z[i][j] at y[i], x[j]), path_x, path_y, path_z, path_intervals, convergence_point,
    measured_* and truth_* as far as there are; metadata and diagnostics are texts in JSON.
    """
    arrays: dict[str, Any] = {"x": landscape.x, "y": landscape.y, "z": landscape.z}
    if landscape.path is not None:
        arrays |= _prefixed("path", landscape.path._asdict())
    if landscape.convergence_point is not None:
        arrays["convergence_point"] = landscape.convergence_point
    arrays["metadata"] = _json(landscape.metadata)
    if landscape.details is not None:
        arrays |= _prefixed("measured", landscape.details.measured._asdict())
        if landscape.details.truth is not None:
            arrays |= _prefixed("truth", landscape.details.truth._asdict())
        arrays["diagnostics"] = _json(landscape.details.diagnostics)
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def _prefixed(prefix: str, columns: dict[str, Any]) -> dict[str, Any]:
    return {f"{prefix}_{name}": column for name, column in columns.items()}


def _json(content: Any) -> str:
    return json.dumps(in_json(content), ensure_ascii=False)
