"""Outputs and attributes of GraphDef nodes: AttrValue messages as types and as text."""

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from toposcope.proto.tensorboard_pb2 import AttrValue, NodeDef, TensorProto, TensorShapeProto
from toposcope.server.graphs.model.attributes import (
    MAX_ELEMENTS,
    Attribute,
    Attributes,
    Room,
    Text,
    attribute,
    attributes_at,
    decoded,
    dimensions,
    elements,
    first_elements,
    number,
    quoted,
    single,
    tensor_text,
    text,
)
from toposcope.server.graphs.model.graph import Kind, Output
from toposcope.server.graphs.model.limits import MAX_DIMENSIONS, MAX_OUTPUTS
from toposcope.server.graphs.model.wire_fields import Span, is_small, nested_fields

_REFERENCES = 100
"""Offset of the codes of reference types."""
_DTYPES = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    8: "complex64",
    9: "int64",
    10: "bool",
    11: "qint8",
    12: "quint8",
    13: "qint32",
    14: "bfloat16",
    15: "qint16",
    16: "quint16",
    17: "uint16",
    18: "complex128",
    19: "float16",
    20: "resource",
    21: "variant",
    22: "uint32",
    23: "uint64",
    24: "float8_e5m2",
    25: "float8_e4m3fn",
    26: "float8_e4m3fnuz",
    27: "float8_e4m3b11fnuz",
    28: "float8_e5m2fnuz",
    29: "int4",
    30: "uint4",
    31: "int2",
    32: "uint2",
    33: "float4_e2m1fn",
}
# Attributes with the data types of outputs, which depend on the operation.
_TYPE_LISTS = {b"output_types", b"Tout", b"component_types"}
_TYPES = {b"dtype", b"DstT", b"out_type", b"output_type"}


def dtype_name(code: int) -> str | None:
    """Return the name of a TensorFlow data type; None if the code is unknown."""
    return _DTYPES.get(code % _REFERENCES)


def node_outputs(node: NodeDef, kind: Kind) -> tuple[Output, ...]:
    """Return the outputs of a node, with shapes and data types as far as attributes state them."""
    shapes: Sequence[TensorShapeProto] = ()
    own_shape: Sequence[TensorShapeProto] = ()
    dtypes: Sequence[int] = ()
    for each in node.attr:
        if each.key == b"_output_shapes":
            shapes = each.value.list.shape[:MAX_OUTPUTS]
        elif each.key == b"shape" and kind in (Kind.PARAMETER, Kind.INPUT) and each.value.HasField("shape"):
            own_shape = [each.value.shape]
        elif each.key in _TYPES and each.value.type:
            dtypes = [each.value.type]
        elif each.key in _TYPE_LISTS:
            dtypes = each.value.list.type[:MAX_OUTPUTS]
    # The output of a variable is a scalar handle; the shape shown is that of its value.
    shown = own_shape or shapes if kind == Kind.PARAMETER else shapes or own_shape
    return tuple(
        Output(dtype_name(dtype) if dtype else None, None if shape is None else _sizes(shape))
        for dtype, shape in zip_longest(dtypes, shown)
    )


def type_outputs(code: int) -> tuple[Output, ...]:
    """Return a single output with a data type and an unknown shape."""
    return (Output(dtype_name(code), None),)


def node_attributes(payload: bytes, span: Span, room: Room) -> Attributes:
    """Read the attributes of a NodeDef; its device, if any, is the first."""

    def show(content: bytes) -> Attribute:
        return _shown(NodeDef.Attr.FromString(content), room.characters)

    if is_small(span):
        node = NodeDef.FromString(payload[slice(*span)])
        device = node.device
        listed, total = [_shown(each, room.characters) for each in node.attr[: room.attributes]], len(node.attr)
    else:
        device, spans = _large_node(payload, span)
        listed, total = attributes_at(payload, spans, NodeDef.Attr.KEY_FIELD_NUMBER, show, room)
    if device:
        listed, total = [Attribute("device", text(decoded(device), room.characters)), *listed], total + 1
    return Attributes(listed[: room.attributes], total)


def _large_node(payload: bytes, span: Span) -> tuple[bytes, list[Span]]:
    """Return (device, positions of the attributes) of a NodeDef."""
    device, spans = b"", []
    for field, start, end in nested_fields(payload, *span):
        if field == NodeDef.ATTR_FIELD_NUMBER:
            spans.append((start, end))
        elif field == NodeDef.DEVICE_FIELD_NUMBER:
            device = payload[start:end]
    return device, spans


def _shown(message: NodeDef.Attr, most: int) -> Attribute:
    return attribute(message.key, value_text(message.value, most))


def value_text(value: AttrValue, most: int) -> Text:
    """Return a value as text, truncated to about so many characters."""
    field = value.WhichOneof("value")
    return _SHOW[field](getattr(value, field), most) if field else Text("")


def _list(content: AttrValue.ListValue, most: int) -> Text:
    for field, items in content.ListFields():
        shown = (_in_list(field.name, item, most) for item in items[:most])
        return elements(shown, len(items), most)
    return Text("[]")


def _in_list(field: str, item: Any, most: int) -> str:
    return quoted(decoded(item), most) if field == "s" else _SHOW[field](item, most).text


def _shape(shape: TensorShapeProto, _: int) -> Text:
    sizes = _sizes(shape)
    return Text("?" if sizes is None else dimensions(sizes))


def _sizes(shape: TensorShapeProto) -> tuple[int, ...] | None:
    if shape.unknown_rank or len(shape.dim) > MAX_DIMENSIONS:
        return None
    return tuple(dim.size for dim in shape.dim)


def _tensor(tensor: TensorProto, most: int) -> Text:
    head = f"{dtype_name(tensor.dtype) or 'tensor'} {_shape(tensor.tensor_shape, most).text}"
    return tensor_text(head, *_first_elements(tensor, most), most)


def _first_elements(tensor: TensorProto, most: int) -> tuple[int, Iterable[str]]:
    """Return (number of elements, the first elements); no elements for unsupported data types."""
    if tensor.tensor_content:
        dtype = _NUMPY.get(tensor.dtype)
        if dtype is None:
            return 0, []
        count, first = first_elements(tensor.tensor_content, dtype)
        return count, map(str, first)
    for field, items in tensor.ListFields():
        if field.name == "string_val":
            return len(items), (quoted(decoded(item), most) for item in items[:MAX_ELEMENTS])
        if field.name in ("float_val", "double_val", "int_val", "int64_val", "bool_val", "uint32_val", "uint64_val"):
            show = single if field.name == "float_val" else number
            return len(items), map(show, items[:MAX_ELEMENTS])
    return 0, []


_NUMPY = {
    code: np.dtype(name).newbyteorder("<")
    for code, name in _DTYPES.items()
    if name.removeprefix("u").rstrip("0123456789") in ("int", "float", "bool") and code < 24
}
_SHOW: dict[str, Callable[[Any, int], Text]] = {
    "list": _list,
    "s": lambda content, most: text(decoded(content), most),
    "i": lambda content, _: Text(number(content)),
    "f": lambda content, _: Text(single(content)),
    "b": lambda content, _: Text(number(content)),
    "type": lambda content, _: Text(dtype_name(content) or str(content)),
    "shape": _shape,
    "tensor": _tensor,
    "placeholder": lambda content, most: text(decoded(content), most),
    "func": lambda content, most: text(decoded(content.name), most),
}
"""Functions that convert each field of an AttrValue to text, given the maximum number of characters."""
