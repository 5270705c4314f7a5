"""The graph of a module as torch.export finds it: every operator, in the scopes of the module tree."""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from time import monotonic
from typing import Any, NamedTuple

from toposcope.proto.graph_pb2 import GraphProto, OutputProto
from toposcope.recorder.frameworks.torch.graph.call_inputs import Inputs, faked
from toposcope.recorder.frameworks.torch.modules import dtype_name, library, shape_of
from toposcope.recorder.frameworks.torch.names import path_of, terminal_name, unique_name
from toposcope.recorder.frameworks.torch.plain_settings import plain_setting
from toposcope.recorder.frameworks.torch.shadow_module import twin_of
from toposcope.recorder.messages.graph import CONSTANT, PARAMETER, Node, graph

_MOST_SECONDS = 60.0
# Constants of more elements are told by shape and dtype alone.
_FEW_ELEMENTS = 16
# Where and how an operator stores its output, which is the same for nearly all.
_LEFT_OUT = {"device", "layout", "pin_memory", "memory_format"}
_CALL = re.compile(r"@\d+")


def exported_graph(module: Any, inputs: Inputs, name: str) -> GraphProto:
    """Return the graph of a call of *module*, in the mode (training or evaluation) that it is in.

    The module is traced on fake tensors, in a twin of it: nothing is computed, and no parameter, buffer, attribute or
    random state changes. Operators have the scopes of the module tree, shapes, dtypes, and the settings that their
    schemas name; parameters, buffers and inputs stand beside them. Operators that no output depends on, such as
    BatchNorm's count of batches, are left out.

    Args:
        module: a torch.nn.Module without wrapper.
        inputs: what it is called with.
        name: of the graph.

    Raises:
        TimeoutError: the trace took a minute.
        Exception: torch.export cannot trace the module.
    """
    twin = twin_of(module)
    deadline = _Deadline(monotonic() + _MOST_SECONDS)
    for each in twin.modules():
        each.register_forward_pre_hook(deadline)
    mode = library("torch._subclasses.fake_tensor").FakeTensorMode(allow_non_fake_inputs=True)
    program = library("torch.export").export(twin, *faked(inputs, mode), strict=False)
    scopes = {path_of(path) for path, _ in twin.named_modules()}
    return _Reading(program, scopes, _first_names(twin)).graph(name)


class _Deadline(NamedTuple):
    """Ends a trace that takes too long."""

    at: float

    def __call__(self, _module: object, _args: object) -> None:
        if monotonic() > self.at:
            raise TimeoutError(f"it took more than {_MOST_SECONDS:.0f} s")


class _Argument(NamedTuple):
    """What an operator is called with."""

    name: str
    value: Any


