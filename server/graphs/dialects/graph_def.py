"""Reader of GraphDef, the graphs of TensorFlow and PyTorch, in which scopes are part of the names of nodes.

Functions of the library are not inlined: each is in a separate scope, functions/NAME, with its arguments as inputs and
its results as outputs.
"""

from collections.abc import Iterable, Iterator

from google.protobuf.message import DecodeError

from toposcope.proto.tensorboard_pb2 import (
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    NodeDef,
    OpDef,
    RunMetadata,
)
from toposcope.server.graphs.dialects.graph_def_values import node_attributes, node_outputs, type_outputs
from toposcope.server.graphs.model.attributes import decoded
from toposcope.server.graphs.model.graph import Graph, Kind
from toposcope.server.graphs.model.graph_builder import GraphBuilder, Input
from toposcope.server.graphs.model.wire_fields import Span, message_bytes, nested_fields

_FUNCTIONS = "functions"
_PARAMETER = "prim::GetAttr"
"""The operation of parameters in PyTorch graphs. Its input is a module, which is no value and no node, but a scope."""
_KINDS = {
    "Arg": Kind.INPUT,
    "AutoReloadVariable": Kind.PARAMETER,
    "Const": Kind.CONSTANT,
    "HostConst": Kind.CONSTANT,
    "Placeholder": Kind.INPUT,
    "PlaceholderV2": Kind.INPUT,
    "PlaceholderWithDefault": Kind.INPUT,
    "VarHandleOp": Kind.PARAMETER,
    "Variable": Kind.PARAMETER,
    "VariableV2": Kind.PARAMETER,
    "_Arg": Kind.INPUT,
    "_Retval": Kind.OUTPUT,
    "prim::Constant": Kind.CONSTANT,
    _PARAMETER: Kind.PARAMETER,
    "prim::Param": Kind.INPUT,
}
_TERMINAL = "IO Node"
"""The operation of inputs and outputs in PyTorch graphs; their names distinguish them."""


def read_graph_def(payload: bytes) -> Graph:
    """Read a GraphDef.

    Raises:
        GraphError: the message is malformed, or the graph exceeds the limits.
    """
    reader = _GraphReader(payload)
    reader.add_graph((0, len(payload)), "")
    return reader.graph()


def read_traced_functions(payload: bytes) -> Graph:
    """Read the traced functions of a RunMetadata written by tf.summary.trace_export.

    Several functions are in separate scopes: graph_1, graph_2, ...

    Raises:
        GraphError: the message is malformed, or the graph exceeds the limits.
    """
    graphs = [
        graph
        for traced in _fields(payload, (0, len(payload)), RunMetadata.FUNCTION_GRAPHS_FIELD_NUMBER)
        for graph in _fields(payload, traced, RunMetadata.FunctionGraphs.PRE_OPTIMIZATION_GRAPH_FIELD_NUMBER)
    ]
    reader = _GraphReader(payload)
    for number, span in enumerate(graphs, 1):
        reader.add_graph(span, f"graph_{number}/" if len(graphs) > 1 else "")
    return reader.graph()


class _GraphReader:
    """Reads one or more GraphDef messages into one graph."""

    def __init__(self, payload: bytes) -> None:
        self._payload = payload
        self._builder = GraphBuilder()
        self._spans: list[Span] = []
        """Position of the NodeDef of each node; empty for arguments and results of functions."""
        self._is_torch = False
        self._malformed = 0

    def graph(self) -> Graph:
        """Return the graph."""
        payload, spans = self._payload, self._spans
        return self._builder.build(
            "torch" if self._is_torch else "tensorflow",
            "",
            lambda node, room: node_attributes(payload, spans[node], room),
            left_out=[f"{self._malformed} malformed messages"] if self._malformed else [],
            size=len(payload),
        )

    def add_graph(self, span: Span, prefix: str) -> None:
        """Add the nodes and functions of a GraphDef, with a prefix to their names."""
        for node in _fields(self._payload, span, GraphDef.NODE_FIELD_NUMBER):
            self._add_node(node, prefix)
        for library in _fields(self._payload, span, GraphDef.LIBRARY_FIELD_NUMBER):
            for function in _fields(self._payload, library, FunctionDefLibrary.FUNCTION_FIELD_NUMBER):
                self._add_function(function, prefix)

    def _add_node(self, span: Span, prefix: str, in_function: bool = False) -> None:
        try:
            node = NodeDef.FromString(message_bytes(self._payload, span))
        except DecodeError:
            self._malformed += 1
            return
        name, op = decoded(node.name), decoded(node.op)
        self._is_torch |= op == _TERMINAL or "::" in op
        kind = _kind(name, op)
        sources = () if op == _PARAMETER else node.input
        inputs = (_input(decoded(source), prefix, in_function) for source in sources)
        outputs = node_outputs(node, kind)
        self._builder.add(prefix + name, name, prefix + (name or op), op, kind, outputs, inputs)
        self._spans.append(span)

    def _add_function(self, span: Span, prefix: str) -> None:
        signature = OpDef()
        for part in _fields(self._payload, span, FunctionDef.SIGNATURE_FIELD_NUMBER):
            try:
                signature = OpDef.FromString(message_bytes(self._payload, part))
            except DecodeError:
                self._malformed += 1
        inside = f"{prefix}{_FUNCTIONS}/{decoded(signature.name)}/"
        for argument in signature.input_arg:
            self._add_terminal(inside, decoded(argument.name), Kind.INPUT, argument.type)
        for node in _fields(self._payload, span, FunctionDef.NODE_DEF_FIELD_NUMBER):
            self._add_node(node, inside, in_function=True)
        results = {decoded(result.name): result.type for result in signature.output_arg}
        for name, source in self._results(span):
            self._add_terminal(inside, name, Kind.OUTPUT, results.get(name, 0), [_input(source, inside, True)])

    def _results(self, span: Span) -> Iterator[tuple[str, str]]:
        """Yield (name, input) of each result of a function."""
        for part in _fields(self._payload, span, FunctionDef.RET_FIELD_NUMBER):
            try:
                result = FunctionDef.Ret.FromString(message_bytes(self._payload, part))
            except DecodeError:
                self._malformed += 1
            else:
                yield decoded(result.key), decoded(result.value)

    def _add_terminal(self, inside: str, name: str, kind: Kind, dtype: int, inputs: Iterable[Input] = ()) -> None:
        # A result may have the name of a node, but no input refers to it.
        key = inside + name if kind == Kind.INPUT else f"{inside}\0{name}"
        self._builder.add(key, name, inside + name, kind.name.title(), kind, type_outputs(dtype), inputs)
        self._spans.append((0, 0))


def _fields(payload: bytes, span: Span, number: int) -> Iterator[Span]:
    return ((start, end) for field, start, end in nested_fields(payload, *span) if field == number)


def _kind(name: str, op: str) -> Kind:
    if op == _TERMINAL:
        return Kind.OUTPUT if name.startswith("output") else Kind.INPUT
    return _KINDS.get(op, Kind.OPERATOR)


def _input(source: str, prefix: str, in_function: bool) -> Input:
    """Parse an input: "node:output" or "^node"; in a function "node:argument:output" or "argument"."""
    if source.startswith("^"):
        return Input(prefix + source[1:], control=True)
    if in_function:
        return Input(prefix + source.partition(":")[0], _output(source.rpartition(":")[2]))
    name, colon, output = source.rpartition(":")
    if colon and _is_number(output):
        return Input(prefix + name, int(output))
    return Input(prefix + source, 0)


def _output(text: str) -> int:
    return int(text) if _is_number(text) else 0


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
