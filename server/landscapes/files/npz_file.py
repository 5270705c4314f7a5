"""A loss landscape as a NumPy .npz file."""

import io
import json
from typing import Any

import numpy as np

from toposcope.server.landscapes.landscape import Landscape
from toposcope.server.text.json_values import json_value


def npz_file(landscape: Landscape) -> bytes:
    """Return an .npz file for numpy.load, with exact numbers and no pickled objects.

    Its arrays are x, y, z (z[i, j] at (x[j], y[i])), and, if present, path_x, path_y, path_z, path_intervals,
    convergence_point, measured_* and truth_*. metadata and diagnostics are JSON texts.
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
    return {f"{prefix}_{name}": column for name, column in columns.items() if column is not None}


def _json(content: Any) -> str:
    return json.dumps(json_value(content), ensure_ascii=False)
