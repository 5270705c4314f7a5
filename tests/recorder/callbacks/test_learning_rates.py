"""LearningRateScheduler and ReduceLROnPlateau: their changes of learning rates."""

import logging
import math
from typing import Any

import pytest
from support.line_network import Line, line_batches
from support.pytorch import torch

from toposcope.recorder.callbacks.learning_rate_scheduler import LearningRateScheduler
from toposcope.recorder.callbacks.reduce_lr_on_plateau import ReduceLROnPlateau
from toposcope.recorder.training.events.run_context import CallbackParams, RunContext
from toposcope.recorder.training.model import Model


def sgd(*rates: Any, **settings: Any) -> "torch.optim.Optimizer":
    """Return an optimizer with a group for each learning rate."""
    groups = [{"params": [torch.nn.Parameter(torch.ones(1))], "lr": rate} for rate in rates]
    return torch.optim.SGD(groups, lr=1.0, **settings)


def rates_of(optimizer: "torch.optim.Optimizer") -> list[float]:
    """Return the learning rates of the groups."""
    return [float(group["lr"]) for group in optimizer.param_groups]


def context_of(optimizer: object, **params: Any) -> RunContext:
    """Return a context in the first epoch of a training."""
    return RunContext(CallbackParams(optimizer=optimizer, network=torch.nn.Linear(1, 1), cur_epoch_num=1, **params))


def test_documented_example_reduces_the_rate_at_regular_steps() -> None:
    def learning_rate_function(lr: float, cur_step_num: int) -> float:
        if cur_step_num % 2 == 0:
            lr = lr * 0.1
        return lr

    network = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    model = Model(network, loss_fn=torch.nn.MSELoss(), optimizer=optimizer)
    data = [(torch.ones(2, 1), torch.zeros(2, 1))] * 5
    model.train(1, data, callbacks=[LearningRateScheduler(learning_rate_function)], dataset_sink_mode=False)
    assert rates_of(optimizer) == pytest.approx([0.001])


def test_function_is_called_only_after_training_steps() -> None:
    steps: list[int] = []
    model = Model(Line(learning_rate=0.5), metrics={"mse"})

    def halved(rate: float, step: int) -> float:
        steps.append(step)
        return rate / 2

    callback = LearningRateScheduler(halved)
    model.train(2, line_batches(2), callbacks=callback)
    model.eval(line_batches(2), callbacks=callback)
    assert steps == [1, 2, 3, 4]
    assert model.train_network.learning_rate == 0.5 / 16


def test_groups_keep_separate_rates() -> None:
    optimizer = sgd(0.1, 0.01, 0.01)
    callback = LearningRateScheduler(lambda rate, step: rate * step)
    callback.step_end(context_of(optimizer, cur_step_num=3))
    assert rates_of(optimizer) == pytest.approx([0.3, 0.03, 0.03])


def test_rate_that_is_a_tensor_is_changed_in_place() -> None:
    tensors = torch.tensor(0.5), torch.tensor(0.25)
    optimizer = torch.optim.Adam(
        [{"params": [torch.nn.Parameter(torch.ones(1))], "lr": tensor} for tensor in tensors], capturable=True
    )
    LearningRateScheduler(lambda rate, step: rate / 2).step_end(context_of(optimizer, cur_step_num=1))
    assert rates_of(optimizer) == [0.25, 0.125]
    assert all(group["lr"] is tensor for group, tensor in zip(optimizer.param_groups, tensors, strict=True))


def test_tiny_change_is_ignored() -> None:
    optimizer = sgd(0.1)
    LearningRateScheduler(lambda rate, step: rate * (1 + 1e-11)).step_end(context_of(optimizer, cur_step_num=1))
    assert rates_of(optimizer) == [0.1]
    LearningRateScheduler(lambda rate, step: rate * (1 + 1e-9)).step_end(context_of(optimizer, cur_step_num=1))
    assert rates_of(optimizer) == [0.1 * (1 + 1e-9)]


def test_scheduler_continues_from_the_rate_that_was_set() -> None:
    optimizer = sgd(1.0)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    optimizer.step()
    scheduler.step()
    LearningRateScheduler(lambda rate, step: rate * 0.1).step_end(context_of(optimizer, cur_step_num=1))
    scheduler.step()
    assert rates_of(optimizer) == pytest.approx([0.025])


@pytest.mark.parametrize(
    ("returned", "error"), [(None, TypeError), ("1", TypeError), (-0.1, ValueError), (math.nan, ValueError)]
)
def test_function_must_return_a_learning_rate(returned: Any, error: type[Exception]) -> None:
    optimizer = sgd(0.1)
    with pytest.raises(error, match="learning_rate_function"):
        LearningRateScheduler(lambda rate, step: returned).step_end(context_of(optimizer, cur_step_num=1))
    assert rates_of(optimizer) == [0.1]


