"""Large meshes are drawn with fewer vertices."""

import numpy as np

from toposcope.server.meshes.decimation import decimated
from toposcope.server.meshes.geometry import Geometry

NO_FACES = np.empty((0, 3), np.uint32)


def surface(side: int) -> Geometry:
    """Return a sheet of side x side vertices at heights between 0 and 1, with a colour for each."""
    y, x = np.divmod(np.arange(side * side), side)
    vertices = np.stack([x / side, y / side, np.sin(x / side) * np.cos(y / side)], axis=1).astype(np.float32)
    corner = np.arange(side * side).reshape(side, side)[:-1, :-1].reshape(-1)
    faces = np.concatenate([corner[:, None] + (0, 1, side), corner[:, None] + (1, side + 1, side)]).astype(np.uint32)
    return Geometry(vertices, faces, (vertices * 255).astype(np.uint8))


def test_a_small_geometry_is_drawn_as_it_is() -> None:
    geometry = surface(10)

    assert decimated(geometry, 100, 162) is geometry


def test_a_surface_keeps_its_shape_and_area() -> None:
    """No part of it becomes a hole, and each vertex keeps its own colour."""
    whole = surface(200)

    fewer = decimated(whole, 4000)

    assert 500 < len(fewer.vertices) <= 4000
    assert fewer.faces.max() < len(fewer.vertices)
    corners = fewer.vertices[fewer.faces][:, :, :2]
    (ax, ay), (bx, by) = (corners[:, 1] - corners[:, 0]).T, (corners[:, 2] - corners[:, 0]).T
    assert abs(np.abs(ax * by - ay * bx).sum() / 2 - (199 / 200) ** 2) < 0.02
    assert fewer.colours is not None
    np.testing.assert_array_equal(fewer.colours, (fewer.vertices * 255).astype(np.uint8))


def test_points_of_a_cloud_are_taken_evenly() -> None:
    vertices = np.arange(3000, dtype=np.float32).reshape(1000, 3)

    fewer = decimated(Geometry(vertices, NO_FACES, None), 300)

    np.testing.assert_array_equal(fewer.vertices, vertices[::4])


def test_vertices_of_one_place_become_one() -> None:
    vertices = np.ones((50, 3), np.float32)
    faces = np.array([[0, 1, 2]], np.uint32)

    fewer = decimated(Geometry(vertices, faces, None), 10)

    assert (len(fewer.vertices), len(fewer.faces)) == (1, 0)


def test_faces_are_bounded() -> None:
    assert len(decimated(surface(20), most_faces=100).faces) <= 100
