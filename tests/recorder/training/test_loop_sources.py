"""Functions that a user-written loop supplies to watch(), for networks of any kind."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from support.pytorch import torch
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.training.state.loop_sources import checked_sources

SETTINGS = {
    "histogram_regular": "",
    "gradient_histogram_regular": "",
    "collect_graph": False,
    "collect_machine": False,
    "collect_throughput": False,
}


def test_a_loop_that_replaces_its_parameters_is_recorded(tmp_path: Path) -> None:
    """Functions without arguments return what is current at each step; names are the keys of nested containers."""
    parameters: dict[str, Any] = {"layers": [{"w": np.zeros(3)}, {"w": np.zeros(4)}], "name": "no array"}
    gradients: dict[str, Any] = {}
    rate = 0.5
    run = SummaryCollector(tmp_path, 1, SETTINGS).watch(
        parameters=lambda: parameters, gradients=lambda: gradients, learning_rate=lambda: rate
    )
    with run:
        for step in range(1, 4):
            gradients = {"layers": [{"w": np.full(3, -1.0 * step)}]}
            parameters = {"layers": [{"w": np.full(3, 1.0 * step)}, {"w": np.full(4, 2.0 * step)}]}
            rate /= 2
            run.step(0.0)
    assert tags_of(tmp_path, "histogram") == ["gradient/layers/0/w", "layers/0/w/auto", "layers/1/w/auto"]
    assert [each.max for each in run_in(tmp_path).histograms("layers/1/w/auto")] == [2.0, 4.0, 6.0]
    assert [each.max for each in run_in(tmp_path).histograms("gradient/layers/0/w")] == [-1.0, -2.0, -3.0]
    assert scalars_of(tmp_path, "learning_rate") == {1: 0.25, 2: 0.125, 3: 0.0625}


class Schedule:
    """A schedule that is an object."""

    def __call__(self, step: int) -> float:
        return 0.5**step


def schedule(step: int, base: float = 0.5) -> float:
    """Return the rate of a step."""
    return base**step


@pytest.mark.parametrize(
    "rate",
    [schedule, Schedule(), functools.partial(schedule, base=0.5), lambda count: np.float32(0.5) ** count],
    ids=["function", "object", "partial", "lambda"],
)
def test_a_schedule_receives_the_steps_finished_before(tmp_path: Path, rate: Callable[..., Any]) -> None:
    """The first step uses the rate of 0, as an optimizer with that schedule does; a resumed training goes on."""
    with SummaryCollector(tmp_path, 1, SETTINGS).watch(learning_rate=rate, initial_step=4) as run:
        run.step(0.0)
        run.step(0.0)
    assert scalars_of(tmp_path, "learning_rate") == {5: 0.5**4, 6: 0.5**5}


@pytest.mark.parametrize("rate", [0.5, lambda: 0.5, lambda bound=0.5: bound, lambda *_: 0.5, np.float64(0.5).item])
def test_a_rate_without_required_arguments_is_called_without_any(tmp_path: Path, rate: Any) -> None:
    """A default argument often binds a value; it does not receive the step."""
    with SummaryCollector(tmp_path, 1, SETTINGS).watch(learning_rate=rate) as run:
        run.step(0.0)
        run.step(0.0)
    assert scalars_of(tmp_path, "learning_rate") == {1: 0.5, 2: 0.5}


def test_a_rate_may_be_a_tensor_s_method(tmp_path: Path) -> None:
    """Its signature is not known to inspect."""
    test_a_rate_without_required_arguments_is_called_without_any(tmp_path, torch.tensor(0.5).item)


def test_several_learning_rates_are_those_of_groups(tmp_path: Path) -> None:
    """A scheduler of PyTorch returns a list."""
    model = torch.nn.Linear(2, 1)
    groups = [{"params": [model.weight], "lr": 0.5}, {"params": [model.bias], "lr": 0.25}]
    scheduler = torch.optim.lr_scheduler.ConstantLR(torch.optim.SGD(groups), factor=1.0)
    with SummaryCollector(tmp_path, 1, SETTINGS).watch(learning_rate=scheduler.get_last_lr) as run:
        run.step(0.0)
    assert scalars_of(tmp_path, "learning_rate/group0") == {1: 0.5}
    assert scalars_of(tmp_path, "learning_rate/group1") == {1: 0.25}


class Pair(NamedTuple):
    """Parameters in a named tuple."""

    weight: Any
    bias: Any


@pytest.mark.parametrize(
    ("parameters", "names"),
    [
        (lambda: torch.nn.Linear(2, 1).named_parameters(), ["bias", "weight"]),
        (lambda: torch.nn.Linear(2, 1), ["bias", "weight"]),
        (lambda: Pair(np.ones(2), [np.ones(1)]), ["bias/0", "weight"]),
        (lambda: (np.ones(2), np.ones(1)), ["0", "1"]),
        (lambda: np.ones(2), ["parameters"]),
    ],
    ids=["named_parameters", "module", "named tuple", "tuple", "array"],
)
def test_parameters_may_have_any_form(tmp_path: Path, parameters: Callable[[], Any], names: list[str]) -> None:
    """Networks, containers of arrays, and what named_parameters() of PyTorch returns."""
    with SummaryCollector(tmp_path, 1, SETTINGS).watch(parameters=parameters, learning_rate=1.0) as run:
        run.step(0.0)
    assert tags_of(tmp_path, "histogram") == [f"{name}/auto" for name in names]


@pytest.mark.parametrize("name", ["parameters", "gradients"])
@pytest.mark.parametrize("function", [{"w": np.ones(2)}, lambda step: step, 3])
def test_what_is_not_a_function_without_arguments_is_refused(name: str, function: Any, tmp_path: Path) -> None:
    """The error names the argument and shows what to pass; nothing is recorded."""
    arguments: Any = {name: function}
    with pytest.raises(TypeError, match=f"{name} must be a function without arguments .* `lambda: {name}`"):
        SummaryCollector(tmp_path).watch(**arguments)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["parameters", "gradients"])
def test_a_module_is_no_function_without_arguments(name: str, tmp_path: Path) -> None:
    """Although it can be called."""
    test_what_is_not_a_function_without_arguments_is_refused(name, torch.nn.Linear(2, 1), tmp_path)


@pytest.mark.parametrize("rate", ["0.1", True, lambda first, second: 0.1, lambda *, step: 0.1, [0.1]])
def test_a_rate_of_another_kind_is_refused(rate: Any) -> None:
    """The error names the kinds that are accepted."""
    with pytest.raises(TypeError, match="learning_rate must be a number, a function without arguments, or"):
        checked_sources(None, None, rate)
