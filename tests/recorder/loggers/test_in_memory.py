"""InMemoryLogger, told by a watched loop."""

import json

import numpy as np
import pytest
import torch

from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.training.watch import watch


def test_timeseries_has_every_time_unit() -> None:
    """A metric comes with the counts and the seconds at which it was logged."""
    logger = InMemoryLogger()
    with watch([], loader=range(2), loggers=logger) as run:
        for epoch in range(2):
            for batch in range(2):
                run.step(1.0 / (1 + batch), batch=np.zeros((8, 3)))
            run.eval({"accuracy": 0.5 + epoch / 10})

    series = logger.get_timeseries("metrics/eval/accuracy")
    assert series["metrics/eval/accuracy"].tolist() == [0.5, 0.6]
    assert series["epoch"].tolist() == [1, 2]
    assert series["batch"].tolist() == [2, 4]
    assert series["batch_in_epoch"].tolist() == [0, 0]
    assert series["sample"].tolist() == [16, 32]
    assert 0 < series["total_wct"][0] < series["total_wct"][1]
    assert logger.get_timeseries("loss/train/total")["batch"].tolist() == [0, 1, 2, 3]


def test_values_are_numbers_without_gradients() -> None:
    """A tensor is copied when it is logged: later changes and its graph are nobody's affair."""
    logger = InMemoryLogger()
    weight = torch.ones(1, requires_grad=True)
    mean = torch.zeros(())
    logger.log_metrics({"loss": (2 * weight).sum(), "mean": mean, "several": torch.arange(3), "word": "good"})
    mean += 1

    assert logger.most_recent_values["loss"] == 2.0
    assert type(logger.most_recent_values["loss"]) is float
    assert logger.most_recent_values["mean"] == 0.0
    assert logger.most_recent_values["several"].tolist() == [0, 1, 2]
    assert logger.most_recent_values["word"] == "good"


def test_step_that_is_given_counts() -> None:
    """It is the batch of the timestamp, before INIT and within a training."""
    logger = InMemoryLogger()
    logger.log_metrics({"loss": 1.0}, step=7)
    with watch([], loggers=logger) as run:
        run.step(0.5)
        run.logger.log_metrics({"loss": 2.0})
        run.logger.log_metrics({"loss": 3.0}, step=9)

    assert logger.get_timeseries("loss")["batch"].tolist() == [7, 1, 9]
    assert logger.most_recent_timestamps["loss"].batch == 9


def test_metric_named_as_a_time_unit_is_itself() -> None:
    """What was asked for wins."""
    logger = InMemoryLogger()
    logger.log_metrics({"epoch": 0.5})

    assert logger.get_timeseries("epoch")["epoch"].tolist() == [0.5]


def test_values_of_different_shapes_are_kept_as_objects() -> None:
    """They are no regular array."""
    logger = InMemoryLogger()
    logger.log_metrics({"norms": np.zeros(2)})
    logger.log_metrics({"norms": np.zeros(3)})

    assert [len(value) for value in logger.get_timeseries("norms")["norms"]] == [2, 3]


def test_unknown_metric_is_an_error_that_lists_the_known() -> None:
    """The name that was wrong and those that are right."""
    logger = InMemoryLogger()
    logger.log_metrics({"loss": 1.0})

    with pytest.raises(ValueError, match=r"\['loss'\], not 'los'"):
        logger.get_timeseries("los")


def test_hyperparameters_and_tables_are_kept() -> None:
    """Partial dicts are merged; a table is JSON."""
    logger = InMemoryLogger()
    logger.log_hyperparameters({"lr": 0.1})
    logger.log_hyperparameters({"lr": 0.2, "epochs": 3})
    logger.log_table(["a", "b"], [[1, "x"]], "mine")

    assert logger.hyperparameters == {"lr": 0.2, "epochs": 3}
    assert json.loads(logger.tables["mine"]) == {"columns": ["a", "b"], "data": [[1, "x"]]}
