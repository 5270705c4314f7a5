"""Roc: curves of the true over the false positive rate of a classifier, recorded as a table."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.values.arrays.arrays import array_from
from toposcope.recorder.values.results.table import Table

COLUMNS = ("class", "fpr", "tpr")
"""The columns by which the page knows that a table is one of ROC curves."""
MAX_POINTS = 1000
_DIGITS = 6
_Array = npt.NDArray[Any]


class Roc(NamedTuple):
    """ROC curves: one of two classes, or one for each class against all others."""

    labels: Any
    """[n], whether each sample is positive, as booleans or 0 and 1; with scores for each class, its number."""
    scores: Any
    """[n], larger for samples that seem positive; or [n, classes], a score for each class."""
    classes: Sequence[str] | None = None
    """The names of the classes by number; of one curve, its only name. Default: their numbers, "positive"."""

    def table(self) -> Table:
        """Return the points of each curve, with the smallest false positive rate first.

        Points between two others on a line are left out. Of more than 1,000, evenly spread ones are kept: the area
        under the curve changes by less than 0.0005.

        Raises:
            TypeError: labels or scores are not array-like.
            ValueError: the shapes do not match, a score is NaN, or a class has no name.
        """
        labels, scores = array_from(self.labels).numbers(), array_from(self.scores).numbers()
        if labels.ndim != 1 or scores.ndim not in (1, 2) or len(labels) != len(scores) or not len(labels):
            raise ValueError(
                f"a Roc has labels [n] and scores [n] or [n, classes], not {labels.shape} and {scores.shape}."
            )
        if np.isnan(scores).any():
            raise ValueError("the scores contain NaN.")
        if scores.ndim == 1:
            curves = [(self._names(1, "positive")[0], labels.astype(bool), scores)]
        else:
            names = self._names(scores.shape[1])
            curves = [(name, labels == number, scores[:, number]) for number, name in enumerate(names)]
        return Table(COLUMNS, [(name, *point) for name, *each in curves for point in roc_points(*each)])

    def _names(self, count: int, only: str = "0") -> list[str]:
        names = list(self.classes or ([only] if count == 1 else map(str, range(count))))
        if len(names) != count:
            raise ValueError(f"there are {count} curves and {len(names)} names.")
        return names


def roc_points(is_class: _Array, scores: _Array) -> list[tuple[float, float]]:
    """Return the false and true positive rates at descending thresholds; NaN where there are no such samples."""
    positives, others = counts_at_scores(is_class, scores)
    if len(positives) > 2:
        is_bend = (np.diff(positives, 2) != 0) | (np.diff(others, 2) != 0)
        is_kept = np.concatenate([[True], is_bend, [True]])
        positives, others = positives[is_kept], others[is_kept]
    positives, others = np.insert(positives, 0, 0), np.insert(others, 0, 0)
    nan = np.full(len(positives), np.nan)
    fpr, tpr = (count / count[-1] if count[-1] else nan for count in (others, positives))
    points = np.stack([fpr, tpr], axis=1)[_spread(fpr + tpr)]
    return [(round(x, _DIGITS), round(y, _DIGITS)) for x, y in points.tolist()]


def counts_at_scores(is_class: _Array, scores: _Array) -> tuple[_Array, _Array]:
    """Return the numbers of samples of the class, and of others, that reach each score, from the highest one down."""
    order = np.argsort(-scores, kind="stable")
    scores, is_class = scores[order], is_class[order]
    last_of_score = np.append(np.flatnonzero(np.diff(scores)), len(scores) - 1)
    positives = np.cumsum(is_class)[last_of_score].astype(np.float64)
    return positives, 1.0 + last_of_score - positives


def _spread(way: _Array) -> _Array:
    """Return which points are kept, evenly spread by the way along the curve; the first and the last among them."""
    if len(way) <= MAX_POINTS:
        return np.arange(len(way))
    if np.isnan(way[-1]):
        return np.array([0, len(way) - 1])
    places = np.searchsorted(way, np.linspace(way[0], way[-1], MAX_POINTS))
    return np.unique(np.append(places, [0, len(way) - 1]))
