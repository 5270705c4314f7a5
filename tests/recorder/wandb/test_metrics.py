"""define_metric(): step metrics, what the summary contains, and what is recorded of it; as W&B 0.31 does it."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from support.pytorch import torch
from support.recorded_run import run_in, scalars_of

from toposcope.recorder import wandb


def test_definitions_are_lineage(tmp_path: Path) -> None:
    """As JSON by name, merged over the calls; a definition of its own or the longest pattern counts for a metric."""
    with wandb.init() as run:
        run.define_metric("epoch", hidden=True)
        metric = wandb.define_metric("val/*", step_metric=run.define_metric("epoch"), summary="min, max")
        run.define_metric("val/*", summary="best", goal="maximize")
        run.define_metric("kept", step_metric="a", summary="max")
        run.define_metric("kept", summary="min", overwrite=True)
        assert (metric.name, metric.step_metric, metric.step_sync) == ("val/*", "epoch", True)
    assert json.loads(str(run_in(tmp_path).lineage().custom["wandb/metrics"])) == {
        "epoch": {"hidden": True},
        "val/*": {"step_metric": "epoch", "step_sync": True, "summary": ["min", "max", "best"], "goal": "maximize"},
        "kept": {"summary": ["min"]},
    }


def test_aggregations_of_the_summary() -> None:
    """Min, max, mean, last, first, best and none; NaN stays in min, max and mean."""
    run = wandb.init()
    names = ("min,max,mean,last,first", "none", "copy", "best")
    for name in names:
        run.define_metric(name, summary=name, goal="maximize" if name == "best" else None)
    for value in (2, 5.0, 3.0):
        run.log(dict.fromkeys(names, value))
    assert run.summary[names[0]] == {"min": 2, "max": 5.0, "mean": 10 / 3, "last": 3.0, "first": 2}
    assert run.summary["best"].best == 5.0
    assert run.summary["copy"] == 3.0
    assert "none" not in run.summary
    run.log({names[0]: math.nan})
    run.log({names[0]: 4.0})
    assert [math.isnan(run.summary[names[0]][part]) for part in ("min", "max", "mean", "last")] == [True] * 3 + [False]


def test_numbers_before_a_definition_count() -> None:
    """As in W&B; a metric that the script sets itself is the last value from then on."""
    run = wandb.init()
    run.log({"a": 5.0, "b": 5.0})
    run.define_metric("a", summary="max")
    run.define_metric("b", summary="max")
    run.summary["b"] = 9.0
    run.log({"a": 3.0, "b": 3.0})
    assert run.summary["a"] == {"max": 5.0}
    assert run.summary["b"] == 3.0


def test_a_step_without_its_step_metric_receives_the_last_value(tmp_path: Path) -> None:
    """0 if there is none yet; a step metric may have a step metric itself; step_sync=False leaves it out."""
    with wandb.init() as run:
        run.define_metric("loss", step_metric="epoch")
        run.define_metric("epoch", step_metric="phase")
        run.define_metric("apart", step_metric="epoch", step_sync=False)
        run.define_metric("by step", step_metric="_step")
        run.log({"loss": 1.0})
        run.log({"epoch": torch.tensor(3), "phase": 7})
        run.log({"loss": 0.5})
        run.log({"apart": 1.0, "by step": 1.0})
        run.log({"loss": 0.25}, commit=False)
        run.log({"epoch": 4})
    assert scalars_of(tmp_path, "epoch") == {0: 0.0, 1: 3.0, 2: 3.0, 4: 4.0}
    assert scalars_of(tmp_path, "phase") == {0: 0.0, 1: 7.0, 2: 7.0, 4: 7.0}
    assert run_in(tmp_path).lineage().metrics["epoch"] == 4


def test_definitions_and_results_continue_in_a_resumed_run() -> None:
    """The best value so far, and the last value of the step metric."""
    with wandb.init(id="x") as run:
        run.define_metric("loss", step_metric="epoch", summary="min")
        run.log({"loss": 1.0, "epoch": 6})
    with wandb.init(id="x", resume="must") as run:
        run.log({"loss": 2.0})
        assert run.summary["loss"] == {"min": 1.0}
        assert run.summary["epoch"] == 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": 3}, r"define_metric\(name=...\) takes a text, not 3"),
        ({"name": "a*b"}, "at its end only"),
        ({"name": "a", "summary": "weird"}, "not 'weird'"),
        ({"name": "a", "goal": "up"}, "'minimize' or 'maximize', not 'up'"),
        ({"name": "a", "hidden": "yes"}, "takes a bool"),
    ],
)
def test_an_invalid_definition_changes_nothing(
    arguments: dict[str, Any], message: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged, and raised in strict mode."""
    run = wandb.init()
    run.define_metric(**arguments)
    assert "define_metric" in caplog.text
    wandb.reports.REPORTS.is_strict = True
    with pytest.raises(wandb.UsageError, match=message):
        run.define_metric(**arguments)
