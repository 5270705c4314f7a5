"""Precision-recall curves of TensorBoard."""

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.summary_values import strings, tensorboard_tensor

from toposcope.recorder.tensorboard.kinds.pr_curve import pr_curve
from toposcope.server.values.pr_curve import MAX_THRESHOLDS, PrCurve, read_pr_curve

FLOAT = 1


def read(rows: np.ndarray) -> PrCurve:
    """Return the curve of a tensor."""
    content = rows.astype("<f4").tobytes()
    return read_pr_curve(tensorboard_tensor(FLOAT, rows.shape, tensor_content=content).SerializeToString())


@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 1, width=16)), min_size=1, max_size=30),
    st.integers(2, 40),
)
def test_curve_counts_the_predictions(samples: list[tuple[bool, float]], thresholds: int) -> None:
    """Counts, precision and recall equal those of a slow count at each threshold."""
    labels, predictions = (np.array(column) for column in zip(*samples, strict=True))
    curve = read(pr_curve(labels, predictions, 1.0, thresholds))

    for place, threshold in enumerate(curve.thresholds):
        reached = np.floor(predictions * (thresholds - 1)) >= place
        hits, misses = int((labels & reached).sum()), int((~labels & reached).sum())
        assert threshold == pytest.approx(place / (thresholds - 1))
        assert (curve.true_positives[place], curve.false_positives[place]) == (hits, misses)
        assert curve.true_negatives[place] == (~labels).sum() - misses
        assert curve.false_negatives[place] == labels.sum() - hits
        assert curve.precision[place] == pytest.approx(hits / max(1, hits + misses))
        assert curve.recall[place] == pytest.approx(hits / max(1, labels.sum()))
    assert (curve.true_positives + curve.false_positives)[1:].all(), "the end that nothing reaches is cut"


def test_average_precision() -> None:
    """It is the sum of each precision times the step of recall to its threshold, as scikit-learn defines it."""
    precision, recall = [0.5, 2 / 3, 1.0, 0.0], [1.0, 1.0, 0.5, 0.0]
    counts = [[2, 2, 1, 0], [2, 1, 0, 0], [0, 1, 2, 2], [0, 0, 1, 2]]

    curve = read(np.array([*counts, precision, recall]))

    assert curve.average_precision == pytest.approx(0.5 * 2 / 3 + 0.5 * 1.0)
    assert len(curve.thresholds) == 3


def test_thresholds_are_bounded() -> None:
    """Of many, evenly spaced ones are returned, both ends among them."""
    curve = read(np.ones((6, 5000)))

    assert len(curve.thresholds) == len(curve.recall) == MAX_THRESHOLDS
    assert (curve.thresholds[0], curve.thresholds[-1]) == (0, 1)


def test_classifier_without_positive_predictions() -> None:
    """One point remains."""
    assert len(read(np.zeros((6, 9))).thresholds) == 1


@pytest.mark.parametrize("dims", [[5, 4], [6], [6, 0], [6, 2, 2]])
def test_other_tensors_are_rejected(dims: list[int]) -> None:
    """The error names the dims."""
    tensor = tensorboard_tensor(FLOAT, dims, tensor_content=bytes(4 * int(np.prod(dims))))

    with pytest.raises(ValueError, match="expected \\[6, n\\]"):
        read_pr_curve(tensor.SerializeToString())


def test_strings_are_rejected() -> None:
    """The error names the data type."""
    with pytest.raises(ValueError, match="string"):
        read_pr_curve(strings(*[b""] * 6, dims=[6, 1]).SerializeToString())


@given(st.lists(st.floats(width=32), min_size=6, max_size=60))
def test_any_numbers_are_read(numbers: list[float]) -> None:
    """NaN and infinities raise nothing."""
    columns = len(numbers) // 6
    read(np.array(numbers[: 6 * columns]).reshape(6, columns))


@given(st.binary(max_size=200))
def test_any_payload_is_read_or_rejected(payload: bytes) -> None:
    """No other error is raised."""
    with contextlib.suppress(ValueError):
        read_pr_curve(payload)
