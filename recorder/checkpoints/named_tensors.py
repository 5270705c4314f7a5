"""Checkpoints as named tensors and a text, for the files that hold nothing else."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from toposcope.recorder.checkpoints.checkpoint import Checkpoint, library_of
from toposcope.recorder.values.foreign import shown

_SCALARS = (str, bool, int, float, type(None))


class NamedTensors(NamedTuple):
    """A checkpoint without nesting."""

    tensors: dict[str, Any]
    """Those of the network by their own names, and those of the optimizer by names made up here."""
    text: str
    """JSON: the network's names in order, the appended values, the optimizer's state with the names of its tensors.

    What of the network is no tensor, as a module's extra state may be, is there too, in the same form.
    """


def named_from(checkpoint: Checkpoint) -> NamedTensors:
    """Take a checkpoint apart.

    Raises:
        TypeError: the optimizer's state has something that is neither number nor tensor.
        ValueError: the network's state has, and which of its entries.
    """
    kept_apart = np.ndarray if library_of(checkpoint) else ()  # Else it would come back as a tensor.
    tensors = {
        name: value
        for name, value in checkpoint.network.items()
        if _is_tensor(value) and not isinstance(value, kept_apart)
    }
    prefix = "optimizer."
    while any(name.startswith(prefix) for name in checkpoint.network):
        prefix = f"_{prefix}"
    optimizer = None if checkpoint.optimizer is None else _encoded(checkpoint.optimizer, prefix, tensors)
    content = {"network": list(checkpoint.network), "optimizer": optimizer, "appended": checkpoint.appended}
    others = {name: value for name, value in checkpoint.network.items() if name not in tensors}
    if others:
        content["others"] = {name: _encoded_other(name, value, tensors) for name, value in others.items()}
    return NamedTensors(tensors, json.dumps(content))


def checkpoint_from(tensors: Mapping[str, Any], text: str | None) -> Checkpoint:
    """Put a checkpoint together; without text, as in a file of others, all tensors are the network's."""
    if text is None:
        return Checkpoint(dict(tensors), None, {})
    content = json.loads(text)
    optimizer = None if content["optimizer"] is None else _decoded(content["optimizer"], tensors)
    others = {name: _decoded(node, tensors) for name, node in content.get("others", {}).items()}
    network = {name: others[name] if name in others else tensors[name] for name in content["network"]}
    return Checkpoint(network, optimizer, content["appended"])


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "shape") and hasattr(value, "dtype")


def _encoded_other(name: str, value: Any, tensors: dict[str, Any]) -> dict[str, Any]:
    try:
        return _encoded(value, name, tensors)
    except TypeError as error:
        raise ValueError(
            f"{name!r} of the network is neither tensor, number, text nor a dict or list of them, which such a file "
            f"cannot hold; one of format='ckpt' can: {error}"
        ) from None


def _encoded(value: Any, name: str, tensors: dict[str, Any]) -> dict[str, Any]:
    """Return JSON of a state, whose tensors are named and added."""
    match value:
        case Mapping():
            return {"dict": [[_key(key), _encoded(item, f"{name}.{key}", tensors)] for key, item in value.items()]}
        case list() | tuple():
            items = [_encoded(item, f"{name}.{index}", tensors) for index, item in enumerate(value)]
            return {"tuple" if isinstance(value, tuple) else "list": items}
    if isinstance(value, _SCALARS):
        return {"value": value}
    if not _is_tensor(value):
        raise TypeError(f"A state holds tensors, numbers and texts; {shown(value)} cannot be saved.")
    name = name.replace("..", ".")
    while name in tensors:  # Keys 1 and "1".
        name += "_"
    tensors[name] = value
    return {"array" if isinstance(value, np.ndarray) else "tensor": name}


def _key(key: Any) -> str | int | float | bool | None:
    if isinstance(key, _SCALARS):
        return key
    raise TypeError(f"A state has texts and numbers as keys; {shown(key)} cannot be saved.")


def _decoded(node: Mapping[str, Any], tensors: Mapping[str, Any]) -> Any:
    """Return the state, whose tensors are among tensors."""
    ((kind, content),) = node.items()
    match kind:
        case "dict":
            return {key: _decoded(item, tensors) for key, item in content}
        case "list" | "tuple":
            items = [_decoded(item, tensors) for item in content]
            return tuple(items) if kind == "tuple" else items
        case "tensor":
            return tensors[content]
        case "array":
            return np.asarray(tensors[content])
        case _:
            return content
