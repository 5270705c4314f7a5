"""A loss landscape as files that other programs read: NumPy's .npz and VTK's image data (.vti, for ParaView)."""

import base64
import io
import json
import struct
from typing import Any

import numpy as np

from toposcope.server.json_text import in_json
from toposcope.server.reading.series import Float64s
from toposcope.server.values.landscape import Landscape

_EVEN = 1e-3
"""How far a step between two coordinates may be from the mean step, as a part of it."""


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


def vti(landscape: Landscape) -> bytes:
    """Return VTK's XML image data: the arrays loss and log10_loss at its points, x fastest; NaN without a logarithm.

    Format: https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html, ImageData with inline binary arrays:
    base64 of the length in bytes (UInt64) and of the little-endian doubles. One node along an axis has spacing 1.

    Raises:
        ValueError: an axis is not evenly spaced, which this format requires.
    """
    (left, across, x_order), (low, up, y_order) = (_even(name, getattr(landscape, name)) for name in ("x", "y"))
    losses = landscape.z[::y_order, ::x_order]
    with np.errstate(divide="ignore", invalid="ignore"):
        logarithms = np.where(losses > 0, np.log10(losses), np.nan)
    extent = f"0 {landscape.x.size - 1} 0 {landscape.y.size - 1} 0 0"
    lines = [
        '<?xml version="1.0"?>',
        '<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
        f'  <ImageData WholeExtent="{extent}" Origin="{left!r} {low!r} 0" Spacing="{across!r} {up!r} 1">',
        f'    <Piece Extent="{extent}">',
        '      <PointData Scalars="loss">',
        *(_data_array(name, values) for name, values in (("loss", losses), ("log10_loss", logarithms))),
        "      </PointData>",
        "    </Piece>",
        "  </ImageData>",
        "</VTKFile>",
    ]
    return "\n".join(lines).encode() + b"\n"


def _even(name: str, axis: Float64s) -> tuple[float, float, int]:
    """Return (lowest coordinate, spacing, 1 for an ascending axis and -1 for a descending one)."""
    if axis.size == 1:
        return float(axis[0]), 1.0, 1
    spacing = (axis[-1] - axis[0]) / (axis.size - 1)
    if not np.isfinite(spacing) or not spacing or np.abs(np.diff(axis) - spacing).max() > _EVEN * abs(spacing):
        raise ValueError(f"a .vti file has evenly spaced axes; {name} is not: take .npz, which has every coordinate")
    return float(axis.min()), float(abs(spacing)), 1 if spacing > 0 else -1


def _data_array(name: str, values: Float64s) -> str:
    content = np.ascontiguousarray(values, "<f8").tobytes()
    encoded = base64.b64encode(struct.pack("<Q", len(content)) + content).decode()
    return f'        <DataArray type="Float64" Name="{name}" format="binary">{encoded}</DataArray>'
