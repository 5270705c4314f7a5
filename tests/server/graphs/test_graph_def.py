"""GraphDef, the graphs of TensorFlow and PyTorch."""

from collections.abc import Callable
from typing import Any

import pytest

from toposcope.proto.tensorboard_pb2 import AttrValue, Event, GraphDef, NodeDef, RunMetadata
from toposcope.server.graphs.dialects.graph_def import read_graph_def, read_traced_functions
from toposcope.server.graphs.dialects.graph_def_values import value_text
from toposcope.server.graphs.entry_views import node_view
from toposcope.server.graphs.model.attributes import Room
from toposcope.server.graphs.model.graph import Graph, Kind, Output
from toposcope.server.graphs.model.limits import GraphError

ROOM = Room(characters=50, attributes=10)


def node(name: str, op: str, *inputs: str, **attributes: AttrValue) -> NodeDef:
    """Return a node."""
    attr = [NodeDef.Attr(key=key.encode(), value=value) for key, value in attributes.items()]
    return NodeDef(name=name.encode(), op=op.encode(), input=[each.encode() for each in inputs], attr=attr)


def read(*nodes: NodeDef) -> Graph:
    """Read a graph with these nodes."""
    return read_graph_def(GraphDef(node=nodes).SerializeToString())


def shape(*sizes: int) -> AttrValue:
    """Return a shape as an attribute."""
    value = AttrValue()
    for size in sizes:
        value.shape.dim.add(size=size)
    return value


def shapes(*each: AttrValue) -> AttrValue:
    """Return a list of shapes as an attribute."""
    return AttrValue(list=AttrValue.ListValue(shape=[value.shape for value in each]))


def names(graph: Graph) -> list[str]:
    """Return the full names of the nodes."""
    return [graph.tree.names[entry] for entry in graph.tree.entry]


def test_graph_recorded_by_torch(golden_events: Callable[[str], list[Event]]) -> None:
    """Modules are scopes; inputs, outputs, parameters and shapes are known; modules are no inputs of parameters."""
    events = golden_events("torch/events.out.tfevents.1795230800.vm.26977.0")
    (graph,) = (read_graph_def(event.graph_def) for event in events if event.HasField("graph_def"))

    assert graph.source == "torch"
    linear = names(graph).index("Sequential/Linear[0]/input.3")
    assert graph.ops[linear] == "aten::linear"
    assert graph.outputs[linear] == (Output(None, (4, 8)),)
    assert [link["name"] for link in node_view(graph, linear)["inputs"]] == [
        "input/input.1",
        "Sequential/Linear[0]/weight/weight.1",
        "Sequential/Linear[0]/bias/bias.1",
    ]
    assert [graph.kinds[names(graph).index(name)] for name in ("input/input.1", "output/output.1")] == [
        Kind.INPUT,
        Kind.OUTPUT,
    ]
    assert graph.missing == {}


def test_inputs_name_outputs_and_control_edges() -> None:
    """Input "a:1" is the second output of a, "^a" a control dependency; an edge has the type of its source."""
    split = node("a", "Split", dtype=AttrValue(type=1), _output_shapes=shapes(shape(2, 3), shape(4)))
    graph = read(split, node("b", "Add", "a", "a:1", "^a", "a:7"))

    types = [None if each < 0 else graph.types[each] for each in graph.edges.type]
    assert graph.edges.output.tolist() == [0, 1, -1, 7]
    assert graph.edges.control.tolist() == [False, False, True, False]
    assert types == [Output("float32", (2, 3)), Output(None, (4,)), Output("tuple", None), None]


def test_kinds_depend_on_the_operation() -> None:
    """Variables are parameters, with the shape of their value."""
    graph = read(
        node("x", "Placeholder", dtype=AttrValue(type=1), shape=shape(-1, 28)),
        node("w", "VarHandleOp", dtype=AttrValue(type=1), shape=shape(28, 10), _output_shapes=shapes(shape())),
        node("c", "Const", dtype=AttrValue(type=3)),
        node("y", "MatMul", "x", "w"),
    )

    assert [kind.name for kind in graph.kinds] == ["INPUT", "PARAMETER", "CONSTANT", "OPERATOR"]
    assert graph.outputs[0] == (Output("float32", (-1, 28)),)
    assert graph.outputs[1] == (Output("float32", (28, 10)),)
    assert graph.source == "tensorflow"


def test_node_with_the_name_of_a_scope_is_in_the_scope() -> None:
    """Its label is in brackets, as for TensorFlow variables, and its edges are kept."""
    graph = read(node("dense/kernel", "VarHandleOp"), node("dense/kernel/Read", "ReadVariableOp", "dense/kernel"))

    assert names(graph) == ["dense/kernel/(kernel)", "dense/kernel/Read"]
    assert graph.ids[0] == "dense/kernel"
    assert graph.edges.source.tolist() == [0]


def test_functions_are_scopes_with_arguments_and_results() -> None:
    """The nodes, arguments and results of each function of the library are in its scope."""
    graph = GraphDef(node=[node("call", "PartitionedCall", f=AttrValue(func={"name": b"step"}))])
    function = graph.library.function.add()
    function.signature.name = b"step"
    function.signature.input_arg.add(name=b"x", type=1)
    function.signature.output_arg.add(name=b"loss", type=2)
    function.node_def.extend([node("Square", "Square", "x"), node("Mean", "Mean", "Square:y:0", "^Square")])
    function.ret.add(key=b"loss", value=b"Mean:output:0")

    shown = read_graph_def(graph.SerializeToString())

    assert names(shown) == [
        "call",
        "functions/step/x",
        "functions/step/Square",
        "functions/step/Mean",
        "functions/step/loss",
    ]
    assert [shown.kinds[i].name for i in (1, 4)] == ["INPUT", "OUTPUT"]
    assert shown.outputs[1] == (Output("float32", None),)
    assert shown.edges.source.tolist() == [1, 2, 2, 3]
    assert [each.value.text for each in shown.read_attributes(0, ROOM).listed] == ["step"]
    assert shown.read_attributes(4, ROOM).total == 0


