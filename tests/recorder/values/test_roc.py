"""ROC curves that are logged as tables."""

import math
from typing import Any

import numpy as np
import pytest

from toposcope.recorder import Roc
from toposcope.recorder.record.logged_values import logged_values


def test_a_curve_has_the_rates_at_each_threshold() -> None:
    """Without points between two others on a line."""
    rows = list(Roc([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8]).table().rows)
    assert [row[1:] for row in rows] == [(0, 0), (0, 0.5), (0.5, 0.5), (0.5, 1), (1, 1)]
    assert {row[0] for row in rows} == {"positive"}


def test_each_class_has_a_curve_against_all_others() -> None:
    scores = np.array([[0.9, 0.1], [0.2, 0.8]], np.float32)
    rows = list(Roc(np.array([0, 1]), scores, ["cat", "dog"]).table().rows)
    assert rows == [(name, *point) for name in ("cat", "dog") for point in [(0, 0), (0, 1), (1, 1)]]


def test_the_points_of_many_samples_are_bounded_and_keep_the_area() -> None:
    rng = np.random.default_rng(0)
    labels = rng.random(200_000) < 0.3
    scores = rng.normal(labels * 1.5, 1)
    rows = list(Roc(labels, scores).table().rows)
    fpr, tpr = np.array([row[1:] for row in rows]).T
    rank = np.argsort(np.argsort(scores)) + 1.0
    positives = labels.sum()
    area = (rank[labels].sum() - positives * (positives + 1) / 2) / (positives * (~labels).sum())
    assert len(rows) <= 1002
    assert abs(((tpr[1:] + tpr[:-1]) / 2 * np.diff(fpr)).sum() - area) < 5e-4


def test_rates_of_a_class_without_samples_are_nan() -> None:
    rows = list(Roc([1, 1], [0.5, 0.7]).table().rows)
    assert all(math.isnan(row[1]) for row in rows)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [0.5]), r"labels \[n\]"),
        (([], []), r"labels \[n\]"),
        (([0], [float("nan")]), "NaN"),
        (([0], [[0.1, 0.2]], ["a"]), "2 curves and 1 names"),
    ],
)
def test_an_error_names_the_value_and_what_is_wrong(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"'roc' cannot be recorded: .*{message}"):
        logged_values({"roc": Roc(*arguments)})
