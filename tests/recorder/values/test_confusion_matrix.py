"""Confusion matrices that are logged as tables."""

from typing import Any

import numpy as np
import pytest

from toposcope.recorder import ConfusionMatrix
from toposcope.recorder.record.logged_values import logged_values


def rows(*arguments: Any, **options: Any) -> list[Any]:
    """Return the rows of the table of a matrix."""
    return list(ConfusionMatrix(*arguments, **options).table().rows)


def test_pairs_of_labels_and_predictions_are_counted() -> None:
    """Classes with themselves are always there, so that every class has its place."""
    assert rows([0, 2, 2], [0, 2, 0]) == [("0", "0", 1), ("1", "1", 0), ("2", "0", 1), ("2", "2", 1)]


def test_the_class_of_the_highest_score_is_predicted() -> None:
    scores = np.array([[0.1, 0.9], [0.8, 0.2]], np.float32)
    assert rows(np.array([1, 1]), scores, classes=["cat", "dog"]) == [
        ("cat", "cat", 0),
        ("dog", "cat", 1),
        ("dog", "dog", 1),
    ]


def test_labels_may_be_names() -> None:
    assert rows(["dog", "cat"], ["dog", "dog"], classes=["cat", "dog"]) == [
        ("cat", "cat", 0),
        ("cat", "dog", 1),
        ("dog", "dog", 1),
    ]


def test_counts_may_be_given() -> None:
    assert rows(matrix=[[5, 1], [0, 7]]) == [("0", "0", 5), ("0", "1", 1), ("1", "1", 7)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "labels and predictions, or a matrix"),
        ({"labels": [0]}, "labels and predictions, or a matrix"),
        ({"labels": [0], "predictions": [0, 1]}, "1 labels and 2 predictions"),
        ({"labels": [-1], "predictions": [0]}, "labels must be"),
        ({"labels": [0.5], "predictions": [0]}, "labels must be"),
        ({"labels": [float("nan")], "predictions": [0]}, "labels must be"),
        ({"labels": [float("inf")], "predictions": [0]}, "labels must be"),
        ({"labels": [0], "predictions": [1], "classes": ["a"]}, "2 classes and 1 names"),
        ({"labels": ["b"], "predictions": ["a"], "classes": ["a"]}, "'b', which is none of the classes"),
        ({"labels": [0], "predictions": [10**9]}, "at most 10000"),
        ({"matrix": [[1, 2]]}, r"\[classes, classes\]"),
        ({"matrix": [[-1]]}, "counts"),
        ({"matrix": [[float("nan")]]}, "counts"),
        ({"matrix": [[1, 0], [0, 1]], "classes": ["a", "a"]}, "same name"),
    ],
)
def test_an_error_names_the_value_and_what_is_wrong(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"'confusion' cannot be recorded: .*{message}"):
        logged_values({"confusion": ConfusionMatrix(**arguments)})
