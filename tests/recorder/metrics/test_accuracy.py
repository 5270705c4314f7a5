"""Accuracy and top-k accuracy against scikit-learn and torchmetrics."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, top_k_accuracy_score
from support.pytorch import REASON, torch

from toposcope.recorder.metrics import (
    Accuracy,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
)

SEEDS = st.integers(0, 2**32 - 1)


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(2, 7), st.lists(st.integers(0, 9), min_size=1, max_size=4))
def test_accuracy_over_batches_is_that_of_all_samples(seed: int, classes: int, sizes: list[int]) -> None:
    rng = np.random.default_rng(seed)
    batches = [(rng.normal(size=(n, classes)).astype(np.float32), rng.integers(0, classes, n)) for n in [*sizes, 1]]
    sparse, one_hot, predicted = Accuracy(), Accuracy(), Accuracy()
    for scores, labels in batches:
        sparse.update(scores, labels)
        one_hot.update(scores, np.eye(classes)[labels])
        predicted.update(scores.argmax(1), labels.astype(np.float32))

    outputs, labels = (np.concatenate(parts) for parts in zip(*batches, strict=True))
    expected = accuracy_score(labels, outputs.argmax(1))
    assert sparse.eval() == one_hot.eval() == predicted.eval() == pytest.approx(expected, abs=1e-15)


def test_scores_may_be_tensors_with_gradients() -> None:
    accuracy = Accuracy()
    accuracy.update(torch.tensor([[0.1, 0.9], [0.8, 0.2]], requires_grad=True), torch.tensor([1, 1]))
    assert accuracy.eval() == 0.5


def test_each_pixel_is_a_sample() -> None:
    rng = np.random.default_rng(1)
    scores, labels = rng.normal(size=(2, 3, 4, 5)), rng.integers(0, 3, (2, 4, 5))
    sparse, one_hot = Accuracy(), Accuracy()
    sparse.update(scores, labels)
    one_hot.update(scores, np.moveaxis(np.eye(3)[labels], -1, 1))
    assert sparse.eval() == one_hot.eval() == (scores.argmax(1) == labels).mean()


@settings(deadline=None, max_examples=20)
@given(SEEDS, st.integers(2, 5), st.integers(1, 9))
def test_multilabel_sample_is_correct_if_all_its_labels_are(seed: int, classes: int, samples: int) -> None:
    classification = pytest.importorskip("torchmetrics.classification", reason=REASON)
    rng = np.random.default_rng(seed)
    outputs, labels = rng.integers(0, 2, (2, samples, classes))
    accuracy, exact = Accuracy("multilabel"), classification.MultilabelExactMatch(num_labels=classes)
    accuracy.update(outputs, labels)
    exact.update(torch.tensor(outputs), torch.tensor(labels))
    assert accuracy.eval() == pytest.approx(exact.compute().item(), abs=1e-6)


def test_sample_with_a_nan_score_is_incorrect_and_infinite_scores_are_valid() -> None:
    accuracy, top = Accuracy(), TopKCategoricalAccuracy(2)
    for metric in (accuracy, top):
        metric.update([[np.nan, 0.0], [1.0, np.nan], [np.inf, 0.0], [0.0, -np.inf]], [0, 0, 0, 0])
        assert metric.eval() == 0.5


@settings(deadline=None, max_examples=40)
@given(SEEDS, st.integers(3, 8), st.integers(1, 10), st.integers(1, 12))
def test_top_k_accuracy_equals_that_of_scikit_learn(seed: int, classes: int, k: int, samples: int) -> None:
    rng = np.random.default_rng(seed)
    scores, labels = rng.permuted(np.tile(np.arange(classes), (samples, 1)), axis=1), rng.integers(0, classes, samples)
    metric = TopKCategoricalAccuracy(k)
    metric.update(scores.astype(np.float16), labels)
    all_classes = list(range(classes))
    expected = 1.0 if k >= classes else top_k_accuracy_score(labels, scores.astype(float), k=k, labels=all_classes)
    assert metric.eval() == pytest.approx(expected)


def test_ties_go_to_the_first_class() -> None:
    metric = Top1CategoricalAccuracy()
    metric.update([[1, 1, 0], [1, 1, 0]], [0, 1])
    assert metric.eval() == 0.5


def test_top_1_equals_accuracy_and_top_5_of_five_classes_is_one() -> None:
    rng = np.random.default_rng(2)
    scores, labels = rng.normal(size=(20, 5)).astype(np.float16), rng.integers(0, 5, 20)
    first, fifth, accuracy = Top1CategoricalAccuracy(), Top5CategoricalAccuracy(), Accuracy()
    for metric in (first, fifth, accuracy):
        metric.update(scores, np.eye(5)[labels])
    assert first.eval() == accuracy.eval()
    assert fifth.eval() == 1.0


@pytest.mark.parametrize(
    ("outputs", "labels", "message"),
    [
        ([[0.1, 0.9]], [2], "from 0 to 1, not 2"),
        ([[0.1, 0.9]], [-100], "from 0 to 1, not -100"),
        ([[0.1, 0.9]], [0.5], "whole number"),
        ([[0.1, 0.9]], [float("nan")], "whole number"),
        ([[0.1, 0.9]], [[1, 1]], "one-hot"),
        ([[0.1, 0.9]], [0, 1], r"not \[2\]"),
        ([[0.7], [0.2]], [1, 0], "column for each class"),
        ([0.7, 0.2], [1, 0], "predicted class"),
        ([1, 0], [[1, 0]], "predicted classes"),
    ],
)
def test_errors_contain_the_invalid_class_or_shape(outputs: object, labels: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Accuracy().update(outputs, labels)


def test_multilabel_outputs_must_be_0_or_1() -> None:
    with pytest.raises(ValueError, match="0 or 1"):
        Accuracy("multilabel").update([[0.3, 1]], [[0, 1]])
    with pytest.raises(ValueError, match=r"\[1, 2\] and \[2\]"):
        Accuracy("multilabel").update([[0, 1]], [0, 1])


def test_invalid_arguments_are_errors_at_construction() -> None:
    number: Any = 3
    fraction: Any = 1.5
    with pytest.raises(ValueError, match="'regression'"):
        Accuracy("regression")
    with pytest.raises(TypeError, match="eval_type"):
        Accuracy(number)
    with pytest.raises(ValueError, match=r"^k "):
        TopKCategoricalAccuracy(0)
    with pytest.raises(TypeError, match=r"^k "):
        TopKCategoricalAccuracy(fraction)
