"""Graphs as TensorBoard's GraphDef (tensorboard/compat/proto/graph.proto), converted from our own."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.data_types import DTYPES
from toposcope.proto.graph_pb2 import GraphProto, NodeProto, TypeProto, ValueProto
from toposcope.proto.tensorboard_pb2 import AttrValue, GraphDef, NodeDef, TensorShapeProto
from toposcope.proto.tensorboard_types import TYPES
from toposcope.proto.wire import bytes_head, text_bytes
from toposcope.recorder.framework import framework_of
from toposcope.recorder.values.arrays.foreign_values import call_foreign, short_repr

_GRAPH_DEF = 4
_VARIABLE, _CONSTANT = "VariableV2", "Const"
"""The operations that TensorBoard knows for parameters and constants."""
_TYPE_CODES = {code: TYPES[name] for code, dtype in DTYPES.items() if (name := dtype.name) in TYPES}
_TYPE_CODES[codes.DT_BFLOAT16] = TYPES["bfloat16"]


class GraphMember(NamedTuple):
    """A graph that the thread that writes converts."""

    graph: GraphProto

    def fields(self) -> bytes:
        """Return the encoded fields of the Event."""
        content = graph_def(self.graph).SerializeToString()
        return bytes_head(_GRAPH_DEF, len(content)) + content


def graph_of(model: Any, inputs: Any) -> GraphProto:
    """Return the graph of a call of a network.

    Args:
        model: a network of PyTorch or Keras.
        inputs: the arguments: an array, or a tuple or list of arguments. None: unknown.

    Raises:
        TypeError: model is not a network.
        UnreadableValueError: the framework failed to return its graph.
    """
    arguments = None if inputs is None else tuple(inputs) if isinstance(inputs, list | tuple) else (inputs,)
    graph = call_foreign(lambda: framework_of(model).network_graph(model, arguments))
    if graph is None:
        raise TypeError(f"model must be a network whose graph is known, not {short_repr(model)}.")
    return GraphProto.FromString(graph if isinstance(graph, bytes) else graph.SerializeToString())


def graph_def(graph: GraphProto) -> GraphDef:
    """Return a graph as GraphDef.

    A parameter is in the scope of its module: "encoder.fc.weight" becomes "encoder/fc/weight".
    """
    names = _names(graph)
    nodes = [_terminal(names[each.name], _VARIABLE, each.type) for each in graph.parameters]
    nodes += [_constant(names[each.key], each.value) for each in graph.const_vals]
    nodes += [_operator(node, names) for node in graph.node]
    return GraphDef(node=nodes)


def _names(graph: GraphProto) -> dict[str, str]:
    """Return the name of each node, which is unique, by what the inputs call it."""
    names = {node.name: node.full_name for node in graph.node}
    taken = set(names.values())
    for name in [*(each.name for each in graph.parameters), *(each.key for each in graph.const_vals)]:
        path = wanted = name.replace(".", "/")
        number = 1
        while path in taken:
            path, number = f"{wanted}_{number}", number + 1
        names[name] = path
        taken.add(path)
    return names


def _operator(node: NodeProto, names: Mapping[str, str]) -> NodeDef:
    message = _terminal(names[node.name], node.op_type, node.output_type)
    message.input.extend(text_bytes(names[each.name]) for each in node.input if each.name in names)
    for attribute in node.attribute:
        message.attr.add(key=text_bytes(attribute.name), value=_attr_value(attribute.value))
    return message


def _constant(name: str, value: ValueProto) -> NodeDef:
    message = NodeDef(name=text_bytes(name), op=_CONSTANT.encode())
    if value.HasField("tensor_val"):
        message.attr.add(key=b"_output_shapes", value=_shapes(value.tensor_val.dims))
        message.attr.extend(_type_attr(value.tensor_val.data_type))
    else:
        message.attr.add(key=b"value", value=_attr_value(value))
    return message


def _terminal(name: str, op: str, kind: TypeProto) -> NodeDef:
    """Return a node with the shape and the type of its output, as far as they are known."""
    message = NodeDef(name=text_bytes(name), op=text_bytes(op))
    if kind.HasField("tensor_type"):
        tensor = kind.tensor_type
        if tensor.HasField("shape"):
            message.attr.add(key=b"_output_shapes", value=_shapes([dim.size for dim in tensor.shape.dim]))
        message.attr.extend(_type_attr(tensor.elem_type))
    return message


def _type_attr(code: int) -> Iterator[NodeDef.Attr]:
    if code in _TYPE_CODES:
        yield NodeDef.Attr(key=b"dtype", value=AttrValue(type=_TYPE_CODES[code]))


def _shapes(sizes: Any) -> AttrValue:
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])
    return AttrValue(list=AttrValue.ListValue(shape=[shape]))


def _attr_value(value: ValueProto) -> AttrValue:
    plain = _plain(value)
    if isinstance(plain, bool):
        return AttrValue(b=plain)
    if isinstance(plain, int) and -(2**63) <= plain < 2**63:
        return AttrValue(i=plain)
    if isinstance(plain, float):
        return AttrValue(f=plain)
    if isinstance(plain, list) and plain and all(type(each) is int for each in plain):
        return AttrValue(list=AttrValue.ListValue(i=plain))
    return AttrValue(s=text_bytes(plain if isinstance(plain, str) else str(plain)))


def _plain(value: ValueProto) -> Any:
    """Return a setting as a number, a text, or nested lists and dicts of these; None if it has no value."""
    match value.dtype:
        case codes.DT_BOOL:
            return value.bool_val
        case codes.DT_INT64:
            return value.int_val
        case codes.DT_UINT64:
            return value.uint_val
        case codes.DT_FLOAT64:
            return value.double_val
        case codes.DT_STRING:
            return value.str_val
        case codes.DT_TUPLE | codes.DT_LIST:
            return [_plain(each) for each in value.values]
        case codes.DT_DICT:
            return {each.key: _plain(each.value) for each in value.dict_val}
        case codes.DT_TENSOR:
            return f"tensor {list(value.tensor_val.dims)}"
    return None
