"""Settings of objects of other libraries: their attributes that are plain values. No function here raises."""

import inspect
import os
from collections.abc import Mapping
from enum import Enum
from functools import partial
from typing import Any

from toposcope.recorder.adapters import is_tensor

_MAX_SETTINGS, _LONGEST_TEXT, _LONGEST_LIST = 32, 200, 16
_INT64 = range(-(2**63), 2**63)


def attribute(thing: object, name: str) -> Any:
    """Return an attribute; None if there is none or reading it raises."""
    try:
        return getattr(thing, name, None)
    except Exception:
        return None


def length_of(thing: Any) -> int | None:
    """Return the length of an object; None if it has none."""
    try:
        return len(thing)
    except Exception:
        return None


def settings_of(thing: object) -> dict[str, object]:
    """Return the public attributes that are numbers, short texts, or short lists of these."""
    try:
        attributes = [(name, value) for name, value in vars(thing).items() if isinstance(name, str)]
    except Exception:
        return {}
    return _plain({name: value for name, value in attributes if not name.startswith("_")})


def constructor_settings(thing: object) -> dict[str, object]:
    """Return the plain attributes that are named like parameters of the constructor, which do not change in use."""
    try:
        names = list(inspect.signature(type(thing)).parameters)
    except Exception:
        return {}
    return _plain({name: attribute(thing, name) for name in names})


def name_of(thing: object) -> str:
    """Return the name of a function, or of the class of another object."""
    while isinstance(thing, partial):
        thing = thing.func
    name = attribute(thing, "__name__")
    return name if type(name) is str and name else type(thing).__name__


def plain_setting(value: Any) -> object:
    """Return a setting as plain data; None if that is impossible."""
    if type(value) in (bool, float) or (type(value) is int and value in _INT64):
        return value
    if type(value) is str:
        return value if len(value) <= _LONGEST_TEXT else None
    if isinstance(value, Enum):
        return str.__str__(value.name)
    if isinstance(value, os.PathLike):
        return plain_setting(_path(value))
    if isinstance(value, list | tuple | set | frozenset):
        return _plain_list(value)
    return str(value).removeprefix("torch.") if type(value).__module__ == "torch" and _is_named(value) else None


def _plain(settings: Mapping[str, object]) -> dict[str, object]:
    plain = {name: plain_setting(value) for name, value in settings.items()}
    return dict([(name, value) for name, value in plain.items() if value is not None][:_MAX_SETTINGS])


def _plain_list(values: Any) -> list[object] | None:
    try:
        items = list(values) if len(values) <= _LONGEST_LIST else [None]
    except Exception:
        return None
    plain = [plain_setting(item) for item in items]
    return None if any(item is None for item in plain) else plain


def _path(path: os.PathLike[Any]) -> str | None:
    try:
        return os.fsdecode(path)
    except Exception:
        return None


def _is_named(value: object) -> bool:
    return not is_tensor(value) and type(value).__name__ in ("dtype", "device", "memory_format", "layout")
