"""Plain data: settings and metrics of users, converted to None, numbers, strings, lists, tuples and dicts."""

from collections.abc import Mapping
from typing import TypeAlias

from toposcope.proto.wire import text_bytes
from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.recorder.values.arrays.foreign_values import short_repr

Plain: TypeAlias = "bool | int | float | str | list[Plain] | tuple[Plain, ...] | dict[str, Plain] | None"

_EXPECTED = "None, a str, a real number, an array or tensor of real numbers, or a list, tuple or dict of these"


def plain_from(what: str, value: object) -> Plain:
    """Return a copy of value in which arrays and tensors are numbers and nested lists.

    Tensors on a device are transferred once. Integer keys of dicts become strings.

    Args:
        what: name of the value in error messages, "metric 'f1'" for example.
        value: the value.

    Raises:
        TypeError: value is or contains another type of object.
        UnreadableValueError: the methods of an array or tensor raised an error.
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
        raise TypeError(f"{what} contains a dict with the key {short_repr(key)}; keys must be str or int.")
    return str(key.__index__())


def _numbers(what: str, value: object) -> Plain:
    try:
        array = array_from(value)
    except TypeError:
        array = None
    if array is None or array.is_complex:
        raise TypeError(f"{what} must be {_EXPECTED}, not {short_repr(value)}.")
    numbers: Plain = array.numbers().tolist()
    return numbers


def items_of(what: str, mapping: object) -> list[tuple[str, object]]:
    """Return the items of a mapping; TypeError if it is not a mapping or a key is not a str."""
    if not isinstance(mapping, Mapping):
        raise TypeError(f"{what} must be a dict, not {short_repr(mapping)}.")
    for name in mapping:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be a dict with keys of type str; {short_repr(name)} is not.")
    return list(mapping.items())


def utf8(text: str) -> str:
    """Return text with surrogates, which UTF-8 cannot encode, escaped."""
    return text_bytes(text).decode()
