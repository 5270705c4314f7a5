"""Keras models."""

import json
from collections.abc import Callable
from contextlib import suppress

import pytest

from toposcope.proto.tensorboard_pb2 import Event
from toposcope.server.graphs.dialects.keras import read_keras_model
from toposcope.server.graphs.model.attributes import Room
from toposcope.server.graphs.model.graph import Graph, Kind, Output
from toposcope.server.graphs.model.limits import GraphError

ROOM = Room(characters=50, attributes=10)
Json = dict[str, object]


def read(model: object) -> Graph:
    """Read a model."""
    return read_keras_model(json.dumps(model).encode())


def layer(name: str, class_name: str = "Dense", inbound: object = None, **config: object) -> Json:
    """Return a layer; a model if the config has layers."""
    message: Json = {"class_name": class_name, "config": {"name": name, **config}}
    return message if inbound is None else {**message, "inbound_nodes": inbound}


def reads(*tensors: tuple[str, int, list[int | None]]) -> object:
    """Return a call in the form of Keras 3: (layer, output, shape) of each tensor."""
    described = [
        {
            "class_name": "__keras_tensor__",
            "config": {"shape": shape, "dtype": "float32", "keras_history": [name, 0, output]},
        }
        for name, output, shape in tensors
    ]
    return {"args": [described if len(described) > 1 else described[0]], "kwargs": {}}


def edges(graph: Graph) -> list[tuple[str, str]]:
    """Return (source, target) of all edges by name; missing sources are in brackets."""
    names = [graph.tree.names[entry] for entry in graph.tree.entry]
    pairs = zip(graph.edges.source.tolist(), graph.edges.target.tolist(), strict=True)
    return [
        (names[source] if source >= 0 else f"({graph.missing[edge]})", names[target])
        for edge, (source, target) in enumerate(pairs)
    ]


def test_model_recorded_by_keras(golden_events: Callable[[str], list[Event]]) -> None:
    """The layers of a sequential model read one another; shapes and settings are known."""
    events = golden_events("keras/train/events.out.tfevents.1795230817.vm.27084.0.v2")
    values = [value for event in events for value in event.summary.value if value.tag == "keras"]
    graph = read_keras_model(values[0].tensor.string_val[0])

    assert (graph.source, graph.name) == ("keras", "sequential")
    assert edges(graph) == [
        ("sequential/input_layer", "sequential/dense"),
        ("sequential/dense", "sequential/dense_1"),
    ]
    assert [graph.kinds[node] for node in range(3)] == [Kind.INPUT, Kind.OPERATOR, Kind.OPERATOR]
    assert graph.ops == ["InputLayer", "Dense", "Dense"]
    assert graph.outputs == [
        (Output("float32", (-1, 16)),),
        (Output("float32", (-1, 8)),),
        (Output("float32", None),),
    ]
    settings = {each.name: each.value.text for each in graph.read_attributes(1, Room(100, 100)).listed}
    assert (settings["units"], settings["activation"], settings["kernel_regularizer"]) == ("8", "relu", "null")


def test_functional_models_of_keras_3() -> None:
    """Layers refer to tensors with shapes, may read several outputs, and may be called twice."""
    model = layer(
        "model",
        "Functional",
        layers=[
            layer("a", "InputLayer", batch_shape=[None, 8]),
            layer("b", "InputLayer", batch_shape=[None, 4]),
            layer("lstm", "LSTM", [reads(("a", 0, [None, 8])), reads(("b", 0, [None, 4]))]),
            layer("add", "Add", [reads(("lstm", 0, [None, 2]), ("lstm", 1, [None, 3]))]),
        ],
        input_layers=[["a", 0, 0], ["b", 0, 0]],
        output_layers=["add", 0, 0],
    )

    graph = read(model)

    assert edges(graph) == [
        ("model/a", "model/lstm"),
        ("model/b", "model/lstm"),
        ("model/lstm", "model/add"),
        ("model/lstm", "model/add"),
    ]
    assert graph.outputs[2] == (Output("float32", (-1, 2)), Output("float32", (-1, 3)))
    assert [graph.types[each].shape for each in graph.edges.type] == [(-1, 8), (-1, 4), (-1, 2), (-1, 3)]


def test_functional_models_of_keras_2() -> None:
    """An inbound node is a list of lists of name, call, output and further arguments."""
    model = layer(
        "model",
        "Functional",
        layers=[
            layer("x", "InputLayer", [], batch_input_shape=[None, 8], dtype="float32"),
            layer("dense", "Dense", [[["x", 0, 0, {}]]]),
            layer("attend", "Attend", [[["dense", 0, 0, {"mask": ["x", 0, 0]}]]]),
        ],
        input_layers=[["x", 0, 0]],
        output_layers=[["attend", 0, 0]],
    )

    graph = read(model)

    assert edges(graph)[:2] == [("model/x", "model/dense"), ("model/dense", "model/attend")]
    assert graph.outputs[0] == (Output("float32", (-1, 8)),)


