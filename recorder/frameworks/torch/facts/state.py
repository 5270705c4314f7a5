"""The state of modules and optimizers: given and taken back."""

from collections.abc import Mapping
from typing import Any

from toposcope.recorder.adapters import is_tensor
from toposcope.recorder.checkpoints.torch_file import is_extra_state
from toposcope.recorder.framework import SEVERAL
from toposcope.recorder.frameworks.torch.modules import library
from toposcope.recorder.frameworks.torch.plain_settings import attribute


def load_state(module: Any, state: Mapping[str, Any]) -> None:
    """Give a module its parameters and buffers.

    Args:
        module: a torch.nn.Module without wrapper.
        state: by the names of state_dict(): tensors, or arrays.

    Raises:
        ValueError: one is missing, unexpected or of another shape; the module is as it was.
    """
    own = module.state_dict()
    if missing := [name for name in own if name not in state]:
        raise ValueError(f"The state lacks {_some(missing)} of {type(module).__name__}.")
    if unexpected := [name for name in state if name not in own]:
        raise ValueError(f"The state holds {_some(unexpected)}, which {type(module).__name__} has not.")
    tensors = {name: value if is_extra_state(name) else _tensor(value) for name, value in state.items()}
    for name, tensor in tensors.items():
        if is_tensor(own[name]) and not is_extra_state(name) and own[name].shape != attribute(tensor, "shape"):
            shapes = tuple(attribute(tensor, "shape") or ()), tuple(own[name].shape)
            raise ValueError(f"The state holds {name!r} of shape {shapes[0]}; that of the module is of {shapes[1]}.")
    module.load_state_dict(tensors)


def optimizer_state_of(optimizer: Any) -> dict[str, Any] | None:
    """Return the state_dict() of an optimizer, of a tuple of them {"several_optimizers": [state_dict(), ...]}.

    None when one has none, or cannot tell it.
    """
    try:
        if isinstance(optimizer, tuple):
            return {SEVERAL: [dict(each.state_dict()) for each in optimizer]}
        return dict(optimizer.state_dict())
    except Exception:
        return None


def load_optimizer_state_of(optimizer: Any, state: Mapping[str, Any]) -> None:
    """Give an optimizer, or a tuple of them, what optimizer_state_of() has returned of such ones.

    Raises:
        ValueError: the state is of another number of optimizers, of other parameters, or of no optimizer of PyTorch.
    """
    if isinstance(optimizer, tuple):
        states = state.get(SEVERAL, [state])
        if len(states) != len(optimizer):
            raise ValueError(f"The state is of {len(states)} optimizers, and {len(optimizer)} are to take it.")
        for each, of_each in zip(optimizer, states, strict=True):
            load_optimizer_state_of(each, of_each)
        return
    try:
        optimizer.load_state_dict(dict(state))
    except KeyError as error:
        raise ValueError(f"The state is of no {type(optimizer).__name__}: it lacks {error}.") from error


def _tensor(value: Any) -> Any:
    return library().as_tensor(value) if hasattr(value, "__array__") and not is_tensor(value) else value


def _some(names: list[str]) -> str:
    return ", ".join(map(repr, names[:3])) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
