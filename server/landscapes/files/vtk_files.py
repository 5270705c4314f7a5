"""A loss landscape as VTK XML files, for ParaView: the surface as image data (.vti), the path as poly data (.vtp).

Format: https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html, with inline arrays: the length in
bytes (UInt64), followed by the little-endian elements, in base64.
"""

import base64
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.server.landscapes.details import PathLosses
from toposcope.server.landscapes.files.logarithm import log10_of_losses
from toposcope.server.landscapes.landscape import Landscape, Path
from toposcope.server.reading.series.series import Float64s

_EVEN = 1e-3
"""Largest relative deviation of a spacing from the mean spacing."""
_TYPES = {"f": ("<f8", "Float64"), "i": ("<i8", "Int64")}
"""NumPy dtype and VTK type by kind of array."""


def vti_file(landscape: Landscape) -> bytes:
    """Return VTK image data with the point arrays loss and log10_loss, x varying fastest.

    Losses without a logarithm are NaN in log10_loss. The image is at z = 0; ParaView's Warp By Scalar converts losses
    to heights. An axis with a single node has spacing 1.

    Raises:
        ValueError: an axis is not evenly spaced, as this format requires.
    """
    (left, across, x_order), (low, up, y_order) = (_even(name, getattr(landscape, name)) for name in ("x", "y"))
    losses = landscape.z[::y_order, ::x_order]
    logarithms = log10_of_losses(losses)
    extent = f"0 {landscape.x.size - 1} 0 {landscape.y.size - 1} 0 0"
    return _file(
        "ImageData",
        f'WholeExtent="{extent}" Origin="{left!r} {low!r} 0" Spacing="{across!r} {up!r} 1"',
        f'Extent="{extent}"',
        _section("PointData", {"loss": losses, "log10_loss": logarithms}, 'Scalars="loss"'),
    )


def _even(name: str, axis: Float64s) -> tuple[float, float, int]:
    """Return (lowest coordinate, spacing, 1 for an ascending or -1 for a descending axis)."""
    if axis.size == 1:
        return float(axis[0]), 1.0, 1
    spacing = (axis[-1] - axis[0]) / (axis.size - 1)
    if not np.isfinite(spacing) or not spacing or np.abs(np.diff(axis) - spacing).max() > _EVEN * abs(spacing):
        raise ValueError(f"a .vti file requires evenly spaced axes, and {name} is not: use .npz instead")
    return float(axis.min()), float(abs(spacing)), 1 if spacing > 0 else -1


def vtp_file(landscape: Landscape) -> bytes:
    """Return VTK poly data: the checkpoints as points at x, y and their loss, and the polyline through them.

    The point arrays are, if known, real_loss (of the checkpoint itself), plane_loss, gap (their difference), residual,
    standard_error, gap_error, step and interval; only plane_loss if the landscape has no details. A checkpoint with a
    loss that is not finite is at the loss on the plane, or at 0.

    Raises:
        ValueError: the landscape has no path.
    """
    path = landscape.path
    if path is None or not path.x.size:
        raise ValueError("the landscape has no path")
    count = path.x.size
    columns = _loss_columns(path, landscape.details.truth if landscape.details else None)
    heights = np.zeros(count)
    for name in ("plane_loss", "real_loss"):
        if name in columns:
            heights = np.where(np.isfinite(columns[name]), columns[name], heights)
    positions = {"step": landscape.steps, "interval": path.intervals}
    points = np.arange(count)
    first = "real_loss" if "real_loss" in columns else "plane_loss"
    return _file(
        "PolyData",
        "",
        f'NumberOfPoints="{count}" NumberOfVerts="{count}" NumberOfLines="1" NumberOfStrips="0" NumberOfPolys="0"',
        _section(
            "PointData",
            columns | {name: column for name, column in positions.items() if column.size},
            f'Scalars="{first}"',
        ),
        _section("Points", {"Points": np.stack((path.x, path.y, heights), axis=1)}),
        _section("Verts", {"connectivity": points, "offsets": points + 1}),
        _section("Lines", {"connectivity": points, "offsets": np.array([count])}),
    )


def _loss_columns(path: Path, losses: PathLosses | None) -> dict[str, npt.NDArray[Any]]:
    if losses is None:
        return {"plane_loss": path.z}
    columns = {"real_loss": losses.real, "plane_loss": losses.plane, "gap": losses.gap}
    columns |= {"residual": losses.residual, "standard_error": losses.standard_error}
    return columns if losses.gap_error is None else columns | {"gap_error": losses.gap_error}


def _file(kind: str, attributes: str, piece: str, *sections: str) -> bytes:
    lines = [
        '<?xml version="1.0"?>',
        f'<VTKFile type="{kind}" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
        f"<{kind} {attributes}>".replace(" >", ">"),
        f"<Piece {piece}>",
        *sections,
        "</Piece>",
        f"</{kind}>",
        "</VTKFile>",
    ]
    return "\n".join(lines).encode() + b"\n"


def _section(name: str, arrays: dict[str, npt.NDArray[Any]], attributes: str = "") -> str:
    opening = f"<{name} {attributes}>" if attributes else f"<{name}>"
    return "\n".join((opening, *(_data_array(each, array) for each, array in arrays.items()), f"</{name}>"))


def _data_array(name: str, array: npt.NDArray[Any]) -> str:
    dtype, vtk_type = _TYPES[array.dtype.kind]
    content = np.ascontiguousarray(array, dtype).tobytes()
    encoded = base64.b64encode(struct.pack("<Q", len(content)) + content).decode()
    parts = f' NumberOfComponents="{array.shape[1]}"' if name == "Points" else ""
    return f'<DataArray type="{vtk_type}" Name="{name}"{parts} format="binary">{encoded}</DataArray>'
