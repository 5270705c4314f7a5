"""Class labels: the predicted and the true class, or the predicted and the true labels, of each sample."""

from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.arguments import checked_text

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

UNDECIDED = -1
"""The predicted class of a sample with a NaN among its scores; it equals no true class."""

_EVAL_TYPES = ("classification", "multilabel")


def checked_eval_type(eval_type: object) -> str:
    """Return eval_type; TypeError if it is not a str, ValueError if it is another str."""
    name = checked_text("eval_type", eval_type)
    if name not in _EVAL_TYPES:
        raise ValueError(f"eval_type must be 'classification' or 'multilabel', not {name!r}.")
    return name


def scores_and_classes(scores: npt.NDArray[Any], labels: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Integers]:
    """Return the scores, one row per sample, and the index of the true class of each sample.

    Args:
        scores: real numbers of shape [N, C] or [N, C, ...], the largest for the predicted class; C is at least 2.
        labels: the true classes as integers of shape [N] or [N, ...], or one-hot with the shape of the scores.

    Raises:
        ValueError: the shapes do not match, or a label is not a class.
    """
    if scores.ndim < 2 or scores.shape[1] < 2:
        raise ValueError(f"Scores must have a column for each class, [N, C], not the shape {list(scores.shape)}.")
    rows = np.moveaxis(scores, 1, -1).reshape(-1, scores.shape[1])
    if labels.shape == scores.shape:
        return rows, _from_one_hot(np.moveaxis(labels, 1, -1).reshape(rows.shape))
    if labels.shape != (expected := scores.shape[:1] + scores.shape[2:]):
        raise ValueError(
            f"Labels for scores of shape {list(scores.shape)} must have the shape {list(expected)}, "
            f"or {list(scores.shape)} if one-hot, not {list(labels.shape)}."
        )
    return rows, _class_numbers("A label", labels.reshape(-1), rows.shape[1])


def predicted_and_true_classes(
    outputs: npt.NDArray[Any], labels: npt.NDArray[Any]
) -> tuple[Integers, Integers, int | None]:
    """Return the predicted and the true class of each sample, and the number of classes, None if unknown.

    Args:
        outputs: scores as for scores_and_classes(), or predicted classes of shape [N].
        labels: the true classes.

    Raises:
        ValueError: the shapes do not match, or a value is not a class.
    """
    if outputs.ndim == 1:
        if labels.shape != outputs.shape:
            raise ValueError(
                f"Labels for {len(outputs)} predicted classes must have the shape [{len(outputs)}], "
                f"not {list(labels.shape)}."
            )
        return _class_numbers("A predicted class", outputs), _class_numbers("A label", labels), None
    rows, true = scores_and_classes(outputs, labels)
    return np.where(np.isnan(rows).any(axis=1), UNDECIDED, rows.argmax(axis=1)), true, rows.shape[1]


def predicted_and_true_labels(outputs: npt.NDArray[Any], labels: npt.NDArray[Any]) -> tuple[Flags, Flags]:
    """Return the predicted and the true labels as flags, one row per sample.

    Args:
        outputs: 0 or 1, of shape [N, C] or [N, C, ...].
        labels: 0 or 1, of the same shape.

    Raises:
        ValueError: the shapes differ, or there are other numbers.
    """
    if outputs.ndim < 2 or outputs.shape != labels.shape:
        shapes = f"{list(outputs.shape)} and {list(labels.shape)}"
        raise ValueError(f"Multilabel outputs and labels must both have the shape [N, C], not {shapes}.")
    for values in (outputs, labels):
        if not np.isin(values, (0, 1)).all():
            raise ValueError("Multilabel outputs and labels must be 0 or 1: apply a threshold to the outputs first.")
    predicted, true = (np.moveaxis(values, 1, -1).reshape(-1, values.shape[1]) == 1 for values in (outputs, labels))
    return predicted, true


def _from_one_hot(rows: npt.NDArray[Any]) -> Integers:
    if not (np.isin(rows, (0, 1)).all() and (rows.sum(axis=1) == 1).all()):
        raise ValueError("Labels with the shape of the scores must be one-hot: a single 1 per sample, all others 0.")
    classes: Integers = rows.argmax(axis=1)
    return classes


def _class_numbers(name: str, values: npt.NDArray[Any], classes: int | None = None) -> Integers:
    highest = np.inf if classes is None else classes - 1
    if not values.size:
        return np.empty(0, np.int64)
    is_class = (values >= 0) & (values <= highest) & (values == np.floor(values)) & np.isfinite(values)
    if not is_class.all():
        limits = "from 0" if classes is None else f"from 0 to {classes - 1}"
        raise ValueError(f"{name} must be a whole number {limits}, not {values[~is_class][0]}.")
    return values.astype(np.int64)
