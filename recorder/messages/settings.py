"""Settings: the nested settings of a training as plain values by name, for custom lineage, without secrets."""

import json
import math
import os
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from toposcope.recorder.secrets.hiding import hide_secrets
from toposcope.recorder.secrets.secret_names import names_secret

_INT64 = range(-(2**63), 2**63)
_LONGEST_TEXT = 1000
_MAX_ELEMENTS = 1000
_MAX_NAMES = 100
_DEEPEST = 6


def plain_settings(settings: Mapping[Any, Any], prefix: str = "") -> dict[str, str | int | float]:
    """Return settings by name; the names of nested mappings are joined by "/".

    Settings whose names indicate a secret, and those that are None or empty, are left out. Lists, and mappings that are
    not settings by name, such as the labels of a classifier, become texts of JSON; other objects become their text.
    Numbers of NumPy, and arrays and tensors of one element, become numbers of Python; larger ones are lists.
    Secrets in texts are hidden. Texts are cut after 1000 characters.

    Args:
        settings: by name: the fields of a dataclass, the options of a command line, ...
        prefix: for all names, "training" for example.
    """
    return dict(_named(settings, f"{prefix}/" if prefix else "", 0))


def _named(settings: Mapping[Any, Any], prefix: str, depth: int) -> Iterator[tuple[str, str | int | float]]:
    for key, value in settings.items():
        name = f"{key.value if isinstance(key, Enum) else key}"
        if not name or names_secret(name):
            continue
        if isinstance(value, Mapping) and _is_nested(value) and depth < _DEEPEST:
            yield from _named(value, f"{prefix}{name}/", depth + 1)
        elif (plain := plain_value(value)) is not None:
            yield prefix + name, plain


def _is_nested(settings: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is one of settings by name."""
    return len(settings) <= _MAX_NAMES and all(isinstance(key, str | Enum) for key in settings)


def plain_value(value: Any, longest: int = _LONGEST_TEXT) -> str | int | float | None:
    """Return a setting as a plain value; None if there is nothing to record.

    Args:
        value: anything.
        longest: number of characters after which a text is cut.
    """
    if isinstance(value, Enum):
        value = value.value
    if hasattr(value, "shape"):
        value = _python_value(value)
    if isinstance(value, set | frozenset):
        value = sorted(value, key=_text)
    if value is None or (isinstance(value, str | list | tuple | Mapping) and not value):
        return None
    if isinstance(value, bool | float) or (isinstance(value, int) and value in _INT64):
        return value
    if isinstance(value, str | os.PathLike):
        text = str(value)
    elif isinstance(value, list | tuple | Mapping):
        text = _json(value)
    else:
        text = _text(value)
    return hide_secrets(text[:longest])


def _python_value(value: Any) -> Any:
    """Return an array, a tensor or a number of NumPy as numbers of Python, unless it is large or cannot be read."""
    try:
        size = math.prod(value.shape)
        return value.item() if size == 1 else value.tolist() if size <= _MAX_ELEMENTS else value
    except Exception:  # An object of the user, or a tensor on a device that is lost.
        return value


def _json(value: Any) -> str:
    try:
        return json.dumps(value, default=_json_value)
    except (TypeError, ValueError, RecursionError):  # Keys of other types, a value that contains itself.
        return _text(value)


def _json_value(value: Any) -> Any:
    """Return what JSON contains in the place of a value that it does not know."""
    found = _python_value(value) if hasattr(value, "shape") else value
    return _text(value) if found is value else found


def _text(value: Any) -> str:
    try:
        return str(value)
    except Exception:  # The user's code.
        return f"<{type(value).__name__}>"
