"""The module tree, the graph of a module that cannot be traced: its submodules in the order of their calls."""

from typing import Any

from toposcope.proto.graph_pb2 import GraphProto, InputProto
from toposcope.recorder.frameworks.torch.graph.call_inputs import CallInputs, faked
from toposcope.recorder.frameworks.torch.modules import dtype_name, library, shape_of
from toposcope.recorder.frameworks.torch.names import path_of, terminal_name, unique_name
from toposcope.recorder.frameworks.torch.plain_settings import settings_of
from toposcope.recorder.frameworks.torch.shadow_module import shadow_of
from toposcope.recorder.messages.graph import PARAMETER, Node, graph


def module_tree(module: Any, inputs: CallInputs | None, name: str) -> GraphProto:
    """Return a graph with one node for each submodule that has parameters or no submodules.

    All edges are control edges, from each module to the next one that is called in a run of a shadow of the module on
    fake tensors, as far as that run succeeds. Without inputs there are only the edges from parameters.

    Args:
        module: a torch.nn.Module without wrappers.
        inputs: of the call; None if unknown.
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
        previous = [names[before[path]]] if path in before else []
        settings = {key: value for key, value in settings_of(each).items() if key != "training"}
        operator = Node(names[path], type(each).__name__, [*previous, *reads], attributes=settings)
        operators.append(_with_type(operator, outputs.get(path)))
    message = graph([*parameters.values(), *operators], name=name)
    _mark_order(message)
    return message


def _own(module: Any) -> dict[str, Any]:
    """Return the parameters of a module without those of its submodules."""
    return {key: tensor for key, tensor in module._parameters.items() if tensor is not None}


def _node_names(modules: dict[str, Any]) -> dict[str, str]:
    """Return the node name of each module; a module that is also a scope is in that scope, named like its class."""
    taken: set[str] = set()
    names = {}
    for path, module in modules.items():
        scope, kind = path_of(path), type(module).__name__
        name = scope if scope and not module._modules else f"{scope}/{kind}".lstrip("/")
        names[path] = unique_name(name, taken)
    return names


def _outputs(module: Any, inputs: CallInputs, paths: set[str]) -> dict[str, Any]:
    """Return the outputs of the first call of each module, by name, in the order of the calls."""
    mode = library("torch._subclasses.fake_tensor").FakeTensorMode(allow_non_fake_inputs=True)
    outputs: dict[str, Any] = {}
    try:
        shadow = shadow_of(module, mode.from_tensor)
        for path, each in shadow.named_modules():
            if path in paths:
                each.register_forward_pre_hook(lambda _module, _args, path=path: _called(outputs, path))
                each.register_forward_hook(lambda _module, _args, out, path=path: outputs.__setitem__(path, out))
        with mode, library().no_grad():
            args, kwargs = faked(inputs, mode)
            shadow(*args, **kwargs)
    except Exception:  # Control flow that depends on data ends the run; the calls before it are known.
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
    """Make all edges control edges, since the data flow is unknown; readers recognise a module tree by them."""
    for node in message.node:
        for source in node.input:
            source.type = InputProto.CONTROL_EDGE