def test_function_must_be_callable() -> None:
    number: Any = 0.1
    with pytest.raises(TypeError, match=r"learning_rate_function must be a function of lr and step, not 0\.1"):
        LearningRateScheduler(number)


@pytest.mark.parametrize("callback", [LearningRateScheduler(lambda rate, step: rate), ReduceLROnPlateau()])
def test_missing_optimizer_is_an_error_before_the_first_step(callback: Any) -> None:
    class NoRate(Line):
        def __init__(self) -> None:
            super().__init__()
            del self.learning_rate

    with pytest.raises(ValueError, match=f"{type(callback).__name__} sets .* a NoRate does not provide one"):
        Model(NoRate()).train(1, line_batches(1), callbacks=callback)


def rates_after(values: list[Any], **settings: Any) -> list[float]:
    """Return the learning rate, initially 1, after each epoch with one of the values."""
    optimizer = sgd(1.0)
    context, callback = context_of(optimizer), ReduceLROnPlateau(**settings)
    callback.on_train_begin(context)
    rates = []
    for value in values:
        context.original_args().eval_results = {} if value is None else {settings.get("monitor", "eval_loss"): value}
        callback.on_train_epoch_end(context)
        rates += rates_of(optimizer)
    return rates


@pytest.mark.parametrize(
    ("settings", "values", "rates"),
    [
        ({"patience": 1, "factor": 0.5}, [3, 3, 3, 2, 2], [1, 0.5, 0.25, 0.25, 0.125]),
        ({"patience": 2, "factor": 0.5}, [3, 3, 3, 3, 3], [1, 1, 0.5, 0.5, 0.25]),
        ({"patience": 1, "factor": 0.5, "cooldown": 2}, [3, 3, 3, 3, 3], [1, 0.5, 0.5, 0.25, 0.25]),
        ({"patience": 1, "factor": 0.5, "min_lr": 0.4}, [3, 3, 3, 3], [1, 0.5, 0.4, 0.4]),
        ({"patience": 1, "factor": 0.5, "min_delta": 1}, [3, 2.5, 1], [1, 0.5, 0.5]),
        ({"patience": 1, "factor": 0.5, "monitor": "acc"}, [1, 2, 2], [1, 1, 0.5]),
        # Zero is a valid value; a missing value changes nothing.
        ({"patience": 1, "factor": 0.5}, [1, 0, 0.5, None, 0], [1, 1, 0.5, 0.5, 0.25]),
        ({"patience": 1, "factor": 0.5}, [math.nan, 1, math.nan], [0.5, 0.5, 0.25]),
    ],
)
def test_plateau_reduces_the_rate(settings: dict[str, Any], values: list[Any], rates: list[float]) -> None:
    assert rates_after(values, **settings) == rates


def test_reduction_keeps_the_proportions_of_groups_and_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    optimizer = sgd(0.5, 0.25)
    context = context_of(optimizer, net_outputs=1.0)
    callback = ReduceLROnPlateau("loss", factor=0.5, patience=1, verbose=True, min_lr=0.2)
    callback.on_train_begin(context)
    for epoch in (1, 2, 3, 4):
        context.original_args().cur_epoch_num = epoch
        callback.on_train_step_end(context)
        callback.on_train_epoch_end(context)
    assert rates_of(optimizer) == [0.2, 0.2]
    assert capsys.readouterr().out.splitlines() == [
        "Epoch 00002: ReduceLROnPlateau reducing learning rate to 0.25, 0.2.",
        "Epoch 00003: ReduceLROnPlateau reducing learning rate to 0.2.",
    ]


def test_fit_reduces_the_rate_of_a_module_whose_evaluation_gets_worse(caplog: pytest.LogCaptureFixture) -> None:
    network = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(network.parameters(), lr=3.0)
    data = [(torch.ones(2, 1), torch.zeros(2, 1))]
    model = Model(network, torch.nn.MSELoss(), optimizer, metrics={"mae"})
    with caplog.at_level(logging.WARNING):
        model.fit(3, data, data, callbacks=ReduceLROnPlateau("mae", patience=1))
    assert rates_of(optimizer) == pytest.approx([0.03])
    assert not caplog.records


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"monitor": None}, TypeError),
        ({"factor": 1.0}, ValueError),
        ({"factor": 0}, ValueError),
        ({"factor": "0"}, TypeError),
        ({"patience": -1}, ValueError),
        ({"verbose": 0}, TypeError),
        ({"mode": "down"}, ValueError),
        ({"min_delta": None}, TypeError),
        ({"cooldown": 0.5}, TypeError),
        ({"min_lr": -1}, ValueError),
        ({"min_lr": math.inf}, ValueError),
    ],
)
def test_errors_name_the_invalid_argument(arguments: dict[str, Any], error: type[Exception]) -> None:
    ((name, value),) = arguments.items()
    with pytest.raises(error, match=rf"{name} .*{value}"):
        ReduceLROnPlateau(**arguments)
