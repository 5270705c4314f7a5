"""Names of the arrays in nested mappings, lists, tuples and dataclasses: their keys, joined by slashes."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

_DEEPEST = 32


def named_arrays(nested: Any) -> dict[str, Any]:
    """Return the arrays and tensors in a nested structure by name, such as "layers/0/kernel"; no other objects.

    An iterator of pairs, as named_parameters() of PyTorch returns it, counts as a mapping, another iterator as a list.
    """
    return dict(_arrays((), nested, 0))


def _arrays(path: tuple[str, ...], value: Any, depth: int) -> Iterator[tuple[str, Any]]:
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        yield "/".join(path) or "parameters", value
    elif depth < _DEEPEST:
        for key, item in _items(value):
            yield from _arrays((*path, str(key)), item, depth + 1)


def _items(value: Any) -> Iterable[tuple[object, Any]]:
    """Return the keys and items of a container; none of another object."""
    if isinstance(value, Mapping):
        return value.items()
    if is_dataclass(value) and not isinstance(value, type):
        return [(field.name, getattr(value, field.name, None)) for field in fields(value)]
    if isinstance(value, Iterator):
        items: list[Any] = list(value)
        are_pairs = all(isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str) for item in items)
        return items if are_pairs else enumerate(items)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [(name, getattr(value, name)) for name in value._fields]
    return enumerate(value) if isinstance(value, list | tuple) else ()
