"""A column of metadata as what points are coloured by: numbers, or numbered categories."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.budget.cancellation import check

MAX_CATEGORIES = 1000
FEW = 24
"""Different values that have a colour of their own."""
_CHECK = 1 << 16
_DIGITS = re.compile(r"([0-9]{1,300})")


class Numbers(NamedTuple):
    """A column of numbers."""

    values: npt.NDArray[np.float32]
    """NaN where there is none."""


class Categories(NamedTuple):
    """A column of texts, or of the numbers of classes."""

    names: list[str]
    """Few ones in their own order; of many, the most frequent ones first, at most MAX_CATEGORIES."""
    counts: list[int]
    """How often each occurs."""
    codes: npt.NDArray[np.int32]
    """The number of the category of each row; -1 for an empty text and for those that are left out."""
    distinct: int
    """How many texts there are."""


def as_column(texts: Sequence[str]) -> Numbers | Categories:
    """Return a column as numbers if every text that is not empty is one, else as categories.

    A few different whole numbers are categories: they number the classes of data.
    """
    numbers = _numbers(texts)
    if numbers is None or _are_classes(numbers):
        return _categories(texts)
    return Numbers(numbers)


def _are_classes(numbers: npt.NDArray[np.float32]) -> bool:
    present = numbers[~np.isnan(numbers)]
    return bool(np.equal(present, np.round(present)).all()) and len(np.unique(present)) <= FEW


def _numbers(texts: Sequence[str]) -> npt.NDArray[np.float32] | None:
    values = np.empty(len(texts), np.float32)
    has_any = False
    with np.errstate(over="ignore"):
        for begin in range(0, len(texts), _CHECK):
            check()
            part = texts[begin : begin + _CHECK]
            try:
                values[begin : begin + len(part)] = [float(text) if text else np.nan for text in part]
            except ValueError:
                return None
            has_any = has_any or any(part)
    return values if has_any else None


def _categories(texts: Sequence[str]) -> Categories:
    counts = Counter(text for text in texts if text)
    check()
    chosen = sorted(counts.items(), key=_order) if len(counts) <= FEW else counts.most_common(MAX_CATEGORIES)
    codes = {name: code for code, (name, _) in enumerate(chosen)}
    code_of = np.fromiter((codes.get(text, -1) for text in texts), np.int32, len(texts))
    return Categories([name for name, _ in chosen], [count for _, count in chosen], code_of, len(counts))


def _order(item: tuple[str, int]) -> tuple[float, list[tuple[float, str]]]:
    """Return what categories are sorted by: numbers come first, and numbers in texts are in their order."""
    name, _ = item
    parts = [(float(part) if part.isdecimal() else math.inf, part) for part in _DIGITS.split(name)]
    try:
        return float(name), parts
    except ValueError:
        return math.inf, parts
