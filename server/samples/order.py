"""Which samples a reply lists: those that contain a text, sorted by a column."""

from typing import Any

from toposcope.server.budget.cancellation import check
from toposcope.server.samples.cells import is_number, text_of
from toposcope.server.samples.samples import Samples

_CHECK_ROWS = 1 << 10


def found_rows(samples: Samples, search: str) -> list[int]:
    """Return the numbers of the rows of which a cell contains a text, whatever its case."""
    wanted = search.casefold()
    found = []
    for number, row in enumerate(samples.rows):
        if number % _CHECK_ROWS == 0:
            check()
        if any(wanted in text_of(value).casefold() for value in row):
            found.append(number)
    return found


def sorted_rows(samples: Samples, rows: list[int], column: str, is_descending: bool) -> list[int]:
    """Return rows sorted by a column: numbers, then texts, in either direction; empty cells last."""
    if column not in samples.columns:
        return rows
    place = samples.columns.index(column)
    numbers, texts, empty = list[int](), list[int](), list[int]()
    for row in rows:
        value = samples.rows[row][place]
        (numbers if is_number(value) or isinstance(value, bool) else empty if value is None else texts).append(row)

    def value_of(row: int) -> Any:
        return samples.rows[row][place]

    numbers.sort(key=value_of, reverse=is_descending)
    texts.sort(key=lambda row: text_of(value_of(row)).casefold(), reverse=is_descending)
    return numbers + texts + empty
