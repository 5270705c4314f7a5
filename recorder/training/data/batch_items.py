"""Items of a batch by key: indices, names, attributes and functions, as Composer's callbacks select them."""

from collections.abc import Mapping
from typing import Any


def item_of(batch: Any, key: Any) -> Any:
    """Return an item of a batch.

    Args:
        batch: a sequence, a mapping, an array, or an object with attributes.
        key: an index or a name; a list or tuple of them, for a tuple of items; a function of the batch; or a pair of
            functions, of which the first returns the item.

    Raises:
        KeyError, IndexError, AttributeError: the batch has no such item.
    """
    if _are_functions(key):
        return key[0](batch)
    if callable(key):
        return key(batch)
    try:
        return batch[key]
    except (TypeError, IndexError):
        if isinstance(key, list | tuple):
            return tuple(item_of(batch, each) for each in key)
        if isinstance(key, str) and not isinstance(batch, Mapping):
            return getattr(batch, key)
        raise


def with_item(batch: Any, key: Any, value: Any) -> Any:
    """Return the batch with an existing item replaced: the same object, or another one if it is a tuple.

    Args:
        batch: as for item_of().
        key: as for item_of(); a function, the second one of a pair, receives batch and value and returns the batch.
        value: the new item; a sequence of items if key is a list or tuple.

    Raises:
        KeyError, IndexError, AttributeError: the batch has no such item.
        ValueError: several keys, and another number of values.
    """
    if _are_functions(key):
        return key[1](batch, value)
    if callable(key):
        return key(batch, value)
    if isinstance(key, list | tuple) and not hasattr(batch, "shape"):  # An array has items with several indices.
        for each, item in zip(key, value, strict=True):
            batch = with_item(batch, each, item)
        return batch
    item_of(batch, key)  # Raises if there is none: nothing is added.
    if isinstance(batch, tuple):
        return _replaced(batch, key, value)
    if hasattr(batch, "__setitem__"):
        batch[key] = value
    else:
        setattr(batch, key, value)
    return batch


def _replaced(batch: tuple[Any, ...], key: Any, value: Any) -> Any:
    if isinstance(key, str):
        return batch._replace(**{key: value})  # type: ignore[attr-defined]
    items = list(batch)
    items[key] = value
    return type(batch)(*items) if hasattr(batch, "_fields") else tuple(items)


def _are_functions(key: Any) -> bool:
    return isinstance(key, list | tuple) and len(key) == 2 and all(map(callable, key))
