"""Nested objects of JSON, whose values have names joined by "/"."""

from collections.abc import Iterator
from typing import Any

_DEEPEST = 32


def leaves(content: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values in nested objects by their names; an object with a "_type" is a value."""
    for name, value in content.items():
        if isinstance(value, dict) and "_type" not in value:
            if prefix.count("/") < _DEEPEST:
                yield from leaves(value, f"{prefix}{name}/")
        else:
            yield f"{prefix}{name}", value


def flat(settings: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return hyperparameters by their names; lists, empty objects and those that are too deep are values."""
    row: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, dict) and value and prefix.count("/") < _DEEPEST:
            row |= flat(value, f"{prefix}{name}/")
        else:
            row[f"{prefix}{name}"] = value
    return row
