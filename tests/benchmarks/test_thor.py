"""The comparison of optimizers: targets, steps to them, tuning, and equal conditions."""

import math
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def targets(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("thor_targets")


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return import_module("thor_race")


def readings(targets: Any, *values: float) -> list[Any]:
    return [targets.Reading(10 * (number + 1), value, 0.5 * number) for number, value in enumerate(values)]


def test_first_reading_at_the_target_counts(targets: Any) -> None:
    """Later readings do not matter, NaN never counts, and a target that is not reached has no reading."""
    trial = readings(targets, 3.0, math.nan, 1.0, 2.0)
    assert targets.first_reading(trial, 1.0).step == 30
    assert targets.first_reading(trial, 0.9) is None


def test_target_is_above_the_best_loss_of_all_trials(targets: Any) -> None:
    """A trial of NaN only has no best loss."""
    trials = [readings(targets, 3.0, 2.0, 2.5), readings(targets, math.nan), readings(targets, 4.0)]
    assert targets.common_target(trials) == pytest.approx(1.02 * 2.0)


def test_settings_are_ranked_by_steps_then_by_value(targets: Any) -> None:
    """Trials that miss the target come last, the one with the lowest value first."""
    trials = {
        "early": readings(targets, 1.0),
        "late": readings(targets, 5.0, 0.5),
        "close": readings(targets, 5.0, 1.1),
        "far": readings(targets, 5.0, 4.0),
        "diverged": readings(targets, math.nan),
    }
    assert targets.finalists_of(trials, 1.0, 9) == ["early", "late", "close", "far", "diverged"]
    assert targets.finalists_of(trials, 1.0, 2) == ["early", "late"]


def test_best_setting_has_the_lowest_median(targets: Any) -> None:
    """A setting that is first on one seed only is not the best."""
    lucky = [readings(targets, 1.0), readings(targets, 9.0, 9.0, 1.0), readings(targets, 9.0, 9.0, 9.0)]
    steady = [readings(targets, 9.0, 1.0)] * 3
    assert targets.best_setting({"lucky": lucky, "steady": steady}, 1.0) == "steady"


def test_missed_runs_count_as_infinite(targets: Any) -> None:
    """A median over missed runs is not better than what was measured."""
    assert targets.median_with_missed([10, None, 30]) == 30
    assert targets.median_with_missed([10, None, None]) == math.inf
    assert targets.ratio(math.inf, 10) == math.inf
    assert math.isnan(targets.ratio(math.inf, math.inf))


def test_arithmetic_of_one_layer(targets: Any) -> None:
    """Counted by hand: 3 inputs with bias, 2 outputs, 5 samples, every step due."""
    plain = 2 * (2 * 5 * 3 * 2)
    natural, due = 2 * 2 * 4 * 4 + 2 * 2 * 2 * 4, 2 * 5 * (4 * 4 + 2 * 2) + 4**3 + 2**3
    assert targets.arithmetic_ratio((3, 2), 5, 1, block=8) == pytest.approx(1 + (natural + due) / plain)

    natural = 2 * 2 * (2 * 2 + 2 * 2) + 2 * 4 * 2 * 2
    due = 2 * 5 * (4 * 4 + 2 * 2) + 2 * 2**3 + 2**3
    assert targets.arithmetic_ratio((3, 2), 5, 1, block=2) == pytest.approx(1 + (natural + due) / plain)


def test_optimizers_train_under_equal_conditions(trainings: Any) -> None:
    """All see the same initial weights and batches; each is read on the grid until the target or the limit."""
    rows = torch.randn(32, 4)
    networks: list[nn.Module] = []
    starts: list[Tensor] = []
    batches: list[list[Tensor]] = []

    def network() -> nn.Module:
        networks.append(nn.Linear(4, 4))
        starts.append(torch.cat([each.detach().flatten() for each in networks[-1].parameters()]))
        batches.append([])
        return networks[-1]

    def loss(outputs: Tensor, targets: Tensor) -> Tensor:
        batches[-1].append(targets)
        return (outputs - targets).square().sum(1).mean()

    data = trainings.Data((rows, rows), (rows, rows))
    task = trainings.Task(
        name="identity",
        data=lambda: data,
        network=network,
        loss=loss,
        value=lambda net, _: (net(rows) - rows).square().mean(),
        batch=8,
        target=None,
        tuning_steps=20,
        limit=40,
        every=4,
    )
    for name in ("SGD", "Adam", "THOR"):
        run = trainings.Run(task, data, trainings.SETTINGS[name][0], 7)
        trainings.race([run], task.limit, 0.0)
        assert [reading.step for reading in run.readings] == list(range(4, 41, 4))
    assert all(torch.equal(start, starts[0]) for start in starts)
    assert all(len(each) == 40 and torch.equal(torch.stack(each), torch.stack(batches[0])) for each in batches)

    reached = trainings.Run(task, data, trainings.SETTINGS["SGD"][0], 7)
    trainings.race([reached], task.limit, math.inf)
    assert len(reached.readings) == 1


def test_every_optimizer_has_as_many_settings(trainings: Any) -> None:
    """Tuning budgets are equal."""
    assert len({len(set(settings)) for settings in trainings.SETTINGS.values()}) == 1
