"""Builds the message of a computational graph from a list of plain nodes, independent of frameworks."""

import itertools
import operator
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, SupportsIndex

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.graph_pb2 import (
    AttributeProto,
    GraphProto,
    NamedValueProto,
    NodeProto,
    OutputProto,
    ParameterProto,
    TensorShapeProto,
    TypeProto,
    ValueProto,
)
from toposcope.proto.tensor_pb2 import DataType, TensorProto
from toposcope.recorder.messages.plain_data import Plain, items_of, plain_from, utf8
from toposcope.recorder.values.arrays.foreign_values import short_repr

PARAMETER = "Parameter"
"""op_type of inputs and trained parameters."""
CONSTANT = "Const"
"""op_type of constants."""

# MindInsight rejects graphs with these characters.
_FORBIDDEN = re.compile(r'[<>"]')
_INT64 = range(-(2**63), 2**63)
_UINT64 = range(2**64)
_ELEMENTS = MappingProxyType(
    {
        name.removeprefix("DT_").lower(): code
        for name, code in DataType.items()
        if codes.DT_BOOL <= code <= codes.DT_STRING
        or code in (codes.DT_COMPLEX64, codes.DT_COMPLEX128, codes.DT_BFLOAT16, codes.DT_INT4)
    }
)


class Node(NamedTuple):
    """An operator of a graph, a parameter or a constant."""

    name: str
    """Unique in the graph. "/" separates scopes: "encoder/layer0/conv". Parameters and constants have no scope and are
    shown next to the nodes that use them: "layer0.weight"."""
    op_type: str
    """The operation, "Conv2D" for example; or PARAMETER or CONSTANT, which have no inputs."""
    inputs: Sequence[str] = ()
    """Names of the input nodes, in order; a name may occur more than once."""
    shape: Sequence[SupportsIndex | None] | None = None
    """Shape of the output, with -1 or None for unknown sizes. None: unknown."""
    dtype: object = None
    """Type of the output's elements: a name such as "float32", or a dtype of NumPy, PyTorch, ... None: unknown."""
    attributes: Mapping[str, object] = MappingProxyType({})
    """Settings: None, str, numbers, arrays, or lists, tuples and dicts of these. A parameter or constant has only
    "value", or none."""


def graph(nodes: Iterable[Node], *, name: str | None = None) -> GraphProto:
    """Return the graph of nodes, which should be in the order of execution.

    The outputs of the graph are the operators that are not an input of another node.

        graph([
            Node("image", PARAMETER, shape=(64, 1, 28, 28), dtype="float32"),
            Node("conv1.weight", PARAMETER, shape=(8, 1, 3, 3), dtype="float32"),
            Node("net/conv1", "Conv2D", ["image", "conv1.weight"], (64, 8, 26, 26), "float32", {"stride": (1, 1)}),
            Node("net/relu", "ReLU", ["net/conv1"]),
        ])

    Raises:
        TypeError: a node is not a Node, or one of its fields has the wrong type.
        ValueError: a field of a node has an invalid value, two nodes have the same name, or an input is not a node.
        UnreadableValueError: the methods of an array or tensor raised an error.
    """
    if not isinstance(nodes, Iterable):
        raise TypeError(f"nodes must be a list of Node, not {short_repr(nodes)}.")
    checked_nodes = [_checked(node) for node in nodes]
    ids = _ids(checked_nodes)
    message = GraphProto() if name is None else GraphProto(name=utf8(_text("name of the graph", name)))
    for node in checked_nodes:
        if node.op_type == PARAMETER:
            message.parameters.append(_parameter(node))
        elif node.op_type == CONSTANT:
            message.const_vals.append(NamedValueProto(key=utf8(node.name), value=_constant(node)))
        else:
            message.node.append(_operator(node, ids))
    read = {source for node in checked_nodes for source in node.inputs}
    for node in checked_nodes:
        if node.op_type not in (PARAMETER, CONSTANT) and node.name not in read:
            message.outputs.append(OutputProto(name=ids[node.name], type=_type(node)))
    return message


def _checked(node: object) -> Node:
    if not isinstance(node, Node):
        raise TypeError(f"nodes must be of type Node, not {short_repr(node)}.")
    _text("name of a node", node.name)
    _text(f"op_type of {node.name!r}", node.op_type)
    items_of(f"attributes of {node.name!r}", node.attributes)
    if not isinstance(node.inputs, list | tuple) or not all(isinstance(source, str) for source in node.inputs):
        raise TypeError(f"inputs of {node.name!r} must be a list of names of nodes, not {short_repr(node.inputs)}.")
    if node.op_type not in (PARAMETER, CONSTANT):
        if not all(node.name.split("/")):
            raise ValueError(f"name of a node must not have empty scopes between '/'; got {node.name!r}.")
    elif "/" in node.name or node.inputs or set(node.attributes) - {"value"}:
        raise ValueError(
            f"{node.op_type} {node.name!r} must have no '/' in its name, no inputs and no attribute except 'value'; "
            f"got {short_repr(node.inputs)}, {short_repr(node.attributes)}."
        )
    return node


