"""Outputs and attributes of TensorFlow's and PyTorch's nodes: AttrValue as types and as text."""

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from toposcope.proto.tensorboard_pb2 import AttrValue, NodeDef, TensorProto, TensorShapeProto
from toposcope.server.graphs.attributes import (
    Attribute,
    Attributes,
    Room,
    Text,
    attribute,
    attribute_at,
    decoded,
    dimensions,
    elements,
    number,
    quoted,
    single,
    text,
)
from toposcope.server.graphs.graph import Kind, Output
from toposcope.server.graphs.limits import MOST_DIMENSIONS, MOST_OUTPUTS
from toposcope.server.graphs.wire_fields import Span, is_small, nested_fields

_FIRST_ELEMENTS = 20
_REFERENCES = 100
"""Added to the code of a data type when a variable itself is meant."""
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
# What says the data types of the outputs, by name of the attribute: TensorFlow has no one place for them.
_TYPE_LISTS = {b"output_types", b"Tout", b"component_types"}
_TYPES = {b"dtype", b"DstT", b"out_type", b"output_type"}


def dtype_name(code: int) -> str | None:
    """Return the name of a TensorFlow data type; None when there is none of that code."""
    return _DTYPES.get(code % _REFERENCES)


def node_outputs(node: NodeDef, kind: Kind) -> tuple[Output, ...]:
    """Return what is known of a node's outputs: shapes, and data types where an attribute says them."""
    shapes: Sequence[TensorShapeProto] = ()
    own_shape: Sequence[TensorShapeProto] = ()
    dtypes: Sequence[int] = ()
    for each in node.attr:
        if each.key == b"_output_shapes":
            shapes = each.value.list.shape[:MOST_OUTPUTS]
        elif each.key == b"shape" and kind in (Kind.PARAMETER, Kind.INPUT) and each.value.HasField("shape"):
            own_shape = [each.value.shape]
        elif each.key in _TYPES and each.value.type:
            dtypes = [each.value.type]
        elif each.key in _TYPE_LISTS:
            dtypes = each.value.list.type[:MOST_OUTPUTS]
    # A variable's node puts out a handle, a scalar; its shape is that of what it holds.
    shown = own_shape or shapes if kind == Kind.PARAMETER else shapes or own_shape
    return tuple(
        Output(dtype_name(dtype) if dtype else None, None if shape is None else _sizes(shape))
        for dtype, shape in zip_longest(dtypes, shown)
    )


def type_outputs(code: int) -> tuple[Output, ...]:
    """Return the one output of a data type, of unknown shape."""
    return (Output(dtype_name(code), None),)


def node_attributes(payload: bytes, span: Span, room: Room) -> Attributes:
    """Read the attributes of a NodeDef, the device it runs on among them."""
    if is_small(span):
        node = NodeDef.FromString(payload[slice(*span)])
        device, total = node.device, len(node.attr)
        listed = [_shown(each, room.characters) for each in node.attr[: room.attributes]]
    else:
        device, spans = _large_node(payload, span)
        total = len(spans)
        listed = [_attribute(payload, each, room.characters) for each in spans[: room.attributes]]
    if device:
        listed, total = [Attribute("device", text(decoded(device), room.characters)), *listed], total + 1
    return Attributes(listed[: room.attributes], total)


def _large_node(payload: bytes, span: Span) -> tuple[bytes, list[Span]]:
    """Return (the device, where the attributes are) of a NodeDef."""
    device, spans = b"", []
    for field, start, end in nested_fields(payload, *span):
        if field == NodeDef.ATTR_FIELD_NUMBER:
            spans.append((start, end))
        elif field == NodeDef.DEVICE_FIELD_NUMBER:
            device = payload[start:end]
    return device, spans


def _attribute(payload: bytes, span: Span, most: int) -> Attribute:
    def show(content: bytes) -> Attribute:
        return _shown(NodeDef.Attr.FromString(content), most)

    return attribute_at(payload, span, NodeDef.Attr.KEY_FIELD_NUMBER, show)


def _shown(message: NodeDef.Attr, most: int) -> Attribute:
    return attribute(message.key, value_text(message.value, most))


def value_text(value: AttrValue, most: int) -> Text:
    """Return a value as text, cut after about so many characters."""
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
    if shape.unknown_rank or len(shape.dim) > MOST_DIMENSIONS:
        return None
    return tuple(dim.size for dim in shape.dim)


def _tensor(tensor: TensorProto, most: int) -> Text:
    head = f"{dtype_name(tensor.dtype) or 'tensor'} {_shape(tensor.tensor_shape, most).text}"
    count, first = _first_elements(tensor, most)
    if not count:
        return Text(head)
    shown = elements(first, count, most)
    return Text(f"{head}: {shown.text}", shown.length, shown.unit)


def _first_elements(tensor: TensorProto, most: int) -> tuple[int, Iterable[str]]:
    """Return (number of elements that are there, the first of them); of some data types none are shown."""
    if tensor.tensor_content:
        dtype = _NUMPY.get(tensor.dtype)
        if dtype is None:
            return 0, []
        count = len(tensor.tensor_content) // dtype.itemsize
        return count, map(str, np.frombuffer(tensor.tensor_content, dtype, min(count, _FIRST_ELEMENTS)))
    for field, items in tensor.ListFields():
        if field.name == "string_val":
            return len(items), (quoted(decoded(item), most) for item in items[:_FIRST_ELEMENTS])
        if field.name in ("float_val", "double_val", "int_val", "int64_val", "bool_val", "uint32_val", "uint64_val"):
            show = single if field.name == "float_val" else number
            return len(items), map(show, items[:_FIRST_ELEMENTS])
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
"""How the content of each field of an AttrValue is shown, given at most so many characters."""
