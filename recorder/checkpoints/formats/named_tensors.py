"""Converts checkpoints to named tensors and a text, for file formats that support nothing else."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from toposcope.recorder.checkpoints.checkpoint import Checkpoint, library_of
from toposcope.recorder.values.arrays.foreign_values import short_repr

_SCALARS = (str, bool, int, float, type(None))


class NamedTensors(NamedTuple):
    """A flat checkpoint."""

    tensors: dict[str, Any]
    """Tensors of the network under their names, and of the optimizer under generated names."""
    text: str
    """JSON: the network's names in order, appended values, step, the optimizer's state with the names of its tensors.

    Also contains entries of the network that are not tensors, such as the extra state of a module, in the same form.
    """


def named_from(checkpoint: Checkpoint) -> NamedTensors:
    """Return a checkpoint as named tensors and a text.

    Raises:
        TypeError: the state of the optimizer contains an object that is not a tensor, number or text.
        ValueError: the state of the network does; the message names the entry.
    """
    non_tensors = np.ndarray if library_of(checkpoint) else ()  # An array would be loaded as a tensor.
    tensors = {
        name: value
        for name, value in checkpoint.network.items()
        if _is_tensor(value) and not isinstance(value, non_tensors)
    }
    prefix = "optimizer."
    while any(name.startswith(prefix) for name in checkpoint.network):
        prefix = f"_{prefix}"
    optimizer = None if checkpoint.optimizer is None else _encode(checkpoint.optimizer, prefix, tensors)
    content = {
        "network": list(checkpoint.network),
        "optimizer": optimizer,
        "appended": checkpoint.appended,
        "step": checkpoint.step,
    }
    remaining = {name: value for name, value in checkpoint.network.items() if name not in tensors}
    if remaining:
        content["others"] = {name: _encode_non_tensor(name, value, tensors) for name, value in remaining.items()}
    return NamedTensors(tensors, json.dumps(content))


def checkpoint_from(tensors: Mapping[str, Any], text: str | None) -> Checkpoint:
    """Return the checkpoint; without a text, in a file not written by us, all tensors belong to the network."""
    if text is None:
        return Checkpoint(dict(tensors), None, {})
    content = json.loads(text)
    optimizer = None if content["optimizer"] is None else _decode(content["optimizer"], tensors)
    decoded = {name: _decode(node, tensors) for name, node in content.get("others", {}).items()}
    network = {name: decoded[name] if name in decoded else tensors[name] for name in content["network"]}
    return Checkpoint(network, optimizer, content["appended"], content["step"])


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "shape") and hasattr(value, "dtype")


def _encode_non_tensor(name: str, value: Any, tensors: dict[str, Any]) -> dict[str, Any]:
    try:
        return _encode(value, name, tensors)
    except TypeError as error:
        raise ValueError(
            f"{name!r} of the network is not a tensor, number or text, nor a dict or list of these, which this format "
            f"does not support; format='ckpt' does: {error}"
        ) from None


def _encode(value: Any, name: str, tensors: dict[str, Any]) -> dict[str, Any]:
    """Return a state as JSON; its tensors are added to tensors, under generated names."""
    match value:
        case Mapping():
            return {"dict": [[_key(key), _encode(item, f"{name}.{key}", tensors)] for key, item in value.items()]}
        case list() | tuple():
            items = [_encode(item, f"{name}.{index}", tensors) for index, item in enumerate(value)]
            return {"tuple" if isinstance(value, tuple) else "list": items}
    if isinstance(value, _SCALARS):
        return {"value": value}
    if not _is_tensor(value):
        raise TypeError(f"A state may contain tensors, numbers and texts; {short_repr(value)} cannot be saved.")
    name = name.replace("..", ".")
    while name in tensors:  # Keys 1 and "1" result in the same name.
        name += "_"
    tensors[name] = value
    return {"array" if isinstance(value, np.ndarray) else "tensor": name}


def _key(key: Any) -> str | int | float | bool | None:
    if isinstance(key, _SCALARS):
        return key
    raise TypeError(f"Keys of a state must be texts or numbers; {short_repr(key)} cannot be saved.")


def _decode(node: Mapping[str, Any], tensors: Mapping[str, Any]) -> Any:
    """Return the state encoded as node; tensors contains its tensors by name."""
    ((kind, content),) = node.items()
    match kind:
        case "dict":
            return {key: _decode(item, tensors) for key, item in content}
        case "list" | "tuple":
            items = [_decode(item, tensors) for item in content]
            return tuple(items) if kind == "tuple" else items
        case "tensor":
            return tensors[content]
        case "array":
            return np.asarray(tensors[content])
        case _:
            return content