def _text(what: str, text: object) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {short_repr(text)}.")
    if not text or _FORBIDDEN.search(text):
        raise ValueError(f"""{what} must not be empty or contain '<', '>' or '"'; got {short_repr(text)}.""")
    return text


def _ids(nodes: Sequence[Node]) -> dict[str, str]:
    """Return the identifiers that inputs use: names of parameters and constants, numbers of operators."""
    ids = {node.name: utf8(node.name) for node in nodes if node.op_type in (PARAMETER, CONSTANT)}
    numbers = (str(number) for number in itertools.count(1) if str(number) not in ids)
    ids |= {node.name: next(numbers) for node in nodes if node.op_type not in (PARAMETER, CONSTANT)}
    if len(ids) < len(nodes):
        duplicates = [name for name, count in Counter(node.name for node in nodes).items() if count > 1]
        raise ValueError(f"names must be unique in a graph; {short_repr(duplicates)} occur more than once.")
    for node in nodes:
        if unknown := [source for source in node.inputs if source not in ids]:
            raise ValueError(
                f"inputs of {node.name!r} must be names of nodes of the graph; {short_repr(unknown)} are not."
            )
    return ids


def _operator(node: Node, ids: Mapping[str, str]) -> NodeProto:
    message = NodeProto(
        name=ids[node.name],
        op_type=utf8(node.op_type),
        scope=utf8(node.name.rpartition("/")[0]) or None,
        full_name=utf8(node.name),
        output_type=_type(node),
    )
    for source in node.inputs:
        message.input.add(name=ids[source], type="DATA_EDGE")
    for key, attribute in node.attributes.items():
        what = f"attribute {key!r} of {node.name!r}"
        message.attribute.append(AttributeProto(name=utf8(key), value=_value(what, plain_from(what, attribute))))
    return message


def _parameter(node: Node) -> ParameterProto:
    default = _constant(node) if "value" in node.attributes else None
    return ParameterProto(name=utf8(node.name), type=_type(node), default_val=default)


def _constant(node: Node) -> ValueProto:
    if "value" in node.attributes:
        what = f"value of {node.name!r}"
        return _value(what, plain_from(what, node.attributes["value"]))
    return ValueProto(dtype="DT_TENSOR", tensor_val=TensorProto(dims=_sizes(node), data_type=_element(node)))


def _type(node: Node) -> TypeProto | None:
    if node.shape is None and node.dtype is None:
        return None
    shape = None
    if node.shape is not None:
        shape = TensorShapeProto(dim=[TensorShapeProto.Dimension(size=size) for size in _sizes(node)])
    return TypeProto(data_type="DT_TENSOR", tensor_type=TypeProto.Tensor(elem_type=_element(node), shape=shape))


def _sizes(node: Node) -> list[int]:
    try:
        sizes = [-1 if size is None else operator.index(size) for size in (() if node.shape is None else node.shape)]
    except TypeError:
        raise TypeError(f"shape of {node.name!r} must be a tuple of integers, not {short_repr(node.shape)}.") from None
    if not all(-1 <= size in _INT64 for size in sizes):
        raise ValueError(f"shape of {node.name!r} must consist of sizes, -1 if unknown; got {short_repr(node.shape)}.")
    return sizes


def _element(node: Node) -> Any:
    if node.dtype is None:
        return None
    dtype = node.dtype
    named = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    element = str(named).rpartition(".")[2].lower()
    if element not in _ELEMENTS:
        raise ValueError(f"dtype of {node.name!r} must be one of {', '.join(_ELEMENTS)}; not {short_repr(dtype)}.")
    return _ELEMENTS[element]


def _value(what: str, value: Plain) -> ValueProto:
    match value:
        case None:
            return ValueProto(dtype="DT_NONE")
        case str():
            return ValueProto(dtype="DT_STRING", str_val=utf8(value))
        case bool():
            return ValueProto(dtype="DT_BOOL", bool_val=value)
        case int() if value in _INT64:
            return ValueProto(dtype="DT_INT64", int_val=value)
        case int() if value in _UINT64:
            return ValueProto(dtype="DT_UINT64", uint_val=value)
        case int():
            raise ValueError(f"{what} must be a 64-bit integer; {short_repr(value)} is too large.")
        case float():
            return ValueProto(dtype="DT_FLOAT64", double_val=value)
        case tuple():
            return ValueProto(dtype="DT_TUPLE", values=[_value(what, item) for item in value])
        case list():
            return ValueProto(dtype="DT_LIST", values=[_value(what, item) for item in value])
        case dict():
            items = [NamedValueProto(key=utf8(key), value=_value(what, item)) for key, item in value.items()]
            return ValueProto(dtype="DT_DICT", dict_val=items)
