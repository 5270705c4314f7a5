"""ConfusionMatrix: how often each class was predicted for each actual one, recorded as a table."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.recorder.values.results.table import Table

COLUMNS = ("actual", "predicted", "count")
"""The columns by which the page knows that a table is a confusion matrix."""
_MAX_CLASSES = 10_000


class ConfusionMatrix(NamedTuple):
    """How often each class was predicted for each actual one: labels and predictions, or the counts."""

    labels: Any = None
    """[n], the actual class of each sample: whole numbers from 0 on, or names if classes are given."""
    predictions: Any = None
    """[n], the predicted class of each sample, as labels; or [n, classes], a score for each class."""
    matrix: Any = None
    """[classes, classes], counts by actual (rows) and predicted class, in place of labels and predictions."""
    classes: Sequence[str] | None = None
    """The names of the classes by number; default: their numbers."""

    def table(self) -> Table:
        """Return a row for each pair of classes that occurs, and for each class with itself.

        Raises:
            TypeError: an argument is not array-like.
            ValueError: the shapes do not match, a class has no name or number, or a count is negative.
        """
        counts = self._counted() if self.matrix is None else _checked(array_from(self.matrix).numbers())
        names = self._names(len(counts))
        occurs = counts > 0
        np.fill_diagonal(occurs, True)
        pairs = np.argwhere(occurs).tolist()
        return Table(COLUMNS, [(names[actual], names[other], int(counts[actual, other])) for actual, other in pairs])

    def _counted(self) -> npt.NDArray[np.int64]:
        if self.labels is None or self.predictions is None:
            raise ValueError("a ConfusionMatrix has labels and predictions, or a matrix.")
        actual, predicted = self._numbers("labels", self.labels), self._numbers("predictions", self.predictions)
        if len(actual) != len(predicted):
            raise ValueError(f"there are {len(actual)} labels and {len(predicted)} predictions.")
        size = int(max(numbers.max(initial=-1) for numbers in (actual, predicted))) + 1
        size = max(size, len(self.classes or ()))
        if size > _MAX_CLASSES:
            raise ValueError(f"there are {size} classes: expected at most {_MAX_CLASSES}.")
        counts = np.zeros((size, size), np.int64)
        np.add.at(counts, (actual, predicted), 1)
        return counts

    def _numbers(self, name: str, values: Any) -> npt.NDArray[np.int64]:
        """Return the number of the class of each sample."""
        if _has_names(values):
            return self._numbered(name, values)
        numbers = array_from(values).numbers()
        if name == "predictions" and numbers.ndim == 2:
            return np.asarray(numbers.argmax(axis=1), np.int64)
        if numbers.ndim != 1 or not _are_counts(numbers):
            raise ValueError(f"the {name} must be [n] whole numbers from 0 on, not of the shape {numbers.shape}.")
        return np.asarray(numbers, np.int64)

    def _numbered(self, name: str, values: Sequence[str]) -> npt.NDArray[np.int64]:
        places = {label: number for number, label in enumerate(self.classes or ())}
        unknown = [value for value in values if value not in places]
        if unknown:
            raise ValueError(f"the {name} contain {unknown[0]!r}, which is none of the classes.")
        return np.array([places[value] for value in values], np.int64)

    def _names(self, size: int) -> list[str]:
        names = list(self.classes or map(str, range(size)))
        if len(names) < size:
            raise ValueError(f"there are {size} classes and {len(names)} names.")
        if len(set(names)) < len(names):
            raise ValueError(f"two classes have the same name: {names!r}.")
        return names


def _has_names(values: Any) -> bool:
    return isinstance(next(iter(values), None), str)


def _checked(matrix: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"the matrix must be [classes, classes], not {matrix.shape}.")
    if not _are_counts(matrix):
        raise ValueError("the matrix must have counts: whole numbers that are not negative.")
    return matrix.astype(np.int64)


def _are_counts(numbers: npt.NDArray[Any]) -> bool:
    with np.errstate(invalid="ignore"):  # NaN and infinity have no whole number, and are not equal to any.
        return bool(((numbers == numbers.astype(np.int64)) & (numbers >= 0)).all())
