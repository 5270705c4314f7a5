"""GraphProto, the graphs of MindSpore, compared with MindInsight."""

import json
import re
from pathlib import Path

import pytest
from support import golden_run

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.graph_pb2 import GraphProto, InputProto, ValueProto
from toposcope.recorder.messages.graph import CONSTANT, PARAMETER, Node, graph
from toposcope.server.graphs.dialects.mindspore import read_graph
from toposcope.server.graphs.dialects.mindspore_values import value_text
from toposcope.server.graphs.entry_views import node_view
from toposcope.server.graphs.model.attributes import Room
from toposcope.server.graphs.model.graph import Graph, Kind, Output
from toposcope.server.graphs.model.limits import GraphError
from toposcope.server.graphs.scope import open_scope

# MindInsight 2.3.1's MSGraph().build_graph() of the golden graph: full name to [type, shapes, element types, inputs].
MINDINSIGHT = json.loads((Path(__file__).parent / "mindinsight_nodes.json").read_text())
ROOM = Room(characters=50, attributes=10)


def read(message: GraphProto, by_toposcope: bool = False) -> Graph:
    """Read a message."""
    return read_graph(message.SerializeToString(), by_toposcope)


def names(graph: Graph, kind: Kind | None = None) -> list[str]:
    """Return the full names of the nodes, of all kinds or of one."""
    nodes = [node for node in range(len(graph.ops)) if kind in (None, graph.kinds[node])]
    return [graph.tree.names[graph.tree.entry[node]] for node in nodes]


def ungrouped(name: str) -> str:
    """Return a name of MindInsight without the scopes that it adds for groups of five siblings."""
    return re.sub(r"[^/]+\[\d+\]_\d+/", "", name)


def test_nodes_are_those_of_mindinsight() -> None:
    """Operators and constants have the names, types, shapes and dtypes that MindInsight shows; so have parameters.

    It shows a parameter beside each of its readers, we beside the first: 35 against 23. Its groups of five siblings of
    one type, 6 of them, are no scopes of the file. The rest is equal: 89 operators, 38 constants, 34 scopes.
    """
    graph = read(golden_run.graph())
    theirs = {ungrouped(name): shown for name, shown in MINDINSIGHT.items() if shown[0] != "aggregation_scope"}
    ours = {name: node for node, name in enumerate(names(graph))}

    assert {name for name, (type_, *_) in theirs.items() if type_ not in ("Parameter", "name_scope")} == {
        *names(graph, Kind.OPERATOR),
        *names(graph, Kind.CONSTANT),
    }
    assert set(ours) < set(theirs)
    assert sorted(name.rpartition("/")[2] for name in names(graph, Kind.PARAMETER)) == sorted(
        {name.rpartition("/")[2] for name, shown in theirs.items() if shown[0] == "Parameter"}
    )
    for name, node in ours.items():
        type_, shapes, elements, _ = theirs[name]
        assert graph.ops[node] == type_
        if elements and "DT_UNDEFINED" not in elements:
            # Of a parameter it names the element type twice.
            assert [f"DT_{output.dtype}".upper() for output in graph.outputs[node]] == elements[: len(shapes)]
            assert [list(output.shape or ()) for output in graph.outputs[node]] == shapes


def test_inputs_equal_those_of_mindinsight() -> None:
    """Every operator has the inputs that MindInsight shows, within scopes and across them."""
    graph = read(golden_run.graph())
    theirs = {ungrouped(name): shown for name, shown in MINDINSIGHT.items() if shown[0] != "aggregation_scope"}
    parameters = {name.rpartition("/")[2] for name in names(graph, Kind.PARAMETER)}

    def plain(name: str) -> str:
        last = name.rpartition("/")[2]
        return last if last in parameters else ungrouped(name)

    for node, name in enumerate(names(graph)):
        if graph.kinds[node] == Kind.OPERATOR:
            inputs = [plain(link["name"]) for link in node_view(graph, node)["inputs"]]
            assert set(inputs) == {plain(read) for read in theirs[name][3]}
    for name in ("Default/optimizer-Momentum", "Gradients/Default/network-WithLossCell/_backbone-SmallConv"):
        scope = open_scope(graph, graph.tree.entry_of[name.rpartition("/")[0]], 0, 100)
        (child,) = (child for child in scope["children"] if child["name"] == name)
        operators = {plain(read) for read in theirs[name][3]} - parameters
        assert child["inputs_total"] == len(operators | (parameters & _read_from_outside(graph, name)))


def _read_from_outside(graph: Graph, scope: str) -> set[str]:
    tree, edges = graph.tree, graph.edges
    pairs = zip(edges.source.tolist(), edges.target.tolist(), strict=True)
    known = [(tree.names[tree.entry[source]], tree.names[tree.entry[target]]) for source, target in pairs]
    inside = f"{scope}/"
    return {
        source.rpartition("/")[2]
        for source, target in known
        if target.startswith(inside) and not source.startswith(inside)
    }


