"""The graph of a module as torch.export traces it: every operator, in the scopes of the module tree."""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from time import monotonic
from typing import Any, NamedTuple

from toposcope.proto.graph_pb2 import GraphProto, OutputProto
from toposcope.recorder.frameworks.torch.graph.call_inputs import CallInputs, faked
from toposcope.recorder.frameworks.torch.modules import dtype_name, library, shape_of
from toposcope.recorder.frameworks.torch.names import path_of, terminal_name, unique_name
from toposcope.recorder.frameworks.torch.plain_settings import plain_setting
from toposcope.recorder.frameworks.torch.shadow_module import shadow_of
from toposcope.recorder.messages.graph import CONSTANT, PARAMETER, Node, graph

_MAX_SECONDS = 60.0
# Constants with more elements are described by shape and dtype alone.
_MAX_SHOWN_ELEMENTS = 16
# Settings of an operator's output that are the same for nearly all operators.
_LEFT_OUT = {"device", "layout", "pin_memory", "memory_format"}
_CALL = re.compile(r"@\d+")


def exported_graph(module: Any, inputs: CallInputs, name: str) -> GraphProto:
    """Return the graph of a call of *module*, in its current mode (training or evaluation).

    A shadow of the module is traced on fake tensors: nothing is computed, and no parameter, buffer, attribute or random
    state changes. Operators have the scopes of the module tree, shapes, dtypes, and the settings that their schemas
    name; parameters, buffers and inputs are nodes as well. Operators that no output depends on, such as BatchNorm's
    count of batches, are left out.

    Args:
        module: a torch.nn.Module without wrappers.
        inputs: of the call.
        name: of the graph.

    Raises:
        TimeoutError: the trace took more than a minute.
        Exception: torch.export cannot trace the module.
    """
    shadow = shadow_of(module)
    deadline = _Deadline(monotonic() + _MAX_SECONDS)
    for each in shadow.modules():
        each.register_forward_pre_hook(deadline)
    mode = library("torch._subclasses.fake_tensor").FakeTensorMode(allow_non_fake_inputs=True)
    program = library("torch.export").export(shadow, *faked(inputs, mode), strict=False)
    scopes = {path_of(path) for path, _ in shadow.named_modules()}
    return _GraphReader(program, scopes, _first_names(shadow)).graph(name)


class _Deadline(NamedTuple):
    """A forward pre-hook that ends a trace which takes too long."""

    at: float

    def __call__(self, _module: object, _args: object) -> None:
        if monotonic() > self.at:
            raise TimeoutError(f"it took more than {_MAX_SECONDS:.0f} s")


class _Argument(NamedTuple):
    """An argument of an operator, by the name in its schema."""

    name: str
    value: Any


