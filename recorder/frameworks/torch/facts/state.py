"""The states of modules and optimizers, read and loaded."""

from collections.abc import Mapping
from typing import Any

from toposcope.recorder.adapters import is_tensor
from toposcope.recorder.checkpoints.formats.torch_file import is_extra_state
from toposcope.recorder.framework import SEVERAL_OPTIMIZERS
from toposcope.recorder.frameworks.torch.modules import library
from toposcope.recorder.frameworks.torch.plain_settings import attribute


def load_state(module: Any, state: Mapping[str, Any]) -> None:
    """Load parameters and buffers into a module.

    Args:
        module: a torch.nn.Module without wrappers.
        state: tensors or arrays by the names of state_dict().

    Raises:
        ValueError: an entry is missing, unexpected or of another shape; the module is unchanged.
    """
    current = module.state_dict()
    if missing := [name for name in current if name not in state]:
        raise ValueError(f"The state lacks {_some(missing)} of {type(module).__name__}.")
    if unexpected := [name for name in state if name not in current]:
        raise ValueError(f"The state contains {_some(unexpected)}, which {type(module).__name__} does not have.")
    tensors = {name: value if is_extra_state(name) else _tensor(value) for name, value in state.items()}
    for name, tensor in tensors.items():
        if is_tensor(current[name]) and not is_extra_state(name) and current[name].shape != attribute(tensor, "shape"):
            shapes = tuple(attribute(tensor, "shape") or ()), tuple(current[name].shape)
            raise ValueError(f"{name!r} has the shape {shapes[0]} in the state and {shapes[1]} in the module.")
    module.load_state_dict(tensors)


def optimizer_state_of(optimizer: Any) -> dict[str, Any] | None:
    """Return the state_dict() of an optimizer; {"several_optimizers": [state_dict(), ...]} for a tuple of them.

    None if an optimizer has no such method, or it raises.
    """
    try:
        if isinstance(optimizer, tuple):
            return {SEVERAL_OPTIMIZERS: [dict(each.state_dict()) for each in optimizer]}
        return dict(optimizer.state_dict())
    except Exception:
        return None


def load_optimizer_state_of(optimizer: Any, state: Mapping[str, Any]) -> None:
    """Load the result of optimizer_state_of() into an optimizer or a tuple of them.

    Raises:
        ValueError: the state is of another number of optimizers, of other parameters, or not of a PyTorch optimizer.
    """
    if isinstance(optimizer, tuple):
        states = state.get(SEVERAL_OPTIMIZERS, [state])
        if len(states) != len(optimizer):
            raise ValueError(f"The state of {len(states)} optimizers cannot be loaded into {len(optimizer)}.")
        for each, of_each in zip(optimizer, states, strict=True):
            load_optimizer_state_of(each, of_each)
        return
    try:
        optimizer.load_state_dict(dict(state))
    except KeyError as error:
        raise ValueError(f"The state is not that of a {type(optimizer).__name__}: it lacks {error}.") from error


def _tensor(value: Any) -> Any:
    return library().as_tensor(value) if hasattr(value, "__array__") and not is_tensor(value) else value


def _some(names: list[str]) -> str:
    return ", ".join(map(repr, names[:3])) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
