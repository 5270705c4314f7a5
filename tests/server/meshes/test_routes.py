"""The routes of meshes, on files of our writer and on hostile ones; tests/interop has those of other writers."""

from pathlib import Path
from typing import Any

import httpx
import numpy as np
from support.cbor import decode_cbor
from support.servers import Serve
from support.summary_values import of_plugin, tensorboard_run

from toposcope.proto.tensorboard_pb2 import TensorProto, TensorShapeProto
from toposcope.recorder import SummaryWriter
from toposcope.recorder.tensorboard.kinds.mesh import MeshValue
from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.server.meshes.routes import GeometryReply, Meshes

VERTICES = np.array([[[0, 0, 0], [1.5, 0, 0], [0, 2, 0], [0, 0, -3]]], np.float32)
FACES = np.array([[[0, 1, 2], [0, 2, 3]]], np.int32)
COLOURS = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255], [1, 2, 3]]], np.uint8)


def geometry(client: httpx.Client, **query: Any) -> dict[str, Any]:
    """Return a mesh of the run "run"."""
    reply = client.get("api/meshes/geometry", params={"run": "run", **query}).raise_for_status().json()
    GeometryReply.model_validate(reply, extra="forbid")
    return dict(reply)


def write(folder: Path, **parts: Any) -> None:
    """Record a mesh "shape" at step 1, without our checks of its arrays."""
    with SummaryWriter(str(folder / "run")) as writer:
        writer.add_mesh("shape", global_step=1, **parts)


def test_vertices_faces_and_colours_are_as_recorded(tmp_path: Path, serve: Serve) -> None:
    with SummaryWriter(str(tmp_path / "run")) as writer:
        for step in (0, 10):
            writer.add_mesh("a/shape", VERTICES + step, COLOURS, FACES, global_step=step)
    client = serve(tmp_path)

    listed = client.get("api/meshes", params={"run": "run", "tag": "a/shape"}).raise_for_status().json()
    Meshes.model_validate(listed, extra="forbid")
    found = geometry(client, tag="a/shape", step=10)

    assert [each["step"] for each in listed["meshes"]] == [0, 10]
    assert (listed["tag"], listed["total"]) == ("a/shape", 2)
    np.testing.assert_array_equal(np.array(found["vertices"]).reshape(-1, 3), VERTICES[0] + 10)
    np.testing.assert_array_equal(np.array(found["faces"]).reshape(-1, 3), FACES[0])
    np.testing.assert_array_equal(np.array(found["colours"]).reshape(-1, 3), COLOURS[0])
    assert (found["samples"], found["problems"], found["is_decimated"]) == (1, [], False)


def test_a_cloud_has_no_faces_and_a_batch_several_meshes(tmp_path: Path, serve: Serve) -> None:
    write(tmp_path, vertices=np.concatenate([VERTICES, VERTICES + 1]))
    client = serve(tmp_path)

    found = geometry(client, tag="shape", step=1, sample=1)

    assert (found["samples"], found["faces"], found["colours"]) == (2, [], None)
    assert found["vertices"][:3] == [1, 1, 1]
    wrongs: list[dict[str, Any]] = [{"sample": 2}, {"step": 2}, {"tag": "other"}]
    for wrong in wrongs:
        query: dict[str, Any] = {"run": "run", "tag": "shape", "step": 1, **wrong}
        assert client.get("api/meshes/geometry", params=query).status_code == 404


def test_components_that_tensorboardx_numbers_are_found(tmp_path: Path, serve: Serve) -> None:
    """Its tags end with 1 for vertices, 2 for faces and 3 for colours."""
    parts = {"shape_1": VERTICES, "shape_2": FACES.astype(np.float32), "shape_3": COLOURS.astype(np.float32)}
    values = [(1, of_plugin("mesh", tag, tensor_of(array))) for tag, array in parts.items()]
    tensorboard_run(tmp_path / "run", values)
    client = serve(tmp_path)

    listed = client.get("api/meshes", params={"run": "run", "tag": "shape"}).raise_for_status().json()
    found = geometry(client, tag="shape", step=1)

    assert [each["step"] for each in listed["meshes"]] == [1]
    assert found["vertices"] == VERTICES.reshape(-1).tolist()
    assert found["faces"] == FACES.reshape(-1).tolist()
    assert found["colours"] == COLOURS.reshape(-1).tolist()


def tensor_of(array: np.ndarray[Any, Any]) -> TensorProto:
    """Return a tensor of floats."""
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in array.shape])
    return TensorProto(dtype=1, tensor_shape=shape, tensor_content=array.tobytes())


def test_faces_that_point_nowhere_and_vertices_without_a_place_are_left_out(tmp_path: Path, serve: Serve) -> None:
    """The rest is drawn: its faces name its vertices."""
    vertices = np.concatenate([[[[np.nan, 0, 0], [np.inf, 1, 1]]], VERTICES], axis=1)
    faces = [[[2, 3, 4], [0, 3, 4], [2, 3, 99], [-1, 3, 4], [2, 4, 5]]]
    write(tmp_path, vertices=vertices, faces=np.array(faces))

    found = geometry(serve(tmp_path), tag="shape", step=1)

    assert (found["lost_vertices"], found["lost_faces"]) == (2, 3)
    assert (found["vertex_count"], found["face_count"]) == (6, 5)
    assert found["vertices"] == VERTICES.reshape(-1).tolist()
    assert found["faces"] == [0, 1, 2, 0, 2, 3]


def test_parts_that_do_not_fit_are_named_and_the_rest_is_drawn(tmp_path: Path, serve: Serve) -> None:
    write(tmp_path, vertices=np.concatenate([VERTICES, VERTICES]), faces=FACES, colors=COLOURS[:, :2].repeat(2, axis=0))

    found = geometry(serve(tmp_path), tag="shape", step=1, sample=1)

    assert found["problems"] == [
        "there are faces for 1 meshes of the batch only",
        "there are 2 colours for 4 vertices",
    ]
    assert (len(found["vertices"]), found["faces"], found["colours"]) == (12, [], None)


def test_vertices_of_another_shape_are_refused(tmp_path: Path, serve: Serve) -> None:
    """Other writers may record them; ours refuses to."""
    flat = array_from(np.zeros((4, 2), np.float32))
    with SummaryWriter(str(tmp_path / "run")) as writer:
        values = {"shape_VERTEX": MeshValue("shape", "VERTEX", flat, 2, "{}")}
        writer._get_file_writer().add_values("mesh", values, 32, 1, None)
    reply = serve(tmp_path).get("api/meshes/geometry", params={"run": "run", "tag": "shape", "step": 1})

    assert reply.status_code == 410
    assert reply.json()["detail"] == "the vertices have the shape [4, 2]: expected [batch, number, 3]"


def test_typed_arrays_are_those_of_the_lists(tmp_path: Path, serve: Serve) -> None:
    write(tmp_path, vertices=VERTICES, faces=FACES, colors=COLOURS)
    client = serve(tmp_path)
    query = {"run": "run", "tag": "shape", "step": "1"}

    reply = client.get("api/meshes/geometry", params=query, headers={"Accept": "application/cbor"})

    found, lists = decode_cbor(reply.content), geometry(client, tag="shape", step=1)
    for name, dtype in (("vertices", np.float32), ("faces", np.uint32), ("colours", np.uint8)):
        assert found[name].dtype == dtype
        assert found[name].tolist() == lists[name]
