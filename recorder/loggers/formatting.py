"""Formatting: logged values as plain data, as one line of text, and as settings. No value makes a function raise."""

import json
import math
import os
from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from toposcope.recorder.messages.plain_data import Plain
from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError, short_repr

Setting: TypeAlias = str | int | float | bool

_MAX_NUMBERS = 1000
_INT64 = range(-(2**63), 2**63)


def plain(value: object) -> Plain:
    """Return value with its arrays as numbers and nested lists, and other objects as text.

    Objects without __str__() and __repr__() are represented by the name of their class, classes and functions by their
    name; arrays of more than 1000 numbers are abbreviated.
    """
    try:
        return _plain(value)
    except RecursionError:
        return short_repr(value)


def line(value: object) -> str:
    """Return value on one line; floats with six significant digits."""
    content = plain(value)
    if isinstance(content, float):
        return f"{content:.6g}"
    text = json_text(content) if isinstance(content, list | dict) else str(content)
    return " ".join(text.splitlines())


def settings(values: Mapping[str, object]) -> dict[str, Setting]:
    """Return a nested dict as a flat dict of settings: {"optimizer": {"lr": 0.1}} as {"optimizer/lr": 0.1}.

    Lists become JSON text, integers of more than 64 bits text, and None becomes "None".
    """
    content = plain(values)
    return dict(_flat("", content)) if isinstance(content, dict) else {}


def json_text(content: Plain) -> str:
    """Return plain data as JSON, with non-finite numbers as null."""
    return json.dumps(_finite(content), ensure_ascii=False)


def _plain(value: object) -> Plain:
    if isinstance(value, Enum):
        return _plain(value.value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(_plain(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    return _numbers_or_name(value)


def _numbers_or_name(value: object) -> Plain:
    try:
        array = array_from(value)
    except (TypeError, UnreadableValueError):
        return _name(value)
    if array.is_complex or array.values.size > _MAX_NUMBERS:
        return short_repr(value)
    numbers: Plain = array.numbers().tolist()
    return numbers


def _name(value: object) -> str:
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    if name := getattr(value, "__qualname__", None):
        return str(name)
    kind = type(value)
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        return kind.__name__
    try:
        return str(value)
    except Exception:  # The object's method may raise anything.
        return kind.__name__


def _flat(path: str, content: Plain) -> list[tuple[str, Setting]]:
    if isinstance(content, dict) and content:
        return [pair for name, item in content.items() for pair in _flat(f"{path}/{name}" if path else name, item)]
    if isinstance(content, list | tuple | dict):
        return [(path, json_text(content))] if path else []
    if content is None or (isinstance(content, int) and content not in _INT64):
        return [(path, str(content))]
    return [(path, content)]


def _finite(content: Plain) -> Plain:
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, dict):
        return {name: _finite(item) for name, item in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(item) for item in content]
    return content
