"""Loss, errors, perplexity and functions: metrics that are means."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mean_absolute_error, mean_squared_error
from support.pytorch import REASON, torch

from toposcope.recorder.metrics import MAE, MSE, BatchMean, Loss, Metric, Perplexity

SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize(("kind", "score"), [(MAE, mean_absolute_error), (MSE, mean_squared_error)])
@settings(deadline=None, max_examples=30)
@given(seed=SEEDS, sizes=st.lists(st.integers(0, 9), min_size=1, max_size=4), elements=st.integers(1, 4))
def test_error_is_the_mean_over_samples_of_the_sum_over_elements(
    kind: type[Metric], score: Callable[..., float], seed: int, sizes: list[int], elements: int
) -> None:
    rng = np.random.default_rng(seed)
    metric, batches = kind(), [rng.normal(size=(2, n, elements)) for n in [*sizes, 1]]
    for outputs, labels in batches:
        metric.update(torch.tensor(outputs), torch.tensor(labels))
    outputs, labels = np.concatenate(batches, axis=1)
    assert metric.eval() == pytest.approx(score(labels, outputs) * elements)


def test_labels_may_be_a_column() -> None:
    metric = MAE()
    metric.update([0.1, 0.2, 0.6, 0.9], [[0.1], [0.25], [0.7], [0.9]])
    assert metric.eval() == pytest.approx(0.0375)
    with pytest.raises(ValueError, match=r"\[2\] and \[3\]"):
        metric.update([1, 2], [1, 2, 3])


def test_unsigned_numbers_do_not_wrap() -> None:
    metric = MSE()
    metric.update(np.array([0], np.uint8), np.array([200], np.uint8))
    assert metric.eval() == 40000.0


def test_loss_is_the_mean_of_batches() -> None:
    loss = Loss()
    loss.update(torch.tensor(0.5, requires_grad=True))
    loss.update(np.array([1.0, 2.0]))
    loss.update([])
    assert loss.eval() == 1.0
    loss.clear()
    loss.update(math.nan)
    assert math.isnan(loss.eval())


def test_loss_requires_a_loss() -> None:
    with pytest.raises(ValueError, match="computes none"):
        Loss().update(None)
    with pytest.raises(ValueError, match=r"shape \[1, 2\]"):
        Loss().update([[1.0, 2.0]])
    with pytest.raises(ValueError, match="takes loss, not 2"):
        Loss().update(1.0, 2.0)


@settings(deadline=None, max_examples=20)
@given(SEEDS, st.integers(1, 4), st.integers(1, 6), st.integers(2, 5))
def test_perplexity_equals_that_of_torchmetrics(seed: int, samples: int, length: int, tokens: int) -> None:
    text = pytest.importorskip("torchmetrics.text", reason=REASON)
    rng = np.random.default_rng(seed)
    logits = torch.tensor(rng.normal(size=(samples, length, tokens)))
    labels = torch.tensor(rng.integers(0, tokens, (samples, length)))
    labels[0, 1:] = -100
    ours, theirs = Perplexity(ignore_label=-100), text.Perplexity(ignore_index=-100)
    ours.update(logits.softmax(-1), labels)
    theirs.update(logits, labels)
    assert ours.eval() == pytest.approx(theirs.compute().item(), rel=1e-5)


def test_perplexity_of_impossible_tokens_is_large_and_finite() -> None:
    metric = Perplexity()
    metric.update([[1.0, 0.0]], [1])
    assert metric.eval() == pytest.approx(1e10)
    with pytest.raises(ValueError, match="from 0 to 1, not 2"):
        metric.update([[1.0, 0.0]], [2])


def test_function_is_averaged_over_samples() -> None:
    metric = BatchMean(lambda outputs, labels: (outputs == labels).float().mean())
    metric.update(torch.ones(3), torch.ones(3))
    metric.update(torch.zeros(1), torch.ones(1))
    metric.update(torch.zeros(0), torch.ones(0))
    assert metric.eval() == 0.75


def test_function_must_return_one_number() -> None:
    def shape(outputs: torch.Tensor, labels: object) -> object:
        return outputs

    with pytest.raises(ValueError, match="The metric shape must return one number"):
        BatchMean(shape).update(torch.zeros(2), torch.zeros(2))


@pytest.mark.parametrize("kind", [MAE, MSE, Loss, Perplexity])
def test_without_samples_eval_raises(kind: type[Metric]) -> None:
    with pytest.raises(RuntimeError, match=f"{kind.__name__} has received no samples"):
        kind().eval()
