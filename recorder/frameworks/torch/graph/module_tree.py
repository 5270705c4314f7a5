"""The graph of a module that cannot be traced: its submodules, and the order in which they are called."""

from typing import Any

from toposcope.proto.graph_pb2 import GraphProto, InputProto
from toposcope.recorder.frameworks.torch.graph.call_inputs import Inputs, faked
from toposcope.recorder.frameworks.torch.modules import dtype_name, library, shape_of
from toposcope.recorder.frameworks.torch.names import path_of, terminal_name, unique_name
from toposcope.recorder.frameworks.torch.plain_settings import settings_of
from toposcope.recorder.frameworks.torch.shadow_module import twin_of
from toposcope.recorder.messages.graph import PARAMETER, Node, graph


def module_tree(module: Any, inputs: Inputs | None, name: str) -> GraphProto:
    """Return a graph with one node for each submodule that holds no others, or has parameters of its own.

    All edges are of control. They lead from each module to the one that is called next, as far as a run on fake tensors
    gets, in a twin of the module; without inputs there are only those from parameters.

    Args:
        module: a torch.nn.Module without wrapper.
        inputs: what it is called with, None if unknown.
        name: of the graph.
    """
    modules = {path: each for path, each in module.named_modules() if not each._modules or any(_own(each))}
    names = _node_names(modules)
    outputs = {} if inputs is None else _outputs(module, inputs, set(modules))
    before = dict(zip(list(outputs)[1:], outputs, strict=False))
    parameters: dict[int, Node] = {}
    taken = set(names.values())
    operators = []
    for path, each in modules.items():
        for key, tensor in _own(each).items():
            if id(tensor) not in parameters:
                parameter = unique_name(terminal_name(f"{path}.{key}" if path else key), taken)
                parameters[id(tensor)] = _with_type(Node(parameter, PARAMETER), tensor)
        reads = [parameters[id(tensor)].name for tensor in _own(each).values()]
        follows = [names[before[path]]] if path in before else []
        settings = {key: value for key, value in settings_of(each).items() if key != "training"}
        operator = Node(names[path], type(each).__name__, [*follows, *reads], attributes=settings)
        operators.append(_with_type(operator, outputs.get(path)))
    message = graph([*parameters.values(), *operators], name=name)
    _mark_order(message)
    return message


def _own(module: Any) -> dict[str, Any]:
    """Return the parameters that a module holds itself."""
    return {key: tensor for key, tensor in module._parameters.items() if tensor is not None}


def _node_names(modules: dict[str, Any]) -> dict[str, str]:
    """Return the name of each module's node; one that is a scope as well stands in it, called like its class."""
    taken: set[str] = set()
    names = {}
    for path, module in modules.items():
        scope, kind = path_of(path), type(module).__name__
        name = scope if scope and not module._modules else f"{scope}/{kind}".lstrip("/")
        names[path] = unique_name(name, taken)
    return names


def _outputs(module: Any, inputs: Inputs, wanted: set[str]) -> dict[str, Any]:
    """Return what the modules put out when they are first called, in the order in which they are, by their names."""
    mode = library("torch._subclasses.fake_tensor").FakeTensorMode(allow_non_fake_inputs=True)
    outputs: dict[str, Any] = {}
    try:
        twin = twin_of(module, mode.from_tensor)
        for path, each in twin.named_modules():
            if path in wanted:
                each.register_forward_pre_hook(lambda _module, _args, path=path: _called(outputs, path))
                each.register_forward_hook(lambda _module, _args, out, path=path: outputs.__setitem__(path, out))
        with mode, library().no_grad():
            args, kwargs = faked(inputs, mode)
            twin(*args, **kwargs)
    except Exception:  # Control flow that depends on data ends the run; what was called before it is known.
        return outputs
    return outputs


def _called(outputs: dict[str, Any], path: str) -> None:
    outputs.setdefault(path, None)


def _with_type(node: Node, tensor: Any) -> Node:
    if not isinstance(tensor, library().Tensor):
        return node
    is_known = not library("torch.nn.parameter").is_lazy(tensor)
    return node._replace(shape=shape_of(tensor) if is_known else None, dtype=dtype_name(tensor))


def _mark_order(message: GraphProto) -> None:
    """Make all edges those of control: what flows is not known. Readers know a module tree by that."""
    for node in message.node:
        for source in node.input:
            source.type = InputProto.CONTROL_EDGE
