"""InMemoryLogger in a watched loop."""

import json

import numpy as np
import pytest
from support.pytorch import torch

from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.training.watch import watch


def test_timeseries_has_every_time_unit() -> None:
    """Metrics are stored with the counts and seconds at which they were logged."""
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
    """A tensor is copied when it is logged, without its graph, so that later changes have no effect."""
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


def test_explicit_step_is_the_batch_of_the_timestamp() -> None:
    """Before INIT and within a training."""
    logger = InMemoryLogger()
    logger.log_metrics({"loss": 1.0}, step=7)
    with watch([], loggers=logger) as run:
        run.step(0.5)
        run.logger.log_metrics({"loss": 2.0})
        run.logger.log_metrics({"loss": 3.0}, step=9)

    assert logger.get_timeseries("loss")["batch"].tolist() == [7, 1, 9]
    assert logger.most_recent_timestamps["loss"].batch == 9


def test_metric_with_the_name_of_a_time_unit_is_returned() -> None:
    """The requested metric takes precedence."""
    logger = InMemoryLogger()
    logger.log_metrics({"epoch": 0.5})

    assert logger.get_timeseries("epoch")["epoch"].tolist() == [0.5]


def test_values_of_different_shapes_are_an_array_of_objects() -> None:
    """They cannot form a regular array."""
    logger = InMemoryLogger()
    logger.log_metrics({"norms": np.zeros(2)})
    logger.log_metrics({"norms": np.zeros(3)})

    assert [len(value) for value in logger.get_timeseries("norms")["norms"]] == [2, 3]


def test_error_of_an_unknown_metric_lists_the_existing_ones() -> None:
    """It also contains the unknown name."""
    logger = InMemoryLogger()
    logger.log_metrics({"loss": 1.0})

    with pytest.raises(ValueError, match=r"\['loss'\], not 'los'"):
        logger.get_timeseries("los")


def test_hyperparameters_and_tables_are_stored() -> None:
    """Hyperparameters are merged; a table is JSON."""
    logger = InMemoryLogger()
    logger.log_hyperparameters({"lr": 0.1})
    logger.log_hyperparameters({"lr": 0.2, "epochs": 3})
    logger.log_table(["a", "b"], [[1, "x"]], "mine")

    assert logger.hyperparameters == {"lr": 0.2, "epochs": 3}
    assert json.loads(logger.tables["mine"]) == {"columns": ["a", "b"], "data": [[1, "x"]]}
