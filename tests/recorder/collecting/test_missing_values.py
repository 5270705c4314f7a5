"""What a watched loop does not provide is named in one warning, with the way to provide it."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.pytorch import torch
from support.recorded_run import scalars_of, tags_of

from toposcope.recorder.callbacks import SummaryCollector

NOTHING_ELSE = {"histogram_regular": "$^", "collect_learning_rate": False, "collect_graph": False}


def warnings_of(
    caplog: pytest.LogCaptureFixture, directory: Path, settings: dict[str, Any] | None = None, **arguments: Any
) -> list[str]:
    """Run a loop of three steps; return the warnings."""
    with SummaryCollector(directory, 1, settings).watch(**arguments) as run:
        for step in range(3):
            run.step(1 / (1 + step))
    assert len(scalars_of(directory, "loss/auto")) == 3
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_loop_without_a_model_gets_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One warning for all steps names parameters, learning rate and graph, and the arguments that provide them."""
    (warning,) = warnings_of(caplog, tmp_path)
    assert "parameters: pass model, or parameters=" in warning
    assert "the learning rate: pass optimizer, or learning_rate=" in warning
    assert "the graph" in warning
    assert "gradients" not in warning
    assert str(tmp_path) in warning


def test_what_is_not_to_be_collected_is_not_missing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The settings that the warning names switch it off."""
    assert not warnings_of(caplog, tmp_path, NOTHING_ELSE)


def test_a_module_and_its_optimizer_are_enough(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is missing in a loop over PyTorch."""
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    assert not warnings_of(caplog, tmp_path, model=model, optimizer=optimizer)


def test_only_what_is_missing_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A module without an optimizer has no learning rate."""
    (warning,) = warnings_of(caplog, tmp_path, model=torch.nn.Linear(2, 1))
    assert "not collected: the learning rate: pass optimizer, or learning_rate=" in warning
    assert warning.endswith("set collect_learning_rate to False in collect_specified_data.")


def test_an_unknown_optimizer_asks_for_the_rate(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """An object without a learning rate was passed: only a function helps."""
    settings = {"collect_graph": False}
    (warning,) = warnings_of(caplog, tmp_path, settings, model={"w": np.ones(3)}, optimizer=object())
    assert "the learning rate: pass learning_rate=" in warning
    assert "parameters" not in warning


def test_requested_gradients_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Gradients are collected only if the user asks for them."""
    settings = {**NOTHING_ELSE, "collect_gradient_norm": True}
    (warning,) = warnings_of(caplog, tmp_path, settings, model=object())
    assert "not collected: gradients: call step() before they are zeroed, or pass gradients=" in warning


def test_a_function_that_raises_is_reported_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The training goes on, and the failure is not also reported as missing."""

    def broken() -> Any:
        raise OSError("no parameters today")

    settings = {"collect_graph": False}
    (warning,) = warnings_of(caplog, tmp_path, settings, parameters=broken, learning_rate=0.1)
    assert "no parameters today" in warning
    assert set(scalars_of(tmp_path, "learning_rate").values()) == {0.1}
    assert not tags_of(tmp_path, "histogram")


def test_a_model_with_its_own_loop_is_not_warned(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Only loops can pass more to watch(): Model has no such arguments."""
    from support.line_network import Line, line_batches

    from toposcope.recorder.training.model import Model

    Model(Line()).train(1, line_batches(3), callbacks=[SummaryCollector(tmp_path, 1)])
    assert not [record for record in caplog.records if "not collected" in record.getMessage()]
