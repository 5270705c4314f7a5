"""Reader of GraphProto, the graphs of MindSpore, which Toposcope records too.

Parameters and constants have no scope in the file. A parameter is added to the scope of the first node that reads it; a
constant to the scope of every node that reads it, once per scope, as it may be shared by unrelated nodes.
"""

from collections.abc import Callable
from typing import NamedTuple

from google.protobuf.message import DecodeError

from toposcope.proto.graph_pb2 import GraphProto, InputProto, NamedValueProto, NodeProto, OutputProto, ParameterProto
from toposcope.server.graphs.dialects.mindspore_types import TypeReader, value_outputs
from toposcope.server.graphs.dialects.mindspore_values import constant_attributes, node_attributes, parameter_attributes
from toposcope.server.graphs.model.attributes import Attributes, Room, decoded
from toposcope.server.graphs.model.graph import Graph, Kind, Output, ReadAttributes
from toposcope.server.graphs.model.graph_builder import ALL_OUTPUTS, GraphBuilder, Input
from toposcope.server.graphs.model.wire_fields import Span, message_bytes, nested_fields

_READERS: dict[Kind, Callable[[bytes, Span, Room], Attributes]] = {
    Kind.OPERATOR: node_attributes,
    Kind.PARAMETER: parameter_attributes,
    Kind.CONSTANT: constant_attributes,
}
_OPS = {Kind.PARAMETER: "Parameter", Kind.CONSTANT: "Const"}
"""Names as in MindInsight."""


class _Terminal(NamedTuple):
    """A parameter or a constant."""

    kind: Kind
    outputs: tuple[Output, ...]
    span: Span


def read_graph(payload: bytes, by_toposcope: bool) -> Graph:
    """Read a GraphProto.

    Args:
        payload: the encoded message.
        by_toposcope: whether Toposcope recorded the graph. In its graphs a missing shape is unknown; in those of
            MindSpore it is that of a scalar, unless it is one of several outputs.

    Raises:
        GraphError: the message is malformed, or the graph exceeds the limits.
    """
    return _GraphReader(payload, by_toposcope).graph()


class _GraphReader:
    """Reads a graph."""

    def __init__(self, payload: bytes, by_toposcope: bool) -> None:
        self._payload = payload
        self._by_toposcope = by_toposcope
        self._types = TypeReader(by_toposcope)
        self._builder = GraphBuilder()
        self._spans: list[Span] = []
        """Position of the message of each node."""
        self._terminals: dict[str, _Terminal] = {}
        self._unread: dict[str, _Terminal] = {}
        self._duplicates: list[tuple[str, _Terminal]] = []
        """Parameters and constants with the name of an earlier one, which no input can refer to."""
        self._results: list[str] = []
        self._malformed = 0
        self._fields: dict[int, list[Span]] = {}
        for number, start, end in nested_fields(payload, 0, len(payload)):
            self._fields.setdefault(number, []).append((start, end))

    def graph(self) -> Graph:
        """Return the graph."""
        self._each(GraphProto.PARAMETERS_FIELD_NUMBER, self._collect_parameter)
        self._each(GraphProto.CONST_VALS_FIELD_NUMBER, self._collect_constant)
        self._each(GraphProto.NODE_FIELD_NUMBER, self._add_operator)
        self._each(GraphProto.OUTPUTS_FIELD_NUMBER, self._collect_result)
        for name, terminal in [*self._unread.items(), *self._duplicates]:
            self._add_terminal(name, name, name, terminal)
        return self._builder.build(
            "toposcope" if self._by_toposcope else "mindspore",
            self._name(),
            self._attribute_reader(),
            self._results,
            [f"{self._malformed} malformed messages"] if self._malformed else [],
            len(self._payload),
        )

    def _each(self, field: int, read: Callable[[Span], None]) -> None:
        for span in self._fields.get(field, []):
            try:
                read(span)
            except (DecodeError, UnicodeDecodeError):
                self._malformed += 1

    def _name(self) -> str:
        spans = self._fields.get(GraphProto.NAME_FIELD_NUMBER, [])
        return decoded(self._payload[slice(*spans[-1])]) if spans else ""

    def _attribute_reader(self) -> ReadAttributes:
        payload, spans, kinds = self._payload, self._spans, self._builder.kinds
        return lambda node, room: _READERS[kinds[node]](payload, spans[node], room)

    def _collect_parameter(self, span: Span) -> None:
        message = ParameterProto.FromString(message_bytes(self._payload, span))
        self._collect(decoded(message.name), _Terminal(Kind.PARAMETER, self._types.outputs(message.type), span))

    def _collect_constant(self, span: Span) -> None:
        message = NamedValueProto.FromString(message_bytes(self._payload, span))
        self._collect(decoded(message.key), _Terminal(Kind.CONSTANT, value_outputs(message.value), span))

    def _collect(self, name: str, terminal: _Terminal) -> None:
        if name in self._terminals:
            self._duplicates.append((name, terminal))
        else:
            self._terminals[name] = self._unread[name] = terminal

    def _collect_result(self, span: Span) -> None:
        name = decoded(OutputProto.FromString(message_bytes(self._payload, span)).name)
        self._results.append(name)

    def _add_operator(self, span: Span) -> None:
        node = NodeProto.FromString(message_bytes(self._payload, span))
        name, op = decoded(node.name), decoded(node.op_type)
        path = decoded(node.full_name) or f"{decoded(node.scope)}/{op}-op{name}"
        scope = path.rpartition("/")[0]
        inputs = [
            Input(self._key(decoded(source.name), scope), ALL_OUTPUTS, source.type == InputProto.CONTROL_EDGE)
            for source in node.input
        ]
        self._builder.add(name, name, path, op, Kind.OPERATOR, self._types.outputs(node.output_type), inputs)
        self._spans.append(span)

    def _key(self, name: str, scope: str) -> str:
        """Return the key of an input of a node in a scope; a terminal is added if it is not in the graph yet."""
        terminal = self._terminals.get(name)
        if terminal is None:
            return name
        self._unread.pop(name, None)
        key = f"{scope}\0{name}" if terminal.kind == Kind.CONSTANT else name
        if key not in self._builder:
            self._add_terminal(key, name, name if "/" in name else f"{scope}/{name}", terminal)
        return key

    def _add_terminal(self, key: str, name: str, path: str, terminal: _Terminal) -> None:
        self._builder.add(key, name, path, _OPS[terminal.kind], terminal.kind, terminal.outputs)
        self._spans.append(terminal.span)
