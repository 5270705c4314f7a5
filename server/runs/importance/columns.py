"""Hyperparameters of many runs as columns: their kinds, their values as numbers, and whether they can be compared."""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from toposcope.server.reading.series.series import Float64s, Int64s
from toposcope.server.runs.parameters.hyper_parameters import Value

Kind = Literal["number", "category"]
Scale = Literal["linear", "log10"]
Floats: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.float32]]"

MAX_CATEGORIES = 20
"""The most frequent ones; all others count as one."""
_NO_NUMBERS = {"NaN", "Infinity", "-Infinity"}
_DECADES = 100.0
_MISSING = -1


class Column(NamedTuple):
    """One hyperparameter of all runs."""

    name: str
    kind: Kind
    scale: Scale | None
    """Scale of the correlation: log10 for positive numbers that span more than two decades; None for a category."""
    numbers: Float64s
    """Values on that scale, NaN where there is none; empty for a category."""
    codes: Int64s
    """Index of each value among the sorted distinct values; negative where there is none."""
    distinct: int

    @property
    def missing(self) -> int:
        """Number of runs without a value."""
        return int((self.codes < 0).sum())

    @property
    def problem(self) -> str | None:
        """A sentence about why its effect cannot be determined; None if it can."""
        present = len(self.codes) - self.missing
        if self.distinct < 2:
            return (
                "All runs have the same value."
                if not self.missing
                else f"All {present} runs that have it have the same value."
            )
        if self.kind == "category" and 2 * self.distinct > present:
            return f"It has {self.distinct} values in {present} runs: too few runs share a value."
        return None

    @property
    def identity(self) -> bytes:
        """Equal for columns that cannot be distinguished: they give the runs the same groups or the same order."""
        if 2 * self.distinct <= len(self.codes) - self.missing:
            _, first, group = np.unique(self.codes, return_index=True, return_inverse=True)
            content = b"groups", np.argsort(np.argsort(first))[group].tobytes()
        else:
            reversed_codes = np.where(self.codes < 0, self.codes, self.distinct - 1 - self.codes)
            content = b"order", min(self.codes.tobytes(), reversed_codes.tobytes())
        return hashlib.blake2b(b"".join(content)).digest()

    def features(self) -> Floats:
        """Return the features for a forest, one row a run: the rank of a number, NaN where it is missing.

        A forest only compares numbers, so their ranks suffice, and fit the single precision that it computes in. A
        category has one column for each value (one-hot encoding).
        """
        if self.kind == "number":
            return np.where(self.codes < 0, np.nan, self.codes).astype(np.float32)[:, None]
        counts = np.bincount(self.codes[self.codes >= 0])
        frequent = np.argsort(-counts, kind="stable")[:MAX_CATEGORIES]
        if len(counts) == 2 and not self.missing:
            frequent = frequent[:1]
        features: Floats = (self.codes[:, None] == frequent).astype(np.float32)
        return features


def columns_of(rows: Sequence[Mapping[str, Value]]) -> list[Column]:
    """Return the columns of all names that occur in some row, in order of first occurrence."""
    names = dict.fromkeys(name for row in rows for name in row)
    return [_column(name, [row.get(name) for row in rows]) for name in names]


def _column(name: str, values: list[Value | None]) -> Column:
    present = [value for value in values if value is not None and value not in _NO_NUMBERS]
    if present and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in present):
        return _numbers(name, [math.nan if value is None or value in _NO_NUMBERS else float(value) for value in values])
    return _category(name, values)


def _numbers(name: str, values: Iterable[float]) -> Column:
    numbers = np.array(list(values))
    present = ~np.isnan(numbers)
    codes = np.full(len(numbers), _MISSING)
    ordered, codes[present] = np.unique(numbers[present], return_inverse=True)
    if ordered[0] > 0 and ordered[-1] / ordered[0] > _DECADES:
        return Column(name, "number", "log10", np.log10(numbers), codes, len(ordered))
    return Column(name, "number", "linear", numbers, codes, len(ordered))


def _category(name: str, values: list[Value | None]) -> Column:
    categories: dict[Value, int] = {}
    codes = [_MISSING if value is None else categories.setdefault(value, len(categories)) for value in values]
    return Column(name, "category", None, np.empty(0), np.array(codes), len(categories))
