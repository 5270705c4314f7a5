"""Graphs of MindSpore's dialect, which our recorder writes too: GraphProto.

Parameters and constants have no scope of their own. A parameter is put beside the first node that reads it; a constant
beside every node that reads it, once a scope: one constant may serve nodes that have nothing else in common.
"""

from collections.abc import Callable
from typing import NamedTuple

from google.protobuf.message import DecodeError

from toposcope.proto.graph_pb2 import GraphProto, InputProto, NamedValueProto, NodeProto, OutputProto, ParameterProto
from toposcope.server.graphs.attributes import Attributes, Room, decoded
from toposcope.server.graphs.graph import Graph, Kind, Output, ReadAttributes
from toposcope.server.graphs.graph_builder import ALL_OUTPUTS, Draft, Input
from toposcope.server.graphs.mindspore_types import TypeReader, value_outputs
from toposcope.server.graphs.mindspore_values import constant_attributes, node_attributes, parameter_attributes
from toposcope.server.graphs.wire_fields import Span, message_bytes, nested_fields

_READERS: dict[Kind, Callable[[bytes, Span, Room], Attributes]] = {
    Kind.OPERATOR: node_attributes,
    Kind.PARAMETER: parameter_attributes,
    Kind.CONSTANT: constant_attributes,
}
_OPS = {Kind.PARAMETER: "Parameter", Kind.CONSTANT: "Const"}
"""As MindInsight calls them."""


class _Terminal(NamedTuple):
    """A parameter or a constant."""

    kind: Kind
    outputs: tuple[Output, ...]
    span: Span


def read_graph(payload: bytes, is_ours: bool) -> Graph:
    """Read a GraphProto.

    Args:
        payload: its bytes.
        is_ours: whether our recorder wrote it. In its graphs a shape that is absent is unknown; in MindSpore's it is
            that of a scalar, unless it is one of several outputs.

    Raises:
        GraphError: the bytes are no such message, or the graph is larger than the limits.
    """
    return _Reading(payload, is_ours).graph()


class _Reading:
    """Reads one graph."""

    def __init__(self, payload: bytes, is_ours: bool) -> None:
        self._payload = payload
        self._is_ours = is_ours
        self._types = TypeReader(is_ours)
        self._draft = Draft()
        self._spans: list[Span] = []
        """Where the message of each node is."""
        self._terminals: dict[str, _Terminal] = {}
        self._unread: dict[str, _Terminal] = {}
        self._namesakes: list[tuple[str, _Terminal]] = []
        """Parameters and constants that are called like one before: nothing can refer to them."""
        self._results: list[str] = []
        self._malformed = 0
        self._fields: dict[int, list[Span]] = {}
        for number, start, end in nested_fields(payload, 0, len(payload)):
            self._fields.setdefault(number, []).append((start, end))

    def graph(self) -> Graph:
        """Return the graph."""
        self._each(GraphProto.PARAMETERS_FIELD_NUMBER, self._meet_parameter)
        self._each(GraphProto.CONST_VALS_FIELD_NUMBER, self._meet_constant)
        self._each(GraphProto.NODE_FIELD_NUMBER, self._add_operator)
        self._each(GraphProto.OUTPUTS_FIELD_NUMBER, self._meet_result)
        for name, terminal in [*self._unread.items(), *self._namesakes]:
            self._add_terminal(name, name, name, terminal)
        return self._draft.finish(
            "toposcope" if self._is_ours else "mindspore",
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
        payload, spans, kinds = self._payload, self._spans, self._draft.kinds
        return lambda node, room: _READERS[kinds[node]](payload, spans[node], room)

    def _meet_parameter(self, span: Span) -> None:
        message = ParameterProto.FromString(message_bytes(self._payload, span))
        self._meet(decoded(message.name), _Terminal(Kind.PARAMETER, self._types.outputs(message.type), span))

    def _meet_constant(self, span: Span) -> None:
        message = NamedValueProto.FromString(message_bytes(self._payload, span))
        self._meet(decoded(message.key), _Terminal(Kind.CONSTANT, value_outputs(message.value), span))

    def _meet(self, name: str, terminal: _Terminal) -> None:
        if name in self._terminals:
            self._namesakes.append((name, terminal))
        else:
            self._terminals[name] = self._unread[name] = terminal

    def _meet_result(self, span: Span) -> None:
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
        self._draft.add(name, name, path, op, Kind.OPERATOR, self._types.outputs(node.output_type), inputs)
        self._spans.append(span)

    def _key(self, name: str, scope: str) -> str:
        """Return the key of what an input of a node in a scope names; a terminal that is not there yet is added."""
        terminal = self._terminals.get(name)
        if terminal is None:
            return name
        self._unread.pop(name, None)
        key = f"{scope}\0{name}" if terminal.kind == Kind.CONSTANT else name
        if key not in self._draft:
            self._add_terminal(key, name, name if "/" in name else f"{scope}/{name}", terminal)
        return key

    def _add_terminal(self, key: str, name: str, path: str, terminal: _Terminal) -> None:
        self._draft.add(key, name, path, _OPS[terminal.kind], terminal.kind, terminal.outputs)
        self._spans.append(terminal.span)
