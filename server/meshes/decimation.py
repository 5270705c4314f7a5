"""Decimation: large geometries with fewer vertices and faces, as far as a page draws them."""

import numpy as np
import numpy.typing as npt

from toposcope.server.budget.cancellation import check
from toposcope.server.meshes.geometry import Geometry

MAX_VERTICES = 1_000_000
MAX_FACES = 4_000_000
"""More than surfaces of so many vertices have: about twice as many, and more where vertices become one."""
_FINEST_GRID = 2048
"""Cells of a side of the first grid; fewer than 2**21, so that the number of a cell has 63 bits."""


def decimated(geometry: Geometry, most_vertices: int = MAX_VERTICES, most_faces: int = MAX_FACES) -> Geometry:
    """Return a geometry with at most so many vertices and faces; the same one if it has no more.

    Of a cloud, points are taken at regular distances. Vertices of a surface that are in the same cell of a grid become
    one of them: the surface keeps its shape and has no holes, down to the size of a cell. Faces that are still too many
    are taken at regular distances.
    """
    if len(geometry.vertices) > most_vertices:
        geometry = _clustered(geometry, most_vertices) if len(geometry.faces) else _thinned(geometry, most_vertices)
    faces = geometry.faces
    return geometry._replace(faces=faces[:: -(-len(faces) // most_faces)]) if len(faces) > most_faces else geometry


def _thinned(geometry: Geometry, most: int) -> Geometry:
    stride = -(-len(geometry.vertices) // most)
    colours = None if geometry.colours is None else geometry.colours[::stride]
    return Geometry(geometry.vertices[::stride], geometry.faces, colours)


def _clustered(geometry: Geometry, most: int) -> Geometry:
    vertices, faces, colours = geometry
    first, cluster = _clusters(vertices, most)
    merged = cluster[faces]
    a, b, c = merged.T
    merged = merged[(a != b) & (b != c) & (a != c)]
    return Geometry(vertices[first], merged, None if colours is None else colours[first])


def _clusters(vertices: npt.NDArray[np.float32], most: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.uint32]]:
    """Return (a vertex of each cluster, the cluster of each vertex) of the finest grid with few enough cells."""
    low = vertices.min(axis=0).astype(np.float64)
    extent = float((vertices.max(axis=0) - low).max()) or 1.0
    side = _FINEST_GRID
    while True:
        check()
        cells = ((vertices - low) * ((side - 1) / extent)).astype(np.int64)
        numbers = (cells[:, 0] * side + cells[:, 1]) * side + cells[:, 2]
        _, first, cluster = np.unique(numbers, return_index=True, return_inverse=True)
        if len(first) <= most:
            return first, cluster.astype(np.uint32)
        side = max(1, int(side * min(0.9, (most / len(first)) ** 0.5)))