def test_scopes_equal_those_of_mindinsight() -> None:
    """The same 34 scopes are nested in the same way."""
    graph = read(golden_run.graph())

    scopes = {name for name, node in zip(graph.tree.names, graph.tree.node, strict=True) if node < 0}
    assert scopes - {""} == {name for name, shown in MINDINSIGHT.items() if shown[0] == "name_scope"}


def test_attributes_are_read_on_request() -> None:
    """The attributes of an operator and the value of a constant are texts."""
    graph = read(golden_run.graph())
    conv = names(graph).index("Default/network-WithLossCell/_backbone-SmallConv/conv1-Conv2d/Conv2D-op0")
    epsilon = names(graph).index("Default/network-WithLossCell/_backbone-SmallConv/bn1-BatchNorm2d/cst3")

    attributes = graph.read_attributes(conv, ROOM)

    assert attributes.total == 13
    assert len(attributes.listed) == 10
    assert {each.name: each.value.text for each in attributes.listed}["kernel_size"] == "[3, 3]"
    assert [(each.name, each.value.text) for each in graph.read_attributes(epsilon, ROOM).listed] == [
        ("value", "1e-05")
    ]


def test_recorded_graphs_are_read() -> None:
    """A graph recorded by Toposcope is read unchanged; a missing shape is unknown, not that of a scalar."""
    message = graph(
        [
            Node("image", PARAMETER, shape=(64, 1, 28, 28), dtype="float32"),
            Node("axis", CONSTANT, attributes={"value": 1}),
            Node("net/conv", "Conv2D", ["image", "axis"], (64, 8, None, 26), "float16", {"stride": (1, 2), "ok": True}),
            Node("net/relu", "ReLU", ["net/conv"], dtype="float16"),
        ],
        name="LeNet",
    )

    read_back = read(message, by_toposcope=True)

    assert (read_back.source, read_back.name) == ("toposcope", "LeNet")
    assert names(read_back) == ["net/image", "net/axis", "net/conv", "net/relu"]
    assert [read_back.kinds[node].name for node in range(4)] == ["PARAMETER", "CONSTANT", "OPERATOR", "OPERATOR"]
    assert read_back.outputs[2] == (Output("float16", (64, 8, -1, 26)),)
    assert read_back.outputs[3] == (Output("float16", None),)
    assert read(message).outputs[3] == (Output("float16", ()),)
    assert read_back.results == {3}
    assert [each.value.text for each in read_back.read_attributes(2, ROOM).listed] == ["[1, 2]", "true"]


def test_constants_are_in_the_scope_of_each_reader_and_parameters_in_that_of_the_first() -> None:
    """Nodes that nothing reads are in the outermost scope."""
    message = graph(
        [
            Node("weight", PARAMETER),
            Node("one", CONSTANT, attributes={"value": 1}),
            Node("unused", PARAMETER),
            Node("a/first", "Abs", ["weight", "one"]),
            Node("b/second", "Abs", ["weight", "one"]),
            Node("b/third", "Abs", ["one"]),
        ]
    )

    assert set(names(read(message))) == {
        "a/weight",
        "a/one",
        "a/first",
        "b/one",
        "b/second",
        "b/third",
        "unused",
    }


def test_nodes_without_full_name_are_named_as_in_mindinsight() -> None:
    """The name consists of scope, type and id."""
    message = GraphProto()
    message.node.add(name="7", op_type="Add", scope="Default/net")
    message.node.add(name="8", op_type="Mul")

    assert names(read(message)) == ["Default/net/Add-op7", "Mul-op8"]


def test_control_edges() -> None:
    """An edge of the type CONTROL_EDGE is a control dependency."""
    message = GraphProto()
    message.node.add(name="1", op_type="A", full_name="a")
    node = message.node.add(name="2", op_type="B", full_name="b")
    node.input.add(name="1", type=InputProto.DATA_EDGE)
    node.input.add(name="1", type=InputProto.CONTROL_EDGE)

    assert read(message).edges.control.tolist() == [False, True]


def test_loops_duplicates_and_missing_inputs() -> None:
    """A node may read itself; inputs refer to the first of equal ids; a missing input keeps its name."""
    message = GraphProto()
    for name in ("x", "x", ""):
        node = message.node.add(name="1", op_type="A", full_name=name)
        node.input.add(name="1")
        node.input.add(name="gone")
    message.parameters.add(name="p")
    message.parameters.add(name="p")

    read_back = read(message)

    assert names(read_back) == ["x", "x (2)", "A-op1", "p", "p (2)"]
    assert read_back.edges.source.tolist() == [0, -1, 0, -1, 0, -1]
    assert set(read_back.missing.values()) == {"gone"}
    assert [link["missing"] for link in node_view(read_back, 0)["inputs"]] == [False, True]


def test_malformed_nodes_are_omitted_and_reported() -> None:
    """The other nodes of the graph are read."""
    good = GraphProto()
    good.node.add(name="1", op_type="A", full_name="a")
    bad = b"\x0a\x04\x12\x09ab"  # A node whose name is longer than the node.

    read_back = read_graph(good.SerializeToString() + bad, by_toposcope=False)

    assert names(read_back) == ["a"]
    assert read_back.left_out == ["1 malformed messages"]


