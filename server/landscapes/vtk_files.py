"""A loss landscape as VTK's XML files, for ParaView: the surface as image data (.vti), the path as poly data (.vtp).

Format: https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html, with arrays inline: in base64 their
length in bytes (UInt64) and their little-endian elements.
"""

import base64
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.server.landscapes.details import PathTruth
from toposcope.server.landscapes.landscape import Landscape, Path
from toposcope.server.landscapes.logarithm import log10_of_losses
from toposcope.server.reading.series import Float64s

_EVEN = 1e-3
"""How far a step between two coordinates may be from the mean step, as a part of it."""
_TYPES = {"f": ("<f8", "Float64"), "i": ("<i8", "Int64")}
"""By the kind of an array: how its elements are packed, and what VTK calls them."""


def vti(landscape: Landscape) -> bytes:
    """Return VTK's image data: the arrays loss and log10_loss at its points, x fastest; NaN without a logarithm.

    It lies at z = 0; ParaView's Warp By Scalar makes heights of the losses. One node along an axis has spacing 1.

    Raises:
        ValueError: an axis is not evenly spaced, which this format requires.
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
    """Return (lowest coordinate, spacing, 1 for an ascending axis and -1 for a descending one)."""
    if axis.size == 1:
        return float(axis[0]), 1.0, 1
    spacing = (axis[-1] - axis[0]) / (axis.size - 1)
    if not np.isfinite(spacing) or not spacing or np.abs(np.diff(axis) - spacing).max() > _EVEN * abs(spacing):
        raise ValueError(f"a .vti file has evenly spaced axes; {name} is not: take .npz, which has every coordinate")
    return float(axis.min()), float(abs(spacing)), 1 if spacing > 0 else -1


def vtp(landscape: Landscape) -> bytes:
    """Return VTK's poly data: the checkpoints as points at x, y and their loss, and the polyline through them.

    Its arrays, as far as they are known: real_loss (a checkpoint's own), plane_loss, gap (the first less the second),
    residual, standard_error, step and interval; or plane_loss alone where the truth of the path is not told. A
    checkpoint whose loss is not finite stands at that on the plane, or at 0.

    Raises:
        ValueError: there is no path.
    """
    path = landscape.path
    if path is None or not path.x.size:
        raise ValueError("the landscape has no path")
    count = path.x.size
    columns = _told(path, landscape.details.truth if landscape.details else None)
    heights = np.zeros(count)
    for name in ("plane_loss", "real_loss"):
        if name in columns:
            heights = np.where(np.isfinite(columns[name]), columns[name], heights)
    moments = {"step": landscape.steps, "interval": path.intervals}
    places = np.arange(count)
    first = "real_loss" if "real_loss" in columns else "plane_loss"
    return _file(
        "PolyData",
        "",
        f'NumberOfPoints="{count}" NumberOfVerts="{count}" NumberOfLines="1" NumberOfStrips="0" NumberOfPolys="0"',
        _section(
            "PointData",
            columns | {name: moment for name, moment in moments.items() if moment.size},
            f'Scalars="{first}"',
        ),
        _section("Points", {"Points": np.stack((path.x, path.y, heights), axis=1)}),
        _section("Verts", {"connectivity": places, "offsets": places + 1}),
        _section("Lines", {"connectivity": places, "offsets": np.array([count])}),
    )


def _told(path: Path, truth: PathTruth | None) -> dict[str, npt.NDArray[Any]]:
    if truth is None:
        return {"plane_loss": path.z}
    columns = {"real_loss": truth.real, "plane_loss": truth.plane, "gap": truth.gap}
    return columns | {"residual": truth.residual, "standard_error": truth.standard_error}


def _file(kind: str, about: str, piece: str, *sections: str) -> bytes:
    lines = [
        '<?xml version="1.0"?>',
        f'<VTKFile type="{kind}" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
        f"<{kind} {about}>".replace(" >", ">"),
        f"<Piece {piece}>",
        *sections,
        "</Piece>",
        f"</{kind}>",
        "</VTKFile>",
    ]
    return "\n".join(lines).encode() + b"\n"


def _section(name: str, arrays: dict[str, npt.NDArray[Any]], about: str = "") -> str:
    opening = f"<{name} {about}>" if about else f"<{name}>"
    return "\n".join((opening, *(_data_array(each, array) for each, array in arrays.items()), f"</{name}>"))


def _data_array(name: str, array: npt.NDArray[Any]) -> str:
    packed, called = _TYPES[array.dtype.kind]
    content = np.ascontiguousarray(array, packed).tobytes()
    encoded = base64.b64encode(struct.pack("<Q", len(content)) + content).decode()
    parts = f' NumberOfComponents="{array.shape[1]}"' if name == "Points" else ""
    return f'<DataArray type="{called}" Name="{name}"{parts} format="binary">{encoded}</DataArray>'
