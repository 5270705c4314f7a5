"""Computational graphs built from plain nodes."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support import golden_run

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.graph_pb2 import GraphProto, NodeProto, ParameterProto, ValueProto
from toposcope.recorder.messages.graph import CONSTANT, PARAMETER, Node, graph


def described(golden: GraphProto) -> list[Node]:
    """Return the nodes of a graph written by MindSpore, as a user would describe them."""
    names = {node.name: node.full_name for node in golden.node}
    parameters = [Node(parameter.name, PARAMETER, (), *output_type(parameter)) for parameter in golden.parameters]
    constants = [Node(constant.key, CONSTANT) for constant in golden.const_vals]
    operators = [
        Node(
            node.full_name,
            node.op_type,
            [names.get(source.name, source.name) for source in node.input],
            *output_type(node),
            {attribute.name: plain(attribute.value) for attribute in node.attribute},
        )
        for node in golden.node
    ]
    return [*parameters, *constants, *operators]


def output_type(item: NodeProto | ParameterProto) -> tuple[tuple[int, ...] | None, str | None]:
    """Return shape and dtype of the output of a node or a parameter; None if it is not a tensor."""
    message = item.output_type if isinstance(item, NodeProto) else item.type
    if message.data_type != codes.DT_TENSOR:
        return None, None
    tensor = message.tensor_type
    shape = tuple(dim.size for dim in tensor.shape.dim) if tensor.HasField("shape") else None
    return shape, codes.DataType.Name(tensor.elem_type).removeprefix("DT_").lower()


def plain(value: ValueProto) -> object:
    """Return the Python value of an attribute."""
    match value.dtype:
        case codes.DT_STRING:
            return value.str_val
        case codes.DT_BOOL:
            return value.bool_val
        case codes.DT_FLOAT32:
            return value.float_val
        case codes.DT_FLOAT64:
            return value.double_val
        case codes.DT_INT64:
            return value.int_val
        case codes.DT_UINT64:
            return value.uint_val
        case codes.DT_TUPLE:
            return tuple(plain(item) for item in value.values)
        case codes.DT_LIST:
            return [plain(item) for item in value.values]
        case codes.DT_DICT:
            return {item.key: plain(item.value) for item in value.dict_val}
    return None


def test_described_graph_matches_mindspore() -> None:
    """A description of MindSpore's graph results in the same nodes, scopes, edges, types and outputs."""
    golden = golden_run.graph()

    message = graph(described(golden), name=golden.name)

    assert message.name == golden.name
    assert message.parameters == golden.parameters
    assert [constant.key for constant in message.const_vals] == [constant.key for constant in golden.const_vals]
    assert golden.outputs[0].name in [out.name for out in message.outputs]
    assert len(message.node) == len(golden.node) == 89
    for ours, theirs in zip(message.node, golden.node, strict=True):
        assert (ours.name, ours.op_type, ours.full_name) == (theirs.name, theirs.op_type, theirs.full_name)
        assert [source.name for source in ours.input] == [source.name for source in theirs.input]
        if theirs.output_type.data_type == codes.DT_TENSOR:
            assert ours.output_type == theirs.output_type
        assert [plain(a.value) for a in ours.attribute] == [plain(a.value) for a in theirs.attribute]


def test_scope_is_the_name_up_to_its_last_slash() -> None:
    """MindInsight groups nodes by scope; a node without "/" is at the top level."""
    message = graph([Node("net/block/conv", "Conv2D"), Node("loss", "Mean", ["net/block/conv"])])

    assert [node.scope for node in message.node] == ["net/block", ""]
    assert [node.full_name for node in message.node] == ["net/block/conv", "loss"]


def test_inputs_are_ids_of_operators_and_names_of_other_nodes() -> None:
    """Ids are numbers from 1, except for names of parameters; an input may occur twice."""
    message = graph(
        [
            Node("add", "Add", ["1", "1", "bias"]),
            Node("1", PARAMETER),
            Node("bias", CONSTANT, attributes={"value": 0.5}),
            Node("relu", "ReLU", ("add",)),
        ]
    )

    add, relu = message.node
    assert (add.name, relu.name) == ("2", "3")
    assert [source.name for source in add.input] == ["1", "1", "bias"]
    assert [source.name for source in relu.input] == ["2"]


def test_outputs_are_operators_that_are_not_inputs() -> None:
    """Parameters and constants are never outputs of the graph."""
    message = graph([Node("x", PARAMETER), Node("a", "Abs", ["x"]), Node("b", "Abs", ["a"], (2,), "int8")])

    (output_,) = message.outputs
    assert output_.name == message.node[1].name
    assert output_.type == message.node[1].output_type


def test_loops_are_allowed() -> None:
    """A node may have a later one as input: dataflow graphs have loops."""
    message = graph([Node("a", "Merge", ["b"]), Node("b", "Next", ["a"])])

    assert [node.input[0].name for node in message.node] == ["2", "1"]


def make_node(*arguments: Any, **options: Any) -> Node:
    """Return a node whose fields may have wrong types."""
    return Node(*arguments, **options)


class TorchType:
    """A dtype like those of PyTorch, identified by its repr."""

    def __repr__(self) -> str:
        return "torch.bfloat16"


