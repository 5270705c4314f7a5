"""Graphs of ONNX files as TensorBoard's GraphDef."""

import os
from collections.abc import Iterator, Sequence

from google.protobuf.message import DecodeError

from toposcope.proto.onnx_pb2 import AttributeProto, GraphProto, ModelProto, NodeProto
from toposcope.proto.tensorboard_pb2 import AttrValue, GraphDef, NodeDef, TensorShapeProto
from toposcope.proto.tensorboard_types import TYPES
from toposcope.proto.wire import text_bytes

_VARIABLE, _INPUT = b"VariableV2", b"Placeholder"
_NAMES = ("float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "", "bool", "float16", "float64", "uint32")
_TYPE_CODES = {code: TYPES[name] for code, name in enumerate((*_NAMES, "uint64"), 1) if name}


def onnx_graph(path: str | os.PathLike[str]) -> GraphDef:
    """Return the graph of an ONNX file; nodes have the names of their first outputs.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is not an ONNX model.
    """
    with open(path, "rb") as file:
        content = file.read()
    try:
        graph = ModelProto.FromString(content).graph
    except DecodeError as error:
        raise ValueError(f"{os.fspath(path)!r} is not an ONNX model: {error}") from None
    if not graph.node:
        raise ValueError(f"{os.fspath(path)!r} is not an ONNX model with a graph.")
    return GraphDef(node=[*_terminals(graph), *map(_operator, graph.node)])


def _terminals(graph: GraphProto) -> Iterator[NodeDef]:
    initialized = {tensor.name for tensor in graph.initializer}
    for each in graph.input:
        if each.name not in initialized:
            tensor = each.type.tensor_type
            sizes = [dim.dim_value if dim.HasField("dim_value") else -1 for dim in tensor.shape.dim]
            yield _terminal(each.name, _INPUT, sizes, tensor.elem_type)
    for weight in graph.initializer:
        yield _terminal(weight.name, _VARIABLE, weight.dims, weight.data_type)


def _terminal(name: str, op: bytes, sizes: Sequence[int], code: int) -> NodeDef:
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in sizes])
    node = NodeDef(name=text_bytes(name), op=op)
    node.attr.add(key=b"shape", value=AttrValue(shape=shape))
    if code in _TYPE_CODES:
        node.attr.add(key=b"dtype", value=AttrValue(type=_TYPE_CODES[code]))
    return node


def _operator(node: NodeProto) -> NodeDef:
    name = node.output[0] if node.output else node.name
    message = NodeDef(name=text_bytes(name), op=text_bytes(node.op_type))
    message.input.extend(text_bytes(source) for source in node.input if source)
    for attribute in node.attribute:
        message.attr.add(key=text_bytes(attribute.name), value=_attr_value(attribute))
    return message


def _attr_value(attribute: AttributeProto) -> AttrValue:
    for field in ("f", "i", "s"):
        if attribute.HasField(field):
            return AttrValue(**{field: getattr(attribute, field)})
    listed = AttrValue.ListValue(s=attribute.strings, i=attribute.ints, f=attribute.floats)
    return AttrValue(list=listed)
