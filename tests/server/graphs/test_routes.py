"""The API routes of graphs."""

import json
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from support.event_files import GOLDEN, write_run
from support.servers import Serve
from support.summary_values import of_plugin, strings, tensorboard_run

from toposcope.proto import framing, summary_pb2, tensor_pb2, tensorboard_pb2
from toposcope.proto.tensorboard_pb2 import GraphDef, RunMetadata
from toposcope.recorder import Node, SummaryRecord, graph
from toposcope.server.graphs.routes import Graphs, NodeReply, ScopeReply, SearchReply

BACKBONE = "Default/network-WithLossCell/_backbone-SmallConv"


def tensorboard_graph(directory: Path, *graphs: GraphDef) -> Path:
    """Write a TensorBoard event file with graphs; return its path."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "events.out.tfevents.1.host"
    events = [tensorboard_pb2.Event(wall_time=1.0, file_version="brain.Event:2")]
    events += [
        tensorboard_pb2.Event(wall_time=i, graph_def=each.SerializeToString()) for i, each in enumerate(graphs, 2)
    ]
    path.write_bytes(b"".join(framing.frame(event.SerializeToString()) for event in events))
    return path


def chain(length: int, op: str = "Op") -> GraphDef:
    """Return a graph in which each node reads the previous one."""
    made = GraphDef()
    for i in range(length):
        made.node.add(
            name=f"layer{i // 10}/n{i}".encode(), op=op.encode(), input=[f"layer{(i - 1) // 10}/n{i - 1}".encode()]
        )
    return made


def only_graph(client: httpx.Client, run: str = ".") -> dict[str, Any]:
    """Return the only graph of a run."""
    (row,) = client.get("api/graphs", params={"run": run}).raise_for_status().json()["graphs"]
    return row


def test_replies_match_their_models(serve: Serve) -> None:
    """Lists, scopes, searches and nodes are validated."""
    client = serve(GOLDEN / "mindspore" / "digits_momentum")
    nodes = {"run": "."}

    for path, params, model in (
        ("api/graphs", nodes, Graphs),
        ("api/graphs/nodes", nodes, ScopeReply),
        ("api/graphs/nodes", nodes | {"scope": BACKBONE}, ScopeReply),
        ("api/graphs/nodes", nodes | {"search": "conv"}, SearchReply),
        ("api/graphs/nodes", nodes | {"node": f"{BACKBONE}/conv1-Conv2d/Conv2D-op0"}, NodeReply),
    ):
        reply = client.get(path, params=params).raise_for_status().json()
        assert set(model.model_validate(reply).model_dump()) == set(reply)


def test_graph_recorded_by_mindspore(serve: Serve) -> None:
    """The list has its properties; its scopes equal those of MindInsight."""
    client = serve(GOLDEN / "mindspore" / "digits_momentum")
    row = only_graph(client)
    sees = json.loads((GOLDEN / "mindspore/digits_momentum/mindinsight_sees.json").read_text())["digits_momentum"]

    top = client.get("api/graphs/nodes", params={"run": ".", "graph": row["id"]}).json()
    inner = client.get("api/graphs/nodes", params={"run": ".", "scope": BACKBONE}).json()["scope"]

    assert {name: row[name] for name in ("source", "nodes", "edges", "depth", "rank", "problem", "left_out")} == {
        "source": "mindspore",
        "nodes": 150,
        "edges": 261,
        "depth": 6,
        "rank": 0,
        "problem": None,
        "left_out": [],
    }
    assert row["is_module_tree"] is False
    assert row["file"] == sees["plugins"]["graph"][0]
    assert [child["name"] for child in top["scope"]["children"]] == sees["graph"]
    assert top["graph"] == row["id"]
    conv1 = next(child for child in inner["children"] if child["label"] == "conv1-Conv2d")
    assert (conv1["kind"], conv1["nodes"], conv1["op"]) == ("scope", 2, None)
    edge = next(edge for edge in inner["edges"] if edge["target"] == conv1["name"])
    assert (edge["source"], edge["count"]) == (f"{BACKBONE}/Load-op0", 1)
    assert edge["types"] == [{"dtype": "float32", "shape": [8, 1, 3, 3], "count": 1}]


def test_node_has_all_properties(serve: Serve) -> None:
    """It is selected by node=, or by scope= with the name of a node."""
    client = serve(GOLDEN / "mindspore" / "digits_momentum")
    name = f"{BACKBONE}/conv1-Conv2d/Conv2D-op0"

    node = client.get("api/graphs/nodes", params={"run": ".", "node": name}).json()["node"]
    same = client.get("api/graphs/nodes", params={"run": ".", "scope": name}).json()["node"]

    assert node == same
    assert (node["name"], node["scope"], node["id"], node["op"], node["kind"]) == (
        name,
        f"{BACKBONE}/conv1-Conv2d",
        "2",
        "Conv2D",
        "operator",
    )
    assert node["types"] == [{"dtype": "float32", "shape": [64, 8, 8, 8]}]
    assert [link["name"] for link in node["inputs"]] == [f"{BACKBONE}/conv1-Conv2d/inputs0", f"{BACKBONE}/Load-op0"]
    assert len(node["outputs"]) == node["outputs_total"] == 3
    assert {"name": "stride", "value": "[1, 1, 1, 1]", "length": None, "unit": None} in node["attributes"]
    assert len(node["attributes"]) == node["attributes_total"] == 13


def test_search_returns_matches_with_their_scopes(serve: Serve) -> None:
    """Matches are counted; the limit bounds the listed ones."""
    client = serve(GOLDEN / "mindspore" / "digits_momentum")

    result = client.get("api/graphs/nodes", params={"run": ".", "search": "MAXPOOL", "scope": "Default"}).json()[
        "found"
    ]
    short = client.get("api/graphs/nodes", params={"run": ".", "search": "MAXPOOL", "limit": 1}).json()["found"]

    assert result["total"] == 3
    assert [entry["label"] for entry in result["tree"] if entry["matches"]] == [
        "pool-MaxPool2d",
        "MaxPool-op0",
        "MaxPool-op1",
    ]
    assert result["tree"][0]["name"] == "Default"
    assert sum(entry["matches"] for entry in short["tree"]) == 1
    assert short["total"] > 1


def test_graphs_recorded_by_toposcope(tmp_path: Path, serve: Serve) -> None:
    """Their source is toposcope, whatever the framework."""
    described = graph(
        [
            Node("image", "Parameter", shape=(None, 3), dtype="float32"),
            Node("net/block0/fc", "Dense", ["image"], (None, 4), "float32", {"units": 4}),
            Node("net/block1/fc", "Dense", ["net/block0/fc"], (None, 4), "float32"),
        ],
        name="two blocks",
    )
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("graph", "train_network", described)
        record.record(1)

    client = serve(tmp_path)
    row = only_graph(client)
    net = client.get("api/graphs/nodes", params={"run": ".", "scope": "net"}).json()["scope"]

    assert (row["source"], row["name"], row["nodes"], row["edges"]) == ("toposcope", "two blocks", 3, 2)
    blocks = [child for child in net["children"] if child["kind"] == "scope"]
    assert [child["label"] for child in blocks] == ["block0", "block1"]
    assert net["edges"][0]["types"] == [{"dtype": "float32", "shape": [-1, 4], "count": 1}]


def test_graphs_of_torch_keras_and_tensorflow(tmp_path: Path, serve: Serve) -> None:
    """The source of each is its framework; traced functions are read too."""
    metadata = RunMetadata()
    metadata.function_graphs.add().pre_optimization_graph.CopyFrom(chain(3))
    traced = of_plugin("graph_run_metadata_graph", "step", strings(metadata.SerializeToString(), dims=[]))
    tensorboard_run(tmp_path / "traced", [(0, traced)])
    tensorboard_graph(tmp_path / "tf", chain(5))
    for name, path in (("torch", "torch"), ("keras", "keras/train")):
        (tmp_path / name).symlink_to(GOLDEN / "tensorboard" / path)
    client = serve(tmp_path)

    rows = {run: only_graph(client, run) for run in ("traced", "tf", "torch", "keras")}

    assert {run: (row["source"], row["nodes"], row["edges"]) for run, row in rows.items()} == {
        "traced": ("tensorflow", 3, 2),
        "tf": ("tensorflow", 5, 4),
        "torch": ("torch", 9, 8),
        "keras": ("keras", 3, 2),
    }
    assert rows["keras"]["tag"] == "keras"
    assert rows["torch"]["missing_inputs"] == 0
    assert rows["tf"]["missing_inputs"] == 1


def test_module_trees_are_marked(tmp_path: Path, serve: Serve) -> None:
    """A graph of modules without edges is a module tree, not a data flow."""
    modules = graph([Node("net/conv", "Conv2d"), Node("net/relu", "ReLU")])
    with SummaryRecord(str(tmp_path)) as record:
        record.add_value("graph", "net", modules)
        record.record(1)

    assert only_graph(serve(tmp_path))["is_module_tree"] is True


def test_several_graphs_have_unique_ids(tmp_path: Path, serve: Serve) -> None:
    """The list has the newest graphs, oldest first; the newest is the default."""
    tensorboard_graph(tmp_path, *(chain(i, f"Op{i}") for i in range(1, 5)))
    client = serve(tmp_path)

    listed = client.get("api/graphs", params={"run": ".", "limit": 2}).json()
    newest = client.get("api/graphs/nodes", params={"run": "."}).json()
    older = client.get("api/graphs/nodes", params={"run": ".", "graph": listed["graphs"][0]["id"]}).json()

    assert listed["total"] == 4
    assert [(row["nodes"], row["wall_time"]) for row in listed["graphs"]] == [(3, 4.0), (4, 5.0)]
    assert newest["graph"] == listed["graphs"][1]["id"]
    assert newest["scope"]["children"][0]["nodes"] == 4
    assert older["scope"]["children"][0]["nodes"] == 3


def test_runs_without_graphs_have_an_empty_list(tmp_path: Path, serve: Serve) -> None:
    """Reading a graph of such a run is 404."""
    write_run(tmp_path, [])
    client = serve(tmp_path)

    assert client.get("api/graphs", params={"run": "."}).json()["graphs"] == []
    reply = client.get("api/graphs/nodes", params={"run": "."})
    assert (reply.status_code, reply.json()["detail"]) == (404, "no graph in run '.'")


@pytest.mark.parametrize(
    ("params", "status", "detail"),
    [
        ({"run": "x"}, 404, "no run 'x'"),
        ({"run": ".", "graph": "x"}, 404, "no graph 'x' in run '.'"),
        ({"run": ".", "scope": "x"}, 404, "no scope 'x' in the graph"),
        ({"run": ".", "node": "layer0"}, 404, "no node 'layer0' in the graph"),
        ({"run": ".", "node": "a", "search": "b"}, 422, "node='a' cannot be combined with scope or search"),
        ({"run": ".", "search": ""}, 422, "search=''"),
        ({"run": ".", "limit": 0}, 422, "limit='0'"),
        ({"run": ".", "depth": 1}, 422, "depth='1'"),
        ({}, 422, "run="),
    ],
)
def test_errors_contain_the_invalid_value(
    tmp_path: Path, serve: Serve, params: dict[str, Any], status: int, detail: str
) -> None:
    """Each error is one sentence."""
    tensorboard_graph(tmp_path, chain(2))

    reply = serve(tmp_path).get("api/graphs/nodes", params=params)

    assert reply.status_code == status
    assert detail in reply.json()["detail"]


def test_malformed_graphs_are_listed_with_the_reason(tmp_path: Path, serve: Serve) -> None:
    """Other graphs are not affected."""
    event = tensorboard_pb2.Event(wall_time=2.0, graph_def=b"\x0a\x7fab")
    path = tensorboard_graph(tmp_path, chain(2))
    path.write_bytes(path.read_bytes() + framing.frame(event.SerializeToString()))
    tensorboard_run(tmp_path / "keras", [(0, of_plugin("graph_keras_model", "keras", strings(b"[1")))])
    tensorboard_run(tmp_path / "empty", [(0, of_plugin("graph_keras_model", "keras", strings()))])
    client = serve(tmp_path)

    rows = {run: client.get("api/graphs", params={"run": run}).json()["graphs"] for run in (".", "keras", "empty")}
    reply = client.get("api/graphs/nodes", params={"run": "keras"})

    assert [row["nodes"] for row in rows["."]] == [2, None]
    assert "malformed" in rows["."][1]["problem"]
    assert "not valid JSON" in rows["keras"][0]["problem"]
    assert "no string" in rows["empty"][0]["problem"]
    assert reply.status_code == 410
    assert "cannot be read: the Keras model is not valid JSON" in reply.json()["detail"]


def test_damaged_graphs_are_listed_with_the_reason(tmp_path: Path, serve: Serve) -> None:
    """They are listed until their record is verified and dropped."""
    path = tensorboard_graph(tmp_path, chain(2000))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)

    rows = serve(tmp_path).get("api/graphs", params={"run": "."}).json()["graphs"]

    assert [row["problem"] for row in rows if "its checksum does not fit its bytes" not in row["problem"]] == []


def test_hostile_graphs_are_read(tmp_path: Path, serve: Serve) -> None:
    """Loops, duplicates, names of slashes, deep scopes and negative dimensions are accepted."""
    message = summary_pb2.Event(wall_time=2.0)
    for name in ("", "/", "a//b", "a/b", "a/b", "/".join("x" * 300), "\u202e<script>", "\x00"):
        node = message.graph_def.node.add(name="1", op_type="<b>", full_name=name)
        node.input.add(name="1")
        node.input.add(name="")
        node.output_type.data_type = tensor_pb2.DT_TENSOR
        node.output_type.tensor_type.elem_type = tensor_pb2.DT_COMPLEX64
        for size in (-1, -(2**63), 2**63 - 1):
            node.output_type.tensor_type.shape.dim.add(size=size)
    write_run(tmp_path, [framing.frame(message.SerializeToString())])
    client = serve(tmp_path)

    row = only_graph(client)
    top = client.get("api/graphs/nodes", params={"run": "."}).raise_for_status().json()["scope"]
    result = client.get("api/graphs/nodes", params={"run": ".", "search": "<B>"}).raise_for_status().json()["found"]

    assert (row["nodes"], row["depth"], row["missing_inputs"]) == (8, 64, 8)
    assert top["children"][0]["types"] == [{"dtype": "complex64", "shape": [-1, -(2**63), 2**63 - 1]}]
    assert result["total"] == 8


def test_children_of_a_large_scope_are_paginated(tmp_path: Path, serve: Serve) -> None:
    """The size of the reply depends on the page only; children can also be selected by name."""
    flat = GraphDef()
    for i in range(20_000):
        flat.node.add(name=f"n{i}".encode(), op=b"Op", input=[f"n{i - 1}".encode(), b"n0"])
    tensorboard_graph(tmp_path, flat)

    client = serve(tmp_path)
    reply = client.get("api/graphs/nodes", params={"run": ".", "offset": 10_000, "limit": 100})
    named = client.get("api/graphs/nodes", params={"run": ".", "limit": 2, "also": ["n9000", "n1", "n20", "away"]})

    scope = reply.json()["scope"]
    assert (scope["total"], len(scope["children"]), scope["children"][0]["name"]) == (20_000, 100, "n10000")
    assert len(reply.content) < 100_000
    assert np.all([len(child["inputs"]) == 2 for child in scope["children"]])
    assert [child["name"] for child in named.json()["scope"]["children"]] == ["n0", "n1", "n20", "n9000"]
