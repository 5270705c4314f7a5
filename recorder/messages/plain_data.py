"""Plain data: what users pass as settings or metrics, as None, numbers, strings, lists, tuples and dicts of Python."""

from collections.abc import Mapping
from typing import TypeAlias

from toposcope.proto.wire import text_bytes
from toposcope.recorder.values.arrays import array_from
from toposcope.recorder.values.foreign import shown

Plain: TypeAlias = "bool | int | float | str | list[Plain] | tuple[Plain, ...] | dict[str, Plain] | None"

_WANTED = "None, a str, a real number, an array or tensor of real numbers, or a list, tuple or dict of these"


def plain_from(what: str, value: object) -> Plain:
    """Return value with the arrays and tensors in it as numbers and nested lists, moved off their device once.

    Lists, tuples and dicts are copied; integers that are keys of a dict become strings.

    Args:
        what: how an error calls the value, "metric 'f1'" say.
        value: the value.

    Raises:
        TypeError: value is or holds another kind of object.
        UnreadableValueError: the methods of an array or tensor raised.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {_key(what, key): plain_from(what, item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(plain_from(what, item) for item in value)
    if isinstance(value, list):
        return [plain_from(what, item) for item in value]
    return _numbers(what, value)


def _key(what: str, key: object) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, bool) or not hasattr(key, "__index__"):
        raise TypeError(f"{what} holds a dict with the key {shown(key)}; keys are str or int.")
    return str(key.__index__())


def _numbers(what: str, value: object) -> Plain:
    try:
        array = array_from(value)
    except TypeError:
        array = None
    if array is None or array.is_complex:
        raise TypeError(f"{what} is {_WANTED}, not {shown(value)}.")
    numbers: Plain = array.numbers().tolist()
    return numbers


def items_of(what: str, mapping: object) -> list[tuple[str, object]]:
    """Return the items of a mapping; TypeError when it is none, or when its keys are not all of type str."""
    if not isinstance(mapping, Mapping):
        raise TypeError(f"{what} is a dict, not {shown(mapping)}.")
    for name in mapping:
        if not isinstance(name, str):
            raise TypeError(f"{what} is a dict with keys of type str; {shown(name)} is none.")
    return list(mapping.items())


def utf8(text: str) -> str:
    """Return text with what has no UTF-8 in it spelled out."""
    return text_bytes(text).decode()
