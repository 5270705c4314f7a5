"""The geometry of a mesh: its vertices, faces and colours as TensorBoard's plugin "mesh" records them."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.budget.cancellation import check
from toposcope.server.values.tensor import read_tensor

_LARGEST_COLOUR = 255


class Geometry(NamedTuple):
    """One mesh of a batch; a cloud of points has no faces. Vertices and faces that cannot be drawn are left out."""

    vertices: npt.NDArray[np.float32]
    """float32[n, 3], finite."""
    faces: npt.NDArray[np.uint32]
    """uint32[m, 3], the vertices of each triangle."""
    colours: npt.NDArray[np.uint8] | None
    """uint8[n, 3], red, green and blue of each vertex."""


class Recorded(NamedTuple):
    """A mesh as it was recorded, and what of it cannot be drawn."""

    geometry: Geometry
    samples: int
    """Meshes of the batch."""
    vertex_count: int
    """Recorded vertices, those left out among them, like the faces below."""
    face_count: int
    lost_vertices: int
    """Vertices with a NaN or an infinity."""
    lost_faces: int
    """Faces that name a vertex which is not there or is left out."""
    problems: list[str]
    """What else cannot be drawn, one sentence each, without its full stop."""


def read_geometry(vertices: bytes, faces: bytes | None, colours: bytes | None, sample: int) -> Recorded:
    """Decode the tensors of a mesh.

    Args:
        vertices: float tensor [batch, n, 3].
        faces: tensor [batch, m, 3] of indices of vertices.
        colours: tensor [batch, n, 3], 0 to 255.
        sample: the mesh of the batch.

    Raises:
        ValueError: the vertices are malformed.
        IndexError: the batch has no such mesh.
    """
    batch = _triples(vertices, "vertices")
    points = batch[sample].astype(np.float32)
    problems: list[str] = []
    corners, paint = _other(faces, "faces", sample, problems), _other(colours, "colours", sample, problems)
    if paint is not None and len(paint) != len(points):
        problems.append(f"there are {len(paint)} colours for {len(points)} vertices")
        paint = None
    check()
    is_finite = np.isfinite(points).all(axis=1)
    found, lost_faces = _usable_faces(np.empty((0, 3), np.float32) if corners is None else corners, is_finite)
    geometry = Geometry(points, found, None if paint is None else _bytes(paint))
    lost = int(len(points) - np.count_nonzero(is_finite))
    face_count = 0 if corners is None else len(corners)
    drawn = _without(geometry, is_finite) if lost else geometry
    return Recorded(drawn, len(batch), len(points), face_count, lost, lost_faces, problems)


def _triples(payload: bytes, name: str) -> npt.NDArray[Any]:
    """Return a part of a mesh, [batch, number, 3].

    Raises:
        ValueError: it is malformed.
    """
    tensor = read_tensor(payload, "tensorboard")
    if tensor.values is None or tensor.values.dtype.kind not in "fiub":
        raise ValueError(f"the {name} are of the type {tensor.dtype}: expected numbers")
    if len(tensor.dims) != 3 or tensor.dims[2] != 3:
        raise ValueError(f"the {name} have the shape {list(tensor.dims)}: expected [batch, number, 3]")
    return tensor.values


def _other(payload: bytes | None, name: str, sample: int, problems: list[str]) -> npt.NDArray[Any] | None:
    """Return the faces or colours of a mesh; None, and why, if there are none that can be drawn."""
    if payload is None:
        return None
    try:
        batch = _triples(payload, name)
    except ValueError as error:
        problems.append(str(error))
        return None
    if sample >= len(batch):
        problems.append(f"there are {name} for {len(batch)} meshes of the batch only")
        return None
    part: npt.NDArray[Any] = batch[sample]
    return part


def _usable_faces(corners: npt.NDArray[Any], is_finite: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.uint32], int]:
    """Return (the faces whose vertices can be drawn, the number of the others)."""
    is_known = ((corners >= 0) & (corners < len(is_finite)) & (corners == np.floor(corners))).all(axis=1)
    faces = corners[is_known].astype(np.uint32)
    if not is_finite.all():
        faces = faces[is_finite[faces].all(axis=1)]
    return faces, len(corners) - len(faces)


def _bytes(colours: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """Return colours as bytes; NaN is 0."""
    if colours.dtype == np.uint8:
        return colours
    numbers = np.nan_to_num(colours.astype(np.float32), nan=0)
    return numbers.clip(0, _LARGEST_COLOUR).astype(np.uint8)


def _without(geometry: Geometry, is_kept: npt.NDArray[np.bool_]) -> Geometry:
    """Return a geometry without some vertices, which no face has."""
    vertices, faces, colours = geometry
    numbers = np.cumsum(is_kept, dtype=np.uint32) - np.uint32(1)
    return Geometry(vertices[is_kept], numbers[faces], None if colours is None else colours[is_kept])
