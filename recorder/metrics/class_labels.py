"""Classes: which class a network chose for each sample, which one is true, and which labels it gave."""

from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.arguments import checked_text

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

UNDECIDED = -1
"""The chosen class of a sample with a NaN among its scores: no class is true to it."""

_EVAL_TYPES = ("classification", "multilabel")


def checked_eval_type(eval_type: object) -> str:
    """Return eval_type; TypeError when it is no str, ValueError when it is another one."""
    name = checked_text("eval_type", eval_type)
    if name not in _EVAL_TYPES:
        raise ValueError(f"eval_type is 'classification' or 'multilabel', not {name!r}.")
    return name


def scores_and_classes(scores: npt.NDArray[Any], labels: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Integers]:
    """Return the scores of each sample, one row a sample, and the number of its true class.

    Args:
        scores: [N, C] or [N, C, ...] of real numbers, the largest for the chosen class; C is at least 2.
        labels: the true classes, whole numbers of [N] or [N, ...], or one-hot, shaped as the scores.

    Raises:
        ValueError: the shapes do not fit each other, or a label is no class.
    """
    if scores.ndim < 2 or scores.shape[1] < 2:
        raise ValueError(f"Scores have a column for each class, [N, C]: their shape is not {list(scores.shape)}.")
    rows = np.moveaxis(scores, 1, -1).reshape(-1, scores.shape[1])
    if labels.shape == scores.shape:
        return rows, _of_one_hot(np.moveaxis(labels, 1, -1).reshape(rows.shape))
    if labels.shape != (wanted := scores.shape[:1] + scores.shape[2:]):
        told = f"{list(wanted)}, or one-hot {list(scores.shape)}: not {list(labels.shape)}"
        raise ValueError(f"To scores of shape {list(scores.shape)} belong labels of shape {told}.")
    return rows, _class_numbers("A label", labels.reshape(-1), rows.shape[1])


def predicted_and_true_classes(
    outputs: npt.NDArray[Any], labels: npt.NDArray[Any]
) -> tuple[Integers, Integers, int | None]:
    """Return the chosen and the true class of each sample, and the number of classes if it is known.

    Args:
        outputs: scores (see scores_and_classes), or [N] of classes that were chosen before.
        labels: the true classes.

    Raises:
        ValueError: the shapes do not fit each other, or there is what is no class.
    """
    if outputs.ndim == 1:
        if labels.shape != outputs.shape:
            raise ValueError(f"To {len(outputs)} chosen classes belong as many labels, not {list(labels.shape)}.")
        return _class_numbers("A chosen class", outputs), _class_numbers("A label", labels), None
    rows, true = scores_and_classes(outputs, labels)
    return np.where(np.isnan(rows).any(axis=1), UNDECIDED, rows.argmax(axis=1)), true, rows.shape[1]


def predicted_and_true_labels(outputs: npt.NDArray[Any], labels: npt.NDArray[Any]) -> tuple[Flags, Flags]:
    """Return which labels were given to each sample and which are true of it, one row a sample.

    Args:
        outputs: [N, C] or [N, C, ...] of 0 and 1.
        labels: of the same shape, of 0 and 1.

    Raises:
        ValueError: the shapes differ, or there are other numbers.
    """
    if outputs.ndim < 2 or outputs.shape != labels.shape:
        shapes = f"{list(outputs.shape)} and {list(labels.shape)}"
        raise ValueError(f"With several labels a sample, outputs and labels are both of shape [N, C], not {shapes}.")
    for values in (outputs, labels):
        if not np.isin(values, (0, 1)).all():
            raise ValueError("With several labels a sample, outputs and labels are 0 or 1: decide them before.")
    given, true = (np.moveaxis(values, 1, -1).reshape(-1, values.shape[1]) == 1 for values in (outputs, labels))
    return given, true


def _of_one_hot(rows: npt.NDArray[Any]) -> Integers:
    if not (np.isin(rows, (0, 1)).all() and (rows.sum(axis=1) == 1).all()):
        raise ValueError("Labels with the shape of the scores are one-hot: a single 1 for each sample, all else 0.")
    numbers: Integers = rows.argmax(axis=1)
    return numbers


def _class_numbers(what: str, values: npt.NDArray[Any], classes: int | None = None) -> Integers:
    highest = np.inf if classes is None else classes - 1
    if not values.size:
        return np.empty(0, np.int64)
    is_class = (values >= 0) & (values <= highest) & (values == np.floor(values)) & np.isfinite(values)
    if not is_class.all():
        wanted = "from 0" if classes is None else f"from 0 to {classes - 1}"
        raise ValueError(f"{what} is a whole number {wanted}, not {values[~is_class][0]}.")
    return values.astype(np.int64)