class _Reading:
    """Turns the nodes of an exported program into ours."""

    def __init__(self, program: Any, scopes: set[str], names: Mapping[str, str]) -> None:
        self._fx = library("torch.fx")
        self._program = program
        self._names = names
        self._nodes: dict[str, Node] = {}
        # What each of its nodes is here: the name of a node, or a list of such.
        self._values: dict[Any, Any] = {}
        self._taken = set(scopes)

    def graph(self, name: str) -> GraphProto:
        """Return the graph of the program."""
        signature = {spec.arg.name: spec for spec in self._program.graph_signature.input_specs}
        wanted = _reachable(self._program.graph)
        results = self._read(
            self._program.graph_module, lambda node: self._terminal(node, signature[node.name], node in wanted), ""
        )
        message = graph(self._nodes.values(), name=name)
        returned = set(_names(results))
        del message.outputs[:]
        message.outputs.extend(
            OutputProto(name=node.name, type=node.output_type) for node in message.node if node.full_name in returned
        )
        return message

    def _read(self, module: Any, terminal: Callable[[Any], Any], scope: str) -> Any:
        """Read a graph; return what its outputs are here.

        Args:
            module: the GraphModule.
            terminal: tells of each placeholder what it is here.
            scope: of the operators that do not say more.
        """
        wanted = _reachable(module.graph)
        for node in module.graph.nodes:
            match node.op:
                case "placeholder":
                    self._values[node] = terminal(node)
                case "get_attr" if node in wanted:
                    self._values[node] = self._attribute(node, getattr(module, node.target, None))
                case "call_function" if node in wanted:
                    self._values[node] = self._called(module, node, _scope(node) or scope)
                case "output":
                    return self._here(node.args[0])
        return None

    def _terminal(self, node: Any, spec: Any, is_read: bool) -> str | None:
        """Add an input, a parameter, a buffer or a constant; one that is not read only if it is an input."""
        tensor = node.meta.get("val")
        is_input = spec.kind.name == "USER_INPUT"
        if not _is_tensor(tensor) or not (is_input or is_read):
            return None
        if spec.kind.name == "CONSTANT_TENSOR":
            return self._constant(spec.target, self._program.constants.get(spec.target, tensor))
        name = spec.arg.name if is_input else self._names.get(spec.target, spec.target)
        return self._add(self._described(name, PARAMETER, tensor))

    def _constant(self, name: str, tensor: Any) -> str:
        is_shown = tensor.numel() <= _FEW_ELEMENTS and type(tensor) is library().Tensor and not tensor.is_complex()
        attributes = {"value": tensor.tolist()} if is_shown else {}
        return self._add(self._described(name, CONSTANT, tensor)._replace(attributes=attributes))

    def _attribute(self, node: Any, value: Any) -> Any:
        # A part of the program, such as the body of a no_grad block, is read where it is called.
        return self._constant(str(node.target), value) if _is_tensor(value) else None

    def _called(self, module: Any, node: Any, scope: str) -> Any:
        arguments = list(_arguments(node))
        parts = [part for argument in arguments if (part := self._part(module, argument.value)) is not None]
        if len(parts) == 1:
            operands = iter([argument.value for argument in arguments if self._is_node(argument.value)][1:])
            return self._read(parts[0], lambda _: self._here(next(operands, None)), scope)
        if _op(node) == "getitem" and isinstance(values := self._here(node.args[0]), list | tuple):
            return values[node.args[1]]
        sources = [name for argument in arguments for name in _names(self._here(argument.value))]
        op = _op(node)
        described = self._described(f"{scope}/{op}" if scope else op, op, node.meta.get("val"))
        return self._add(described._replace(inputs=sources, attributes=self._settings(arguments)))

    def _part(self, module: Any, value: Any) -> Any:
        """Return the part of the program that an argument is."""
        if not self._is_node(value) or value.op != "get_attr":
            return None
        part = getattr(module, value.target, None)
        return part if isinstance(part, self._fx.GraphModule) else None

    def _settings(self, arguments: list[_Argument]) -> Mapping[str, object]:
        settings = {name: plain_setting(value) for name, value in arguments if name not in _LEFT_OUT}
        return {name: value for name, value in settings.items() if value is not None}

    def _here(self, value: Any) -> Any:
        """Return the names of the nodes in an argument, nested as there."""
        if self._is_node(value):
            return self._values.get(value)
        if isinstance(value, list | tuple):
            return [self._here(item) for item in value]
        return [self._here(item) for item in value.values()] if isinstance(value, dict) else None

    def _is_node(self, value: Any) -> bool:
        return isinstance(value, self._fx.Node)

    def _described(self, name: str, op_type: str, value: Any) -> Node:
        name = terminal_name(name) if op_type in (PARAMETER, CONSTANT) else name
        if not _is_tensor(value):
            return Node(name, op_type)
        return Node(name, op_type, shape=shape_of(value), dtype=dtype_name(value))

    def _add(self, node: Node) -> str:
        """Add a node under its name, or that name and a number; return the name."""
        name = unique_name(node.name, self._taken)
        self._nodes[name] = node._replace(name=name)
        return name


def _first_names(module: Any) -> dict[str, str]:
    """Return the name under which each parameter and buffer is registered first, for all of its names."""
    first: dict[int, str] = {}
    named = [*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)]
    return {name: first.setdefault(id(tensor), name) for name, tensor in named}


def _reachable(graph: Any) -> set[Any]:
    """Return the nodes that the outputs of a graph depend on."""
    wanted = {node for node in graph.nodes if node.op == "output"}
    for node in reversed(graph.nodes):
        if node in wanted:
            wanted.update(node.all_input_nodes)
    return wanted


def _arguments(node: Any) -> Iterator[_Argument]:
    """Yield what an operator is called with, under the names of its schema, defaults included."""
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        # Of the built-in functions, such as the item of a tuple that an operator returns.
        names = ("input", "index") if node.target is operator.getitem else ()
        for number, value in enumerate(node.args):
            yield _Argument(names[number] if names else f"input_{number}", value)
        yield from (_Argument(name, value) for name, value in node.kwargs.items())
        return
    for number, declared in enumerate(schema.arguments):
        default = declared.default_value if declared.has_default_value() else None
        given = node.args[number] if number < len(node.args) else node.kwargs.get(declared.name, default)
        yield _Argument(declared.name, given)


def _op(node: Any) -> str:
    """Return what an operator computes: "conv2d" of aten.conv2d.default, "relu" of aten.relu_.default."""
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        return path_of(getattr(node.target, "__name__", "") or str(node.target)).rpartition("/")[2]
    name: str = schema.name.rpartition("::")[2]
    return name.rstrip("_") or name


def _scope(node: Any) -> str:
    """Return the place in the module tree that a node was called at; "" for the outermost, or unknown."""
    calls = list(node.meta.get("nn_module_stack", {}).values())
    # "layers.1@2" is the third call of layers.1.
    return path_of(_CALL.sub("", calls[-1][0])) if calls else ""


def _names(values: Any) -> Iterator[str]:
    if isinstance(values, str):
        yield values
    elif isinstance(values, list | tuple):
        for value in values:
            yield from _names(value)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, library().Tensor)
