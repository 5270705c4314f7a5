"""History: what it stores of a training."""

from typing import Any

import numpy as np
from support.line_network import Line, line_batches

from toposcope.recorder.callbacks.history import History
from toposcope.recorder.training.model import Model


def test_history_has_the_last_loss_and_the_metrics_of_each_epoch() -> None:
    history = History()
    Model(Line(), metrics={"mse", "loss"}).fit(3, line_batches(4), line_batches(2), callbacks=[history])

    assert history.epoch == {"epoch": [1, 2, 3]}
    assert list(history.history) == ["net_output", "loss", "mse"]
    for values in history.history.values():
        assert len(values) == 3
        assert all(type(value) is float for value in values)
    losses: list[Any] = history.history["net_output"]
    assert losses == sorted(losses, reverse=True)


def test_training_clears_the_history_and_an_evaluation_does_not_change_it() -> None:
    history, model = History(), Model(Line(), metrics={"mse"})
    for _ in range(2):
        model.train(1, line_batches(2), callbacks=history)
        model.eval(line_batches(2), callbacks=history)
    assert history.epoch == {"epoch": [1]}
    assert list(history.history) == ["net_output"]
    assert len(history.history["net_output"]) == 1


def test_metric_with_a_value_per_class_is_stored_as_an_array() -> None:
    class Classes(Line):
        def eval_step(self, x: object, y: object) -> tuple[Any, list[list[float]], list[int]]:
            return None, [[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]], [1, 0, 1]

    history = History()
    Model(Classes(), metrics={"recall"}).fit(1, line_batches(1), line_batches(1), callbacks=history)
    np.testing.assert_array_equal(history.history["recall"], [[1.0, 0.5]])
