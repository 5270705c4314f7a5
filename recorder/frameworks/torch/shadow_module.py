"""The twin of a module: other objects with the same tensors, so that a trial run changes nothing of the original."""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
_CONTAINERS = (list, dict, set, deque, OrderedDict, defaultdict)


def twin_of(module: Any, tensor_of: Callable[[Any], Any] = lambda tensor: tensor) -> Any:
    """Return a module like *module* down to the last submodule, of objects of its own.

    Attributes and the lists, dicts and sets in them may be changed in the twin, and submodules that stand in several
    places still do. Hooks of the user are left out, since they would see the trial run; those with which PyTorch itself
    computes weights stay.

    Args:
        module: a torch.nn.Module.
        tensor_of: what takes the place of each parameter and buffer, called once for each.
    """
    modules: dict[int, Any] = {}
    tensors: dict[int, Any] = {}

    def tensor_twin(tensor: Any) -> Any:
        if tensor is not None and id(tensor) not in tensors:
            tensors[id(tensor)] = tensor_of(tensor)
        return tensors.get(id(tensor))

    def module_twin(original: Any) -> Any:
        if original is None or id(original) in modules:
            return modules.get(id(original))
        twin = modules[id(original)] = object.__new__(type(original))
        state = {name: value.copy() if type(value) in _CONTAINERS else value for name, value in vars(original).items()}
        state["_modules"] = {name: module_twin(child) for name, child in original._modules.items()}
        for kind in ("_parameters", "_buffers"):
            state[kind] = {name: tensor_twin(tensor) for name, tensor in state[kind].items()}
        state |= {kind: _hooks_of_torch(state[kind]) for kind in _HOOKS}
        vars(twin).update(state)
        return twin

    return module_twin(module)


def _hooks_of_torch(hooks: Any) -> Any:
    kept = {key: hook for key, hook in hooks.items() if type(hook).__module__.startswith("torch.nn.utils.")}
    return type(hooks)(kept)