def test_nested_models_are_scopes() -> None:
    """Edges to a model end at its input layers, edges from a model begin at its output layers."""
    inner = layer(
        "inner",
        "Functional",
        [reads(("left", 0, [1])), reads(("right", 0, [1]))],
        layers=[layer("in", "InputLayer"), layer("out", "Dense", [reads(("in", 0, [1]))])],
        input_layers=[["in", 0, 0]],
        output_layers=[["out", 0, 0]],
    )
    tail = layer("tail", "Sequential", [reads(("inner", 0, [1]))], layers=[layer("t1"), layer("t2")])
    model = layer(
        "model",
        "Functional",
        layers=[
            layer("left", "InputLayer"),
            layer("right", "InputLayer"),
            inner,
            tail,
            layer("end", "Dense", [reads(("tail", 0, [1]))]),
        ],
        input_layers=[["left", 0, 0], ["right", 0, 0]],
        output_layers=[["end", 0, 0]],
    )

    assert edges(read(model)) == [
        ("model/left", "model/inner/in"),
        ("model/right", "model/inner/in"),
        ("model/inner/in", "model/inner/out"),
        ("model/inner/out", "model/tail/t1"),
        ("model/tail/t1", "model/tail/t2"),
        ("model/tail/t2", "model/end"),
    ]


def test_nested_sequential_models_are_one_chain() -> None:
    """The first layer of an inner model reads the layer before the model; the next layer reads its last."""
    inner = layer("inner", "Sequential", layers=[layer("b"), layer("c")])
    model = layer("model", "Sequential", layers=[layer("a"), inner, layer("d")])

    assert edges(read(model)) == [
        ("model/a", "model/inner/b"),
        ("model/inner/b", "model/inner/c"),
        ("model/inner/c", "model/d"),
    ]


def test_missing_layers_keep_their_name() -> None:
    """An input that refers to no layer is missing."""
    model = layer("m", "Functional", layers=[layer("a", "Dense", [reads(("gone", 0, [1]))])], input_layers=["x", 0, 0])

    assert edges(read(model)) == [("(m/gone)", "m/a")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not valid JSON"),
        (b"{", "not valid JSON"),
        (b"\xff", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"1" * 5000, "not valid JSON"),
        (b"[]", "no config with layers"),
        (b'{"config": {"layers": []}}', "no config with layers"),
        (b'{"config": {"layers": {}}}', "no config with layers"),
        (b" " * (9 << 20), "9,437,184 bytes, and the limit is"),
    ],
)
def test_invalid_models_are_errors(content: bytes, message: str) -> None:
    """The error states what is wrong."""
    with pytest.raises(GraphError, match=message):
        read_keras_model(content)


def test_unexpected_values_raise_no_exception() -> None:
    """Fields of other types, invalid names and shapes, and models that contain themselves are accepted."""
    odd: list[object] = [None, 1, "x", [], {}, {"config": 3}, {"config": {"name": 7, "dtype": {"config": []}}}]
    odd += [layer("\ud800", 'Lone"'), layer("a", batch_shape=[None, "x"]), layer("b", batch_shape=[2**70])]
    odd += [layer("c", "Dense", [[["c", 0, -5], ["c", True, 10**30], 3, {"class_name": "__keras_tensor__"}]])]
    odd += [layer("m", "Functional", layers=[layer("m")], input_layers=["m", 0, 0], output_layers=["m", 0, 9])]
    model = layer("m", "Functional", layers=odd, input_layers=[["m", 0, 0]], output_layers={"o": ["m", 0, 0]})

    graph = read(model)

    assert len(graph.ops) == len(odd)
    assert all(graph.read_attributes(node, ROOM) for node in range(len(graph.ops)))
    assert "m/\\ud800" in graph.tree.entry_of


def test_deeply_nested_models_do_not_crash() -> None:
    """They are read or rejected."""
    model = layer("leaf")
    for _ in range(60):
        model = layer("m", "Sequential", layers=[model])

    assert len(read(model).tree.parent) == 62
    for depth in (5000, 200_000):  # How deep the parser of JSON can read depends on the version of Python.
        deep = '{"config": {"layers": [' * depth + "]}}" * depth
        with suppress(GraphError):
            read_keras_model(deep.encode())
