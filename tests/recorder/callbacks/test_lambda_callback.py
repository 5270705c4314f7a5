"""LambdaCallback: functions as hooks."""

from typing import Any

import pytest
from support.line_network import Line, line_batches

from toposcope.recorder.callbacks.lambda_callback import LambdaCallback
from toposcope.recorder.training.events.callback import LEGACY_HOOKS
from toposcope.recorder.training.model import Model

PHASES = ("train", "eval")


def test_documented_example_prints_the_loss_of_each_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    lambda_callback = LambdaCallback(
        epoch_end=lambda run_context: print("loss: ", run_context.original_args().net_outputs)
    )
    Model(Line(), metrics={"mse"}).train(2, line_batches(2), callbacks=[lambda_callback])
    assert [line[:7] for line in capsys.readouterr().out.splitlines()] == ["loss:  ", "loss:  "]


def test_first_six_functions_are_called_in_training_and_evaluation() -> None:
    called: list[str] = []
    order = ("epoch_begin", "epoch_end", "step_begin", "step_end", "begin", "end")
    callback = LambdaCallback(*(lambda _, name=name: called.append(name) for name in order))
    model = Model(Line(), metrics={"mse"})
    model.train(1, line_batches(1), callbacks=callback)
    assert tuple(called) == LEGACY_HOOKS
    model.eval(line_batches(1), callbacks=callback)
    assert tuple(called) == LEGACY_HOOKS * 2


def test_twelve_functions_are_called_at_the_hooks_of_their_names() -> None:
    called: list[str] = []
    names = [f"on_{phase}_{hook}" for phase in PHASES for hook in LEGACY_HOOKS]
    hooks: dict[str, Any] = {name: lambda _, name=name: called.append(name) for name in names}
    model, callback = Model(Line(), metrics={"mse"}), LambdaCallback(**hooks)
    model.train(1, line_batches(1), callbacks=callback)
    model.eval(line_batches(1), callbacks=callback)
    assert called == names


def test_specific_hook_replaces_the_legacy_one() -> None:
    called: list[str] = []
    callback = LambdaCallback(end=lambda _: called.append("end"), on_train_end=lambda _: called.append("on_train_end"))
    model = Model(Line(), metrics={"mse"})
    model.train(1, line_batches(1), callbacks=callback)
    model.eval(line_batches(1), callbacks=callback)
    assert called == ["on_train_end", "end"]


def test_object_that_is_not_callable_is_a_type_error() -> None:
    number: Any = 3
    text: Any = "print"
    with pytest.raises(TypeError, match="on_eval_end must be a function of the run_context or None, not 3"):
        LambdaCallback(on_eval_end=number)
    with pytest.raises(TypeError, match="epoch_begin must be a function"):
        LambdaCallback(text)