def test_traced_functions_are_read_from_run_metadata() -> None:
    """Several graphs written by tf.summary.trace_export are in separate scopes."""
    metadata = RunMetadata()
    for _ in range(2):
        metadata.function_graphs.add().pre_optimization_graph.node.extend([node("a", "A"), node("b", "B", "a")])
    one = RunMetadata(function_graphs=metadata.function_graphs[:1])

    assert names(read_traced_functions(metadata.SerializeToString())) == [
        "graph_1/a",
        "graph_1/b",
        "graph_2/a",
        "graph_2/b",
    ]
    assert names(read_traced_functions(one.SerializeToString())) == ["a", "b"]


def test_names_that_are_not_utf8_keep_their_edges() -> None:
    """Invalid UTF-8 is replaced in the displayed name."""
    graph = GraphDef(node=[NodeDef(name=b"a\xff", op=b"A"), NodeDef(name=b"b", op=b"\xfe", input=[b"a\xff"])])

    shown = read_graph_def(graph.SerializeToString())

    assert names(shown) == ["a\ufffd", "b"]
    assert shown.edges.source.tolist() == [0]


def test_nodes_without_a_name_have_that_of_their_operation() -> None:
    """Unnamed nodes are not lost."""
    assert names(read(node("", "Add"), node("", "Add"), node("", ""))) == ["Add", "Add (2)", "unnamed"]


def test_large_constants_are_shown_with_their_size() -> None:
    """A constant of megabytes is never decoded."""
    value = AttrValue()
    value.tensor.tensor_content = b"x" * (3 << 20)
    graph = read(node("c", "Const", "x:0", dtype=AttrValue(type=1), value=value))

    listed = {each.name: each.value for each in graph.read_attributes(0, ROOM).listed}
    assert graph.outputs[0] == (Output("float32", None),)
    assert listed["dtype"].text == "float32"
    assert (listed["value"].text, listed["value"].unit) == ("…", "bytes")
    assert list(graph.missing.values()) == ["x"]


def test_device_is_an_attribute() -> None:
    """The device of a node is its first attribute."""
    placed = node("a", "A", k=AttrValue(i=1))
    placed.device = b"/GPU:0"

    attributes = read(placed).read_attributes(0, Room(characters=50, attributes=1))

    assert [(each.name, each.value.text) for each in attributes.listed] == [("device", "/GPU:0")]
    assert attributes.total == 2


def tensor(**fields: Any) -> AttrValue:
    """Return a tensor as an attribute."""
    value = AttrValue()
    value.tensor.MergeFrom(type(value.tensor)(**fields))
    return value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (AttrValue(i=-1), "-1"),
        (AttrValue(f=0.1), "0.1"),
        (AttrValue(b=False), "false"),
        (AttrValue(s=b"NHWC"), "NHWC"),
        (AttrValue(s=b"\xff"), "\ufffd"),
        (AttrValue(type=14), "bfloat16"),
        (AttrValue(type=101), "float32"),
        (AttrValue(type=99), "99"),
        (shape(-1, 3), "[?, 3]"),
        (AttrValue(shape={"unknown_rank": True}), "?"),
        (shapes(shape(2), shape()), "[[2], []]"),
        (AttrValue(list={"s": [b"a", b"b"]}), '["a", "b"]'),
        (AttrValue(list={"type": [1, 3]}), "[float32, int32]"),
        (AttrValue(list={}), "[]"),
        (AttrValue(func={"name": b"step"}), "step"),
        (AttrValue(placeholder=b"T"), "T"),
        (AttrValue(), ""),
        (tensor(dtype=3, int_val=[-1]), "int32 []: [-1]"),
        (tensor(dtype=1, tensor_content=b"\x00\x00\x80\x3f" * 2), "float32 []: [1.0, 1.0]"),
        (tensor(dtype=7, string_val=[b"a"]), 'string []: ["a"]'),
        (tensor(dtype=14, tensor_content=b"\x00\x00"), "bfloat16 []"),
        (tensor(dtype=9, int64_val=range(100)), "int64 []: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, …]"),
    ],
)
def test_values_are_shown_as_text(value: AttrValue, shown: str) -> None:
    """Every type of attribute has a text."""
    assert value_text(value, 50).text == shown


@pytest.mark.parametrize("payload", [b"\x0a\x05ab", b"\x12\x04\x0a\x09ab", b"\x0c"])
def test_malformed_messages_are_errors(payload: bytes) -> None:
    """Truncated and invalid fields are errors."""
    with pytest.raises(GraphError, match="malformed"):
        read_graph_def(payload)


def test_malformed_nodes_are_omitted_and_reported() -> None:
    """The other nodes of the graph are read."""
    shown = read_graph_def(GraphDef(node=[node("a", "A")]).SerializeToString() + b"\x0a\x04\x12\x09ab")

    assert names(shown) == ["a"]
    assert shown.left_out == ["1 malformed messages"]
