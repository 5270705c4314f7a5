"""States of schedulers and data loaders as JSON: also dicts with keys of any type, tuples, bytes and arrays."""

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from toposcope.recorder.imported import imported

_PAIRS, _TUPLE, _BYTES, _ARRAY, _TENSOR = "pairs", "tuple", "bytes", "array", "tensor"


def state_text(state: Any) -> str:
    """Return a state as JSON; TypeError or ValueError if it contains other objects, such as those of a user."""
    return json.dumps(_plain(state))


def state_of(text: str) -> Any:
    """Return the state whose JSON is given."""
    return json.loads(text, object_hook=_restored)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {_PAIRS: [[_plain(key), _plain(item)] for key, item in value.items()]}
    if isinstance(value, tuple):
        return {_TUPLE: [_plain(item) for item in value]}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return {_BYTES: base64.b64encode(value).decode()}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            raise TypeError(f"an array of dtype {value.dtype} cannot be saved")
        return {_ARRAY: [value.dtype.str, list(value.shape), base64.b64encode(value.tobytes()).decode()]}
    if (torch := imported("torch")) is not None and isinstance(value, torch.Tensor):
        return {_TENSOR: _plain(value.detach().cpu().numpy())}
    return value


def _restored(item: dict[str, Any]) -> Any:
    ((kind, value),) = item.items()
    match kind:
        case "pairs":
            return dict(value)
        case "tuple":
            return tuple(value)
        case "bytes":
            return base64.b64decode(value)
        case "array":
            dtype, shape, data = value
            return np.frombuffer(base64.b64decode(data), dtype).reshape(shape).copy()
        case _:
            return imported("torch").from_numpy(value)
