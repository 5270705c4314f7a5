"""Curves: precision-recall and ROC curves of classifiers, as tables, and the former also as pr curves."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.tensorboard.kinds.pr_curve import MAX_THRESHOLDS, PredictionsValue
from toposcope.recorder.values.results.roc import COLUMNS, counts_at_scores, roc_points
from toposcope.recorder.wandb.media.drawn_values import Drawn
from toposcope.recorder.wandb.media.media_files import NewFile
from toposcope.recorder.wandb.media.table import Table

_Array = npt.NDArray[Any]
_DIGITS = 3


class OneAgainstRest(NamedTuple):
    """The predictions of one class."""

    label: Any
    is_class: _Array
    """[n], whether a sample is of the class."""
    scores: _Array
    """[n], of the class."""


class PrCurves(Table):
    """A table of precision-recall curves that is recorded with a pr curve for each class."""

    def __init__(self, classes: Sequence[OneAgainstRest], points: int) -> None:
        """Compute the table, with a number of points for each class."""
        super().__init__(columns=["class", "precision", "recall"])
        self._classes = classes
        recalls = np.linspace(0, 1, points)[::-1]
        for each in classes:
            for precision, recall in zip(precisions_at(recalls, each), recalls, strict=True):
                self.add_data(each.label, round(float(precision), _DIGITS), round(float(recall), _DIGITS))

    def items(self, new_file: NewFile) -> dict[str, Any]:
        """Return the text, and a pr curve for each class whose scores are probabilities, after writing the file."""
        items = super().items(new_file)
        for each in self._classes:
            if each.scores.size and each.scores.min() >= 0 and each.scores.max() <= 1:
                value = PredictionsValue(each.is_class, each.scores, 1.0, MAX_THRESHOLDS)
                items[f"/{each.label}"] = Drawn(value, each.scores.nbytes + each.is_class.nbytes)
        return items


def classes_in(y_true: Any, y_probas: Any, labels: Any, classes_to_plot: Any) -> list[OneAgainstRest]:
    """Return the predictions of each class.

    Args:
        y_true: [n], the class of each sample.
        y_probas: [n, classes], in the order of the classes that occur in y_true.
        labels: names of the classes that are whole numbers.
        classes_to_plot: the classes; None: all that occur.

    Raises:
        ValueError: the shapes do not match.
    """
    truth, scores = np.asarray(y_true), np.asarray(y_probas, np.float64)
    found = np.unique(truth)
    if truth.ndim != 1 or scores.ndim != 2 or len(truth) != len(scores) or len(found) > scores.shape[1]:
        raise ValueError(
            f"A curve needs y_true [n] and y_probas [n, classes], not {truth.shape} and {scores.shape} with "
            f"{len(found)} classes."
        )
    chosen = found if classes_to_plot is None else np.asarray(classes_to_plot)
    is_named = labels is not None and np.issubdtype(found.dtype, np.integer)
    return [
        OneAgainstRest(labels[each] if is_named else each.item(), truth == each, scores[:, column])
        for column, each in enumerate(found)
        if each in chosen
    ]


def roc_table(classes: Sequence[OneAgainstRest]) -> Table:
    """Return the table of ROC curves, see Roc."""
    points = [(each.label, *point) for each in classes for point in roc_points(each.is_class, each.scores)]
    return Table(columns=COLUMNS, data=points)


def precisions_at(recalls: _Array, predictions: OneAgainstRest) -> _Array:
    """Return the highest precision at a threshold that reaches each recall."""
    positives, others = counts_at_scores(predictions.is_class, predictions.scores)
    precision = positives / (positives + others)
    recall = positives / positives[-1] if positives[-1] else np.ones(len(positives))
    # From the lowest threshold to one that no score reaches: precision 1, recall 0.
    rising = np.maximum.accumulate(np.append(precision[::-1], 1.0))[::-1]
    return rising[np.searchsorted(np.append(recall[::-1], 0.0)[::-1], recalls, side="left")]
