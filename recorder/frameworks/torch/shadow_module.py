"""Shadow modules: copies of a module that share its tensors, so that a trial run does not change the original."""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
_CONTAINERS = (list, dict, set, deque, OrderedDict, defaultdict)


def shadow_of(module: Any, tensor_of: Callable[[Any], Any] = lambda tensor: tensor) -> Any:
    """Return a copy of a module and of all its submodules.

    Attributes of the copy, and the lists, dicts and sets among them, may be changed. A submodule that is registered in
    several places is copied once. Hooks of the user are left out, since they would observe the trial run; the hooks
    with which PyTorch itself computes weights are kept.

    Args:
        module: a torch.nn.Module.
        tensor_of: returns the copy's tensor for each parameter and buffer; called once for each. By default the tensor
            itself.
    """
    modules: dict[int, Any] = {}
    tensors: dict[int, Any] = {}

    def tensor_shadow(tensor: Any) -> Any:
        if tensor is not None and id(tensor) not in tensors:
            tensors[id(tensor)] = tensor_of(tensor)
        return tensors.get(id(tensor))

    def module_shadow(original: Any) -> Any:
        if original is None or id(original) in modules:
            return modules.get(id(original))
        shadow = modules[id(original)] = object.__new__(type(original))
        state = {name: value.copy() if type(value) in _CONTAINERS else value for name, value in vars(original).items()}
        state["_modules"] = {name: module_shadow(child) for name, child in original._modules.items()}
        for kind in ("_parameters", "_buffers"):
            state[kind] = {name: tensor_shadow(tensor) for name, tensor in state[kind].items()}
        state |= {kind: _hooks_of_torch(state[kind]) for kind in _HOOKS}
        vars(shadow).update(state)
        return shadow

    return module_shadow(module)


def _hooks_of_torch(hooks: Any) -> Any:
    kept = {key: hook for key, hook in hooks.items() if type(hook).__module__.startswith("torch.nn.utils.")}
    return type(hooks)(kept)
