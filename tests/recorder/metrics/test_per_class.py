"""Precision, recall, F1 and the confusion matrix against scikit-learn."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, f1_score, fbeta_score, precision_score, recall_score
from support.pytorch import torch

from toposcope.recorder.metrics import F1, ConfusionMatrix, Fbeta, Precision, Recall
from toposcope.recorder.metrics.per_class import PerClassMetric

SEEDS = st.integers(0, 2**32 - 1)
OF_SKLEARN = {Precision: precision_score, Recall: recall_score, F1: f1_score}


@pytest.mark.parametrize("kind", OF_SKLEARN)
@settings(deadline=None, max_examples=30)
@given(seed=SEEDS, classes=st.integers(2, 6), sizes=st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_value_of_each_class_equals_that_of_scikit_learn(
    kind: type[PerClassMetric], seed: int, classes: int, sizes: list[int]
) -> None:
    rng = np.random.default_rng(seed)
    batches = [(rng.normal(size=(n, classes)), rng.integers(0, classes, n)) for n in [*sizes, 1]]
    of_scores, of_classes = kind(), kind()
    for scores, labels in batches:
        of_scores.update(torch.tensor(scores), torch.tensor(np.eye(classes)[labels]))
        of_classes.update(scores.argmax(1), labels)

    outputs, labels = (np.concatenate(parts) for parts in zip(*batches, strict=True))
    expected = OF_SKLEARN[kind](labels, outputs.argmax(1), labels=range(classes), average=None, zero_division=0)
    np.testing.assert_allclose(of_scores.eval(), expected)
    assert of_scores.eval(average=True) == pytest.approx(expected.mean())
    # Without scores, only classes up to the highest one that occurs are known.
    values = np.array(of_classes.eval())
    assert expected[: len(values)] == pytest.approx(values)


@pytest.mark.parametrize("kind", [Precision, Recall])
@settings(deadline=None, max_examples=30)
@given(seed=SEEDS, classes=st.integers(2, 6), sizes=st.lists(st.integers(1, 9), min_size=1, max_size=3))
def test_value_of_each_label_equals_that_of_scikit_learn(
    kind: type[PerClassMetric], seed: int, classes: int, sizes: list[int]
) -> None:
    rng = np.random.default_rng(seed)
    batches = [rng.integers(0, 2, (2, n, classes)) for n in sizes]
    metric = kind("multilabel")
    for outputs, labels in batches:
        metric.update(outputs, labels)

    outputs, labels = np.concatenate(batches, axis=1)
    score = OF_SKLEARN[kind]
    np.testing.assert_allclose(metric.eval(), score(labels, outputs, average=None, zero_division=0))
    assert metric.eval(average=True) == pytest.approx(score(labels, outputs, average="samples", zero_division=0))


def test_beta_is_the_weight_of_recall() -> None:
    rng = np.random.default_rng(3)
    scores, labels = rng.normal(size=(50, 3)), rng.integers(0, 3, 50)
    metric = Fbeta(2)
    metric.update(scores, labels)
    np.testing.assert_allclose(metric.eval(), fbeta_score(labels, scores.argmax(1), beta=2, average=None))


def test_sample_with_a_nan_score_has_no_predicted_class() -> None:
    precision, recall = Precision(), Recall()
    for metric in (precision, recall):
        metric.update([[0.9, 0.1], [np.nan, 0.1]], [0, 0])
    assert np.array(precision.eval()).tolist() == [1.0, 0.0]
    assert np.array(recall.eval()).tolist() == [0.5, 0.0]


def test_values_of_the_mindspore_examples() -> None:
    outputs, labels = [[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]], [1, 0, 1]
    for kind, expected in ((Precision, [0.5, 1.0]), (Recall, [1.0, 0.5]), (F1, [2 / 3, 2 / 3])):
        metric = kind()
        metric.update(outputs, labels)
        np.testing.assert_allclose(metric.eval(), expected)


def test_number_of_classes_must_not_change() -> None:
    recall = Recall()
    recall.update([[0.1, 0.9]], [1])
    with pytest.raises(ValueError, match="2 classes; this batch has scores of 3"):
        recall.update([[0.1, 0.9, 0.0]], [1])
    with pytest.raises(ValueError, match="2 classes; this batch has no scores"):
        recall.update([1], [1])
    recall.clear()
    recall.update([[0.1, 0.9, 0.0]], [1])
    assert np.array(recall.eval()).tolist() == [0.0, 1.0, 0.0]


@settings(deadline=None, max_examples=30)
@given(SEEDS, st.integers(2, 5), st.integers(1, 30), st.sampled_from([None, "true", "pred", "all"]))
def test_confusion_matrix_equals_that_of_scikit_learn(
    seed: int, classes: int, samples: int, normalize: str | None
) -> None:
    rng = np.random.default_rng(seed)
    scores, labels = rng.normal(size=(samples, classes)), rng.integers(0, classes, samples)
    name = {None: "no_norm", "true": "target", "pred": "prediction", "all": "all"}[normalize]
    metric = ConfusionMatrix(classes, name)
    for part in np.array_split(np.arange(samples), 2):
        metric.update(scores[part], labels[part])
    with np.errstate(all="ignore"):
        expected = confusion_matrix(labels, scores.argmax(1), labels=range(classes), normalize=normalize)
    np.testing.assert_allclose(metric.eval(), expected)


def test_confusion_matrix_compares_probabilities_with_its_threshold() -> None:
    metric = ConfusionMatrix(2, threshold=0.8)
    metric.update([0.9, 0.7, 0.8, float("nan")], [1, 1, 0, 0])
    assert metric.eval().tolist() == [[0.0, 1.0], [1.0, 1.0]]


def test_invalid_arguments_are_errors() -> None:
    text: Any = "one"
    number: Any = 1
    with pytest.raises(ValueError, match="beta must be positive"):
        Fbeta(0)
    with pytest.raises(TypeError, match="beta must be a number"):
        Fbeta(text)
    with pytest.raises(ValueError, match="num_classes"):
        ConfusionMatrix(1)
    with pytest.raises(ValueError, match="'rows'"):
        ConfusionMatrix(2, "rows")
    with pytest.raises(TypeError, match="average"):
        Recall().eval(average=number)
    with pytest.raises(ValueError, match="from 0 to 1, not 2"):
        ConfusionMatrix(2).update([2], [1])
