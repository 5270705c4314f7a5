"""distinct_names(): the columns of tables by names of which each occurs once, as samples need them."""

from collections.abc import Iterable
from typing import Any


def distinct_names(columns: Iterable[Any]) -> list[str]:
    """Return the columns as texts; a name that occurred before gets the number of the column, "a (2)"."""
    names: dict[str, None] = {}
    for number, column in enumerate(map(str, columns), 1):
        name = column
        while name in names:
            name = f"{name} ({number})"
        names[name] = None
    return list(names)