class _GraphReader:
    """Converts the nodes of an exported program to nodes of our graphs."""

    def __init__(self, program: Any, scopes: set[str], names: Mapping[str, str]) -> None:
        self._fx = library("torch.fx")
        self._program = program
        self._names = names
        self._nodes: dict[str, Node] = {}
        # For each node of the program: the name of our node, or a list of names.
        self._values: dict[Any, Any] = {}
        self._taken_names = set(scopes)

    def graph(self, name: str) -> GraphProto:
        """Return the graph of the program."""
        signature = {spec.arg.name: spec for spec in self._program.graph_signature.input_specs}
        reachable = _reachable(self._program.graph)
        results = self._read(
            self._program.graph_module, lambda node: self._terminal(node, signature[node.name], node in reachable), ""
        )
        message = graph(self._nodes.values(), name=name)
        returned = set(_names(results))
        del message.outputs[:]
        message.outputs.extend(
            OutputProto(name=node.name, type=node.output_type) for node in message.node if node.full_name in returned
        )
        return message

    def _read(self, module: Any, terminal: Callable[[Any], Any], scope: str) -> Any:
        """Read a graph; return the names of our nodes for its outputs.

        Args:
            module: the GraphModule.
            terminal: returns the name of our node for a placeholder.
            scope: of the operators that have no scope themselves.
        """
        reachable = _reachable(module.graph)
        for node in module.graph.nodes:
            match node.op:
                case "placeholder":
                    self._values[node] = terminal(node)
                case "get_attr" if node in reachable:
                    self._values[node] = self._attribute(node, getattr(module, node.target, None))
                case "call_function" if node in reachable:
                    self._values[node] = self._called(module, node, _scope(node) or scope)
                case "output":
                    return self._names_of(node.args[0])
        return None

    def _terminal(self, node: Any, spec: Any, is_read: bool) -> str | None:
        """Add an input, or a parameter, buffer or constant that is read; return its name."""
        tensor = node.meta.get("val")
        is_input = spec.kind.name == "USER_INPUT"
        if not _is_tensor(tensor) or not (is_input or is_read):
            return None
        if spec.kind.name == "CONSTANT_TENSOR":
            return self._constant(spec.target, self._program.constants.get(spec.target, tensor))
        name = spec.arg.name if is_input else self._names.get(spec.target, spec.target)
        return self._add(self._described(name, PARAMETER, tensor))

    def _constant(self, name: str, tensor: Any) -> str:
        is_shown = (
            tensor.numel() <= _MAX_SHOWN_ELEMENTS and type(tensor) is library().Tensor and not tensor.is_complex()
        )
        attributes = {"value": tensor.tolist()} if is_shown else {}
        return self._add(self._described(name, CONSTANT, tensor)._replace(attributes=attributes))

    def _attribute(self, node: Any, value: Any) -> Any:
        # A subprogram, such as the body of a no_grad block, is read where it is called.
        return self._constant(str(node.target), value) if _is_tensor(value) else None

    def _called(self, module: Any, node: Any, scope: str) -> Any:
        arguments = list(_arguments(node))
        subprograms = [part for argument in arguments if (part := self._subprogram(module, argument.value)) is not None]
        if len(subprograms) == 1:
            operands = iter([argument.value for argument in arguments if self._is_node(argument.value)][1:])
            return self._read(subprograms[0], lambda _: self._names_of(next(operands, None)), scope)
        if _op(node) == "getitem" and isinstance(values := self._names_of(node.args[0]), list | tuple):
            return values[node.args[1]]
        sources = [name for argument in arguments for name in _names(self._names_of(argument.value))]
        op = _op(node)
        described = self._described(f"{scope}/{op}" if scope else op, op, node.meta.get("val"))
        return self._add(described._replace(inputs=sources, attributes=self._settings(arguments)))

    def _subprogram(self, module: Any, value: Any) -> Any:
        """Return the subprogram that an argument refers to; None if it is another value."""
        if not self._is_node(value) or value.op != "get_attr":
            return None
        part = getattr(module, value.target, None)
        return part if isinstance(part, self._fx.GraphModule) else None

    def _settings(self, arguments: list[_Argument]) -> Mapping[str, object]:
        settings = {name: plain_setting(value) for name, value in arguments if name not in _LEFT_OUT}
        return {name: value for name, value in settings.items() if value is not None}

    def _names_of(self, value: Any) -> Any:
        """Return the names of our nodes for an argument, nested like the argument."""
        if self._is_node(value):
            return self._values.get(value)
        if isinstance(value, list | tuple):
            return [self._names_of(item) for item in value]
        return [self._names_of(item) for item in value.values()] if isinstance(value, dict) else None

    def _is_node(self, value: Any) -> bool:
        return isinstance(value, self._fx.Node)

    def _described(self, name: str, op_type: str, value: Any) -> Node:
        name = terminal_name(name) if op_type in (PARAMETER, CONSTANT) else name
        if not _is_tensor(value):
            return Node(name, op_type)
        return Node(name, op_type, shape=shape_of(value), dtype=dtype_name(value))

    def _add(self, node: Node) -> str:
        """Add a node under its name, with a number if the name is taken; return the name."""
        name = unique_name(node.name, self._taken_names)
        self._nodes[name] = node._replace(name=name)
        return name


def _first_names(module: Any) -> dict[str, str]:
    """Return the first name of each parameter and buffer, by each of its names."""
    first: dict[int, str] = {}
    named = [*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)]
    return {name: first.setdefault(id(tensor), name) for name, tensor in named}


def _reachable(graph: Any) -> set[Any]:
    """Return the nodes on which the outputs of a graph depend."""
    reachable = {node for node in graph.nodes if node.op == "output"}
    for node in reversed(graph.nodes):
        if node in reachable:
            reachable.update(node.all_input_nodes)
    return reachable


def _arguments(node: Any) -> Iterator[_Argument]:
    """Yield the arguments of an operator by the names of its schema, defaults included."""
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        # A built-in function, such as the one that reads an item of a tuple.
        names = ("input", "index") if node.target is operator.getitem else ()
        for number, value in enumerate(node.args):
            yield _Argument(names[number] if names else f"input_{number}", value)
        yield from (_Argument(name, value) for name, value in node.kwargs.items())
        return
    for number, declared in enumerate(schema.arguments):
        default = declared.default_value if declared.has_default_value() else None
        value = node.args[number] if number < len(node.args) else node.kwargs.get(declared.name, default)
        yield _Argument(declared.name, value)


def _op(node: Any) -> str:
    """Return the name of an operation: "conv2d" for aten.conv2d.default, "relu" for aten.relu_.default."""
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return path_of(getattr(node.target, "__name__", "") or str(node.target)).rpartition("/")[2]
    name: str = schema.name.rpartition("::")[2]
    return name.rstrip("_") or name


def _scope(node: Any) -> str:
    """Return the scope in the module tree from which a node was called; "" for the outermost, or if unknown."""
    calls = list(node.meta.get("nn_module_stack", {}).values())
    # "layers.1@2" denotes the third call of layers.1.
    return path_of(_CALL.sub("", calls[-1][0])) if calls else ""


def _names(values: Any) -> Iterator[str]:
    if isinstance(values, str):
        yield values
    elif isinstance(values, list | tuple):
        for value in values:
            yield from _names(value)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, library().Tensor)