@pytest.mark.parametrize(
    ("dtype", "code"),
    [
        ("float32", codes.DT_FLOAT32),
        ("Float16", codes.DT_FLOAT16),
        (np.int8, codes.DT_INT8),
        (np.dtype(">f8"), codes.DT_FLOAT64),
        (np.dtype(bool), codes.DT_BOOL),
        (ml_dtypes.bfloat16, codes.DT_BFLOAT16),
        (TorchType(), codes.DT_BFLOAT16),
    ],
)
def test_dtypes_of_any_framework(dtype: object, code: int) -> None:
    """A dtype is identified by its name."""
    (node,) = graph([Node("a", "Abs", dtype=dtype)]).node

    assert node.output_type.data_type == codes.DT_TENSOR
    assert node.output_type.tensor_type.elem_type == code
    assert not node.output_type.tensor_type.HasField("shape")


def test_unknown_sizes_are_minus_one() -> None:
    """None and -1 denote an unknown size; the shape of a scalar is present and empty."""
    message = graph([Node("a", "Abs", shape=(None, -1, np.int64(3))), Node("b", "Sum", ["a"], shape=())])

    a, b = (node.output_type.tensor_type.shape for node in message.node)
    assert [dim.size for dim in a.dim] == [-1, -1, 3]
    assert len(b.dim) == 0
    assert message.node[1].output_type.tensor_type.HasField("shape")


def test_types_of_attributes_are_preserved() -> None:
    """Attributes are plain data; arrays become lists."""
    attributes = {
        "stride": (1, 2),
        "eps": 1e-5,
        "mode": "same",
        "fused": True,
        "seed": 2**63,
        "groups": np.int32(4),
        "scale": np.array([0.5]),
        "options": {"a": [1]},
        "none": None,
    }

    (node,) = graph([Node("a", "Conv2D", attributes=attributes)]).node

    read = {attribute.name: plain(attribute.value) for attribute in node.attribute}
    assert read == {**attributes, "groups": 4, "scale": [0.5]}


def test_constants_have_a_value_or_a_type() -> None:
    """A constant without a value is stored as the shape and dtype of a tensor."""
    message = graph([Node("c", CONSTANT, attributes={"value": 3}), Node("d", CONSTANT, shape=(2,), dtype="int8")])

    value, tensor = (constant.value for constant in message.const_vals)
    assert (value.dtype, value.int_val) == (codes.DT_INT64, 3)
    assert tensor.dtype == codes.DT_TENSOR
    assert (list(tensor.tensor_val.dims), tensor.tensor_val.data_type) == ([2], codes.DT_INT8)


def test_surrogates_in_names_are_escaped() -> None:
    """A lone surrogate in a name does not prevent the graph from being recorded."""
    message = graph([Node("\ud800", PARAMETER), Node("a", "Abs", ["\ud800"])])

    assert GraphProto.FromString(message.SerializeToString()).node[0].input[0].name == "\\ud800"


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([Node("a", "Abs"), Node("b", "Abs"), Node("a", PARAMETER)], r"\['a'\] occur more than once"),
        ([Node("a", "Abs", ["b", "c"]), Node("b", PARAMETER)], r"inputs of 'a' .* \['c'\] are not"),
        ([Node("", "Abs")], "name of a node must not be empty"),
        ([Node("a<b>", "Abs")], "name of a node .* got 'a<b>'"),
        ([Node("a", 'A"')], "op_type of 'a' must not be empty or contain"),
        ([Node("a//b", "Abs")], "must not have empty scopes between '/'"),
        ([Node("/a", "Abs")], "must not have empty scopes between '/'"),
        ([Node("a/b", PARAMETER)], "Parameter 'a/b' must have no '/'"),
        ([Node("a", CONSTANT, ["a"])], "Const 'a' must have no '/' in its name, no inputs"),
        (
            [Node("a", PARAMETER, attributes={"trainable": True})],
            "Parameter 'a' must have .* no attribute except 'value'",
        ),
        ([Node("a", "Abs", shape=(-2,))], "shape of 'a'"),
        ([Node("a", "Abs", dtype="float")], "dtype of 'a' must be one of bool, .* not 'float'"),
        ([Node("a", "Abs", attributes={"seed": 2**64})], "attribute 'seed' of 'a' must be a 64-bit integer"),
    ],
)
def test_invalid_graphs_are_value_errors(nodes: list[Node], message: str) -> None:
    """The message names the node with a duplicate or unknown name, or with an invalid field."""
    with pytest.raises(ValueError, match=message):
        graph(nodes)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        (None, "nodes must be a list of Node"),
        ([("a", "Abs")], "nodes must be of type Node"),
        ([make_node(1, "Abs")], "name of a node must be a str"),
        ([make_node("a", None)], "op_type of 'a' must be a str"),
        ([make_node("a", "Abs", "b")], "inputs of 'a' must be a list of names of nodes, not 'b'"),
        ([make_node("a", "Abs", [1])], "inputs of 'a' must be a list of names of nodes"),
        ([make_node("a", "Abs", shape=3)], "shape of 'a' must be a tuple of integers"),
        ([make_node("a", "Abs", shape=("n",))], "shape of 'a' must be a tuple of integers"),
        ([make_node("a", "Abs", attributes=[1])], "attributes of 'a' must be a dict"),
        ([Node("a", "Abs", attributes={"f": print})], "attribute 'f' of 'a' must be None, a str"),
    ],
)
def test_wrong_types_are_type_errors(nodes: Any, message: str) -> None:
    """The message names the node and the field with the wrong type."""
    with pytest.raises(TypeError, match=message):
        graph(nodes)