@pytest.mark.parametrize("payload", [b"\x0a", b"\x0a\x05ab", b"\xff" * 12, b"\x0b\x0c", b"\x09abc"])
def test_malformed_messages_are_errors(payload: bytes) -> None:
    """The error contains the offset."""
    with pytest.raises(GraphError, match=r"malformed.* byte"):
        read_graph(payload, by_toposcope=False)


def test_invalid_utf8_is_replaced() -> None:
    """Names in another encoding do not make the graph unreadable."""
    payload = b"\x0a\x0c\x12\x01\x31\x1a\x01A\x42\x04x/\xff\xfe"

    assert names(read_graph(payload, by_toposcope=False)) in (["x/\ufffd\ufffd"], [])


@pytest.mark.parametrize(
    ("value", "shown", "length", "unit"),
    [
        (ValueProto(dtype="DT_INT64", int_val=-3), "-3", None, None),
        (ValueProto(dtype="DT_UINT64", uint_val=2**64 - 1), "18446744073709551615", None, None),
        (ValueProto(dtype="DT_FLOAT32", float_val=0.1), "0.1", None, None),
        (ValueProto(dtype="DT_FLOAT64", double_val=float("nan")), "nan", None, None),
        (ValueProto(dtype="DT_STRING", str_val="same"), "same", None, None),
        (ValueProto(str_val="U"), "U", None, None),
        (ValueProto(dtype="DT_STRING", str_val="x" * 41), "x" * 25 + "…", 41, "characters"),
        (ValueProto(dtype="DT_INTS64", int_vals=[1, 2]), "[1, 2]", None, None),
        (ValueProto(dtype="DT_STRINGS", str_vals=["a", "b"]), '["a", "b"]', None, None),
        (ValueProto(dtype="DT_INTS64", int_vals=range(1000)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, …]", 1000, "elements"),
        (ValueProto(dtype="DT_STRINGS", str_vals=["x" * 99, "y"]), '["' + "x" * 24 + "…]", 2, "elements"),
        (ValueProto(dtype="DT_NONE"), "null", None, None),
        (ValueProto(dtype="DT_TUPLE"), "[]", None, None),
        (ValueProto(), "", None, None),
    ],
)
def test_long_values_are_truncated(value: ValueProto, shown: str, length: int, unit: str) -> None:
    """A truncated text has its full length."""
    text = value_text(value, 25)

    assert (text.text, text.length, text.unit) == (shown, length, unit)


def test_nested_values_are_shown_to_a_depth() -> None:
    """Tuples and dicts are shown as JSON, and truncated if they are deep or long."""
    inner = ValueProto(dtype="DT_INT64", int_val=1)
    nested = ValueProto(dtype="DT_TUPLE", values=[inner, ValueProto(dtype="DT_STRING", str_val="a")])
    settings = ValueProto(dtype="DT_DICT")
    settings.dict_val.add(key="k", value=nested)
    for _ in range(40):
        inner = ValueProto(dtype="DT_TUPLE", values=[inner])
    wide = ValueProto(dtype="DT_TUPLE", values=[nested] * 100)

    assert value_text(settings, 40).text == '{"k": [1, "a"]}'
    assert value_text(inner, 40).text == "[[[[[[[…]]]]]]]"
    assert (value_text(wide, 40).length, value_text(wide, 40).unit) == (100, "elements")
    assert len(value_text(wide, 40).text) < 50


def test_tensors_are_shown_with_type_shape_and_first_elements() -> None:
    """Elements are read from floats and from exact bytes."""
    single = ValueProto(dtype="DT_TENSOR")
    single.tensor_val.data_type = codes.DT_FLOAT32
    single.tensor_val.dims.extend([2, 2])
    single.tensor_val.float_data.extend([0.1, 0.2, 0.3, 0.4])
    exact = ValueProto(dtype="DT_TENSOR")
    exact.tensor_val.data_type = codes.DT_BFLOAT16
    exact.tensor_val.dims.extend([30])
    exact.tensor_val.raw_data = b"\x80\x3f" * 30

    assert value_text(single, 100).text == "float32 [2, 2]: [0.1, 0.2, 0.3, 0.4]"
    assert value_text(exact, 1000).text.startswith("bfloat16 [30]: [1.0, 1.0, ")
    assert (value_text(exact, 1000).length, value_text(exact, 1000).unit) == (30, "elements")


def test_very_large_values_are_shown_with_their_size() -> None:
    """A value of megabytes is not decoded; the rest of the node is."""
    message = GraphProto()
    node = message.node.add(name="1", op_type="A", full_name="a")
    node.attribute.add(name="table").value.str_val = "x" * (2 << 20)
    node.attribute.add(name="k").value.int_val = 3
    node.input.add(name="1")

    read_back = read(message)
    listed = read_back.read_attributes(0, ROOM).listed

    assert [(each.name, each.value.text, each.value.unit) for each in listed] == [
        ("table", "…", "bytes"),
        ("k", "3", None),
    ]
    assert listed[0].value.length is not None
    assert 0 <= listed[0].value.length - (2 << 20) < 100
    assert read_back.edges.source.tolist() == [0]
