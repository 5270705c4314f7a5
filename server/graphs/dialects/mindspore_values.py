"""Attributes in MindSpore graphs: ValueProto messages as text."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from toposcope.proto import tensor_pb2 as codes
from toposcope.proto.data_types import DTYPES as ELEMENTS
from toposcope.proto.data_types import bfloat16_values
from toposcope.proto.graph_pb2 import AttributeProto, NamedValueProto, NodeProto, ParameterProto, TypeProto, ValueProto
from toposcope.proto.tensor_pb2 import TensorProto
from toposcope.server.graphs.dialects.mindspore_types import DTYPES, TypeReader
from toposcope.server.graphs.model.attributes import (
    MAX_ELEMENTS,
    Attribute,
    Attributes,
    Room,
    Text,
    attribute,
    attribute_at,
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
from toposcope.server.graphs.model.wire_fields import Span, is_small, nested_fields

_NO_FIELD = 0
_DEEPEST_VALUE = 6
_NONE = {codes.DT_TUPLE: "[]", codes.DT_LIST: "[]", codes.DT_DICT: "{}", codes.DT_STRING: "", codes.DT_NONE: "null"}
"""Text of values without a field, by data type."""
_FIELDS = {
    codes.DT_BOOL: "bool_val",
    codes.DT_INT64: "int_val",
    codes.DT_FLOAT32: "float_val",
    codes.DT_STRING: "str_val",
    codes.DT_TENSOR: "tensor_val",
}
"""Fields of the most frequent data types."""


def node_attributes(payload: bytes, span: Span, room: Room) -> Attributes:
    """Read the attributes of a NodeProto."""

    def show(content: bytes) -> Attribute:
        return _shown(AttributeProto.FromString(content), room.characters)

    if is_small(span):
        messages = NodeProto.FromString(payload[slice(*span)]).attribute
        return Attributes([_shown(each, room.characters) for each in messages[: room.attributes]], len(messages))
    spans = [
        (start, end) for field, start, end in nested_fields(payload, *span) if field == NodeProto.ATTRIBUTE_FIELD_NUMBER
    ]
    return attributes_at(payload, spans, AttributeProto.NAME_FIELD_NUMBER, show, room)


def parameter_attributes(payload: bytes, span: Span, room: Room) -> Attributes:
    """Read the initial value, if any, of a ParameterProto."""
    return _single_value(payload, span, ParameterProto.DEFAULT_VAL_FIELD_NUMBER, room)


def constant_attributes(payload: bytes, span: Span, room: Room) -> Attributes:
    """Read the value of a NamedValueProto, a constant."""
    return _single_value(payload, span, NamedValueProto.VALUE_FIELD_NUMBER, room)


def _single_value(payload: bytes, span: Span, value_field: int, room: Room) -> Attributes:
    spans = [(start, end) for field, start, end in nested_fields(payload, *span) if field == value_field]

    def show(content: bytes) -> Attribute:
        return Attribute("value", value_text(ValueProto.FromString(content), room.characters))

    listed = [attribute_at(payload, each, _NO_FIELD, show)._replace(name="value") for each in spans[-1:]]
    return Attributes(listed, len(listed))


def _shown(message: AttributeProto, most: int) -> Attribute:
    return attribute(message.name, value_text(message.value, most))


def value_text(value: ValueProto, most: int, depth: int = 0) -> Text:
    """Return a value as text, truncated to about so many characters."""
    if depth > _DEEPEST_VALUE:
        return Text("…")
    field = _FIELDS.get(value.dtype)
    if field is None or not value.HasField(field):
        field = next((each.name for each, _ in value.ListFields() if each.name in _SHOW), None)
    if field is None:
        return Text(_NONE.get(value.dtype, DTYPES.get(value.dtype, "")))
    return _SHOW[field](getattr(value, field), most, depth)


def _nested(value: ValueProto, most: int, depth: int) -> str:
    if value.HasField("str_val"):
        return quoted(decoded(value.str_val), most)
    return value_text(value, most, depth + 1).text


def _numbers(show: Callable[[Any], str]) -> Callable[[Sequence[Any], int, int], Text]:
    return lambda content, most, _: elements(map(show, content[:most]), len(content), most)


def _texts(content: Sequence[str], most: int, _: int) -> Text:
    return elements((quoted(decoded(each), most) for each in content[:most]), len(content), most)


def _values(content: Sequence[ValueProto], most: int, depth: int) -> Text:
    return elements((_nested(each, most, depth) for each in content[:most]), len(content), most)


def _items(content: Sequence[NamedValueProto], most: int, depth: int) -> Text:
    items = (f"{quoted(decoded(each.key), most)}: {_nested(each.value, most, depth)}" for each in content[:most])
    return elements(items, len(content), most, "{}")


def _tensors(content: Sequence[TensorProto], most: int, depth: int) -> Text:
    return elements((_tensor(each, most, depth).text for each in content[:most]), len(content), most)


def _tensor(tensor: TensorProto, most: int, _: int) -> Text:
    head = f"{DTYPES.get(tensor.data_type, 'tensor')} {dimensions(tensor.dims[:MAX_ELEMENTS])}"
    return tensor_text(head, *_first_elements(tensor), most)


def _first_elements(tensor: TensorProto) -> tuple[int, Iterator[str]]:
    """Return (number of elements, the first elements)."""
    dtype = ELEMENTS.get(tensor.data_type)
    if dtype is None or not tensor.raw_data:
        return len(tensor.float_data), map(single, tensor.float_data[:MAX_ELEMENTS])
    count, first = first_elements(tensor.raw_data, dtype)
    return count, map(str, bfloat16_values(first) if tensor.data_type == codes.DT_BFLOAT16 else first)


def _type(message: TypeProto, most: int, _: int) -> Text:
    outputs = TypeReader(by_toposcope=True).outputs(message)
    shown = [f"{dtype} {dimensions(shape) if shape is not None else ''}".rstrip() for dtype, shape in outputs]
    return Text(shown[0]) if len(shown) == 1 else elements(shown, len(shown), most)


_SHOW: dict[str, Callable[[Any, int, int], Text]] = {
    "bool_val": lambda content, *_: Text(number(content)),
    "int_val": lambda content, *_: Text(number(content)),
    "uint_val": lambda content, *_: Text(number(content)),
    "float_val": lambda content, *_: Text(single(content)),
    "double_val": lambda content, *_: Text(number(content)),
    "str_val": lambda content, most, _: text(decoded(content), most),
    "tensor_val": _tensor,
    "graph": lambda content, *_: Text(f"graph of {len(content.node)} nodes"),
    "bool_vals": _numbers(number),
    "int_vals": _numbers(number),
    "uint_vals": _numbers(number),
    "float_vals": _numbers(single),
    "double_vals": _numbers(number),
    "str_vals": _texts,
    "tensor_vals": _tensors,
    "graphs": lambda content, *_: Text(f"{len(content)} graphs"),
    "values": _values,
    "dict_val": _items,
    "type_val": _type,
}
"""Functions that convert each field of a ValueProto to text, given the maximum number of characters and the depth."""
