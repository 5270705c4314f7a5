"""Model: stops, exceptions, sink mode, evaluations, mixed precision and invalid arguments."""

import logging
from types import TracebackType
from typing import Any

import numpy as np
import pytest
from support.line_network import Line, line_batches
from support.pytorch import torch

from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.events.run_context import CallbackParams, RunContext
from toposcope.recorder.training.model import Model
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State


class HookTrace(Callback):
    """Records the hooks and their params, and calls a function at each."""

    def __init__(self, act: Any = lambda hook, run_context: None) -> None:
        self.hooks: list[str] = []
        self.params: list[dict[str, Any]] = []
        self.error: BaseException | None = None
        self._act = act

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hooks.append("exit")
        self.error = error

    def add(self, hook: str, run_context: RunContext) -> None:
        self.hooks.append(hook)
        self.params.append(dict(run_context.original_args()))
        self._act(hook, run_context)


def recorded(hook: str) -> Any:
    return lambda self, run_context: self.add(hook.removeprefix("on_"), run_context)


for name in dir(Callback):
    if name.startswith("on_"):
        setattr(HookTrace, name, recorded(name))


def stops_at(hook: str, step: int) -> Any:
    def act(current_hook: str, run_context: RunContext) -> None:
        if current_hook == hook and run_context.original_args().cur_step_num == step:
            run_context.request_stop()

    return act


def line_model() -> Model:
    return Model(Line(), metrics={"mse"})


def unchecked_model() -> Any:
    """Return a line model whose methods accept arguments of any type for mypy."""
    return line_model()


def torch_model(**settings: Any) -> Model:
    torch.manual_seed(0)
    network = torch.nn.Linear(2, 2)
    return Model(network, torch.nn.CrossEntropyLoss(), torch.optim.SGD(network.parameters(), lr=0.1), **settings)


def torch_batches(number: int) -> list[Any]:
    return [(torch.randn(6, 2), torch.tensor([0, 1, 0, 1, 0, 1])) for _ in range(number)]


def test_a_stop_within_an_epoch_still_ends_the_epoch_and_the_training() -> None:
    callback = HookTrace(stops_at("train_step_end", 2))
    line_model().train(5, line_batches(4), callbacks=callback)
    step = ["train_step_begin", "train_step_end"]
    assert callback.hooks == [
        "train_begin",
        "train_epoch_begin",
        *step,
        *step,
        "train_epoch_end",
        "train_end",
        "exit",
    ]


def test_a_stop_within_an_epoch_of_fit_still_evaluates_before_the_epoch_ends() -> None:
    callback = HookTrace(stops_at("train_step_end", 1))
    line_model().fit(5, line_batches(4), line_batches(1), callbacks=callback)
    after = callback.hooks[callback.hooks.index("train_step_end") + 1 :]
    evaluation = ["eval_begin", "eval_epoch_begin", "eval_step_begin", "eval_step_end", "eval_epoch_end", "eval_end"]
    assert after == [*evaluation, "exit", "train_epoch_end", "train_end", "exit"]
    assert set(callback.params[-2]["metrics"]) == {"mse"}


def test_a_stop_before_the_first_step_ends_the_training_after_one_step_as_in_mindspore() -> None:
    def act(hook: str, run_context: RunContext) -> None:
        if hook == "train_step_begin":
            run_context.request_stop()

    callback = HookTrace(act)
    line_model().train(5, line_batches(4), callbacks=callback)
    assert callback.hooks.count("train_step_end") == 1


def test_a_stop_in_an_evaluation_ends_that_evaluation_only() -> None:
    callback = HookTrace(stops_at("eval_step_end", 1))
    line_model().fit(2, line_batches(2), line_batches(3), callbacks=callback)
    assert callback.hooks.count("eval_step_end") == 2
    assert callback.hooks.count("train_step_end") == 4


def test_an_exception_of_a_callback_ends_the_training_and_is_passed_to_every_exit() -> None:
    def act(hook: str, run_context: RunContext) -> None:
        if hook == "train_step_end":
            raise ZeroDivisionError("by the callback")

    first, second = HookTrace(), HookTrace(act)
    with pytest.raises(ZeroDivisionError, match="by the callback"):
        line_model().train(1, line_batches(2), callbacks=[first, second])
    assert first.hooks[-2:] == ["train_step_end", "exit"]
    assert isinstance(first.error, ZeroDivisionError)
    assert second.error is first.error


def test_in_sink_mode_an_epoch_is_one_step_of_sink_size_batches() -> None:
    hooks, events = HookTrace(), CountedBatches()
    line_model().train(3, line_batches(4), callbacks=[hooks, events], dataset_sink_mode=True, sink_size=2)
    assert events.batches == 6
    assert [params["cur_step_num"] for params in hooks.params] == [0, 0, 2, 2, 2, 2, 4, 4, 4, 4, 6, 6, 6, 6]
    assert hooks.hooks.count("train_step_begin") == hooks.hooks.count("train_step_end") == 3
    assert hooks.params[0]["batch_num"] == hooks.params[0]["sink_size"] == 2
    assert hooks.params[0]["dataset_sink_mode"]


def test_the_default_sink_is_the_whole_dataset() -> None:
    hooks = HookTrace()
    line_model().train(2, line_batches(4), callbacks=hooks, dataset_sink_mode=True)
    assert [params["cur_step_num"] for params in hooks.params[2:4]] == [4, 4]


class CountedBatches(EventCallback):
    """Counts the training batches."""

    def __init__(self) -> None:
        self.batches = 0

    def batch_end(self, state: State, logger: Logger) -> None:
        self.batches += 1


def test_valid_frequency_is_an_interval_or_a_list_of_epochs() -> None:
    interval, listed = HookTrace(), HookTrace()
    line_model().fit(5, line_batches(1), line_batches(1), valid_frequency=2, callbacks=interval)
    line_model().fit(5, line_batches(1), line_batches(1), valid_frequency=[1, 5], callbacks=listed)
    for callback, epochs in ((interval, [2, 4]), (listed, [1, 5])):
        hooks = [hook for hook in callback.hooks if hook != "exit"]
        params_at_begin = [params for params, hook in zip(callback.params, hooks, strict=True) if hook == "eval_begin"]
        assert [params["cur_epoch_num"] for params in params_at_begin] == epochs


def test_evaluation_results_are_metrics_and_the_mean_loss_per_sample() -> None:
    callback = HookTrace()
    batches = [(np.zeros(3), np.ones(3)), (np.zeros(1), np.full(1, 3.0))]
    Model(Line(learning_rate=0.0), metrics={"mse"}).fit(1, batches, batches, callbacks=callback)
    results = callback.params[callback.hooks.index("train_epoch_end") - 1]["eval_results"]
    assert results == {"mse": 3.0, "eval_loss": 3.0}


def test_labels_of_several_evaluators_are_prepended_to_their_metric_names() -> None:
    callback = HookTrace()
    datasets = {"near": line_batches(1), "far": line_batches(2)}
    line_model().fit(1, line_batches(2), datasets, callbacks=callback)
    assert callback.hooks.count("eval_begin") == 2
    assert "metrics" not in callback.params[-1]
    metrics = [params["metrics"] for params in callback.params if "metrics" in params]
    assert set(metrics[-1]) == {"near/mse", "far/mse"}


def test_eval_returns_the_metrics_and_predict_the_outputs() -> None:
    model = Model(Line(learning_rate=0.2), metrics={"mse", "loss"})
    model.train(200, line_batches(4))
    results = model.eval(line_batches(3))
    assert results["mse"] == pytest.approx(results["loss"])
    assert results["mse"] < 1e-6
    assert model.predict(np.array([2.0])) == pytest.approx(5.0, abs=1e-2)


def test_a_torch_network_learns_and_is_in_the_right_mode(caplog: pytest.LogCaptureFixture) -> None:
    torch.manual_seed(0)
    network = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Dropout(0.1), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    modes: list[tuple[str, bool]] = []

    def act(hook: str, run_context: RunContext) -> None:
        if hook.endswith("step_end"):
            modes.append((hook, network.training))

    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    model = Model(network, torch.nn.CrossEntropyLoss(), optimizer, metrics={"acc"})
    inputs = torch.randn(64, 2)
    batches = [(inputs, (inputs[:, 0] > 0).long())]
    model.fit(100, batches, batches, valid_frequency=100, callbacks=HookTrace(act))
    assert model.eval(batches)["acc"] > 0.9
    assert set(modes) == {("train_step_end", True), ("eval_step_end", False)}
    assert not model.predict(inputs).requires_grad


@pytest.mark.parametrize("level", ["O0", "O1", "O2", "O3", "auto"])
def test_amp_levels_compute_under_autocast_and_keep_float32_weights(level: str) -> None:
    dtypes = []
    model = torch_model(amp_level=level)
    model.train_network.register_forward_hook(lambda module, inputs, output: dtypes.append(output.dtype))
    model.train(1, torch_batches(1))
    assert dtypes == [torch.float32 if level == "O0" else torch.bfloat16]
    assert model.train_network.weight.dtype is torch.float32


def test_gradients_of_microbatches_add_up_to_those_of_the_whole_batch() -> None:
    whole, parts = torch_model(), torch_model(microbatch_size=4)
    torch.manual_seed(1)
    batches = torch_batches(3)
    whole.train(1, batches)
    parts.train(1, batches)
    torch.testing.assert_close(whole.train_network.weight, parts.train_network.weight)


def test_a_fixed_loss_scale_does_not_change_the_update() -> None:
    class Scale:
        def get_loss_scale(self) -> float:
            return 128.0

    torch.manual_seed(1)
    batches = torch_batches(3)
    plain, scaled = torch_model(), torch_model(loss_scale_manager=Scale())
    plain.train(1, batches)
    scaled.train(1, batches)
    torch.testing.assert_close(plain.train_network.weight, scaled.train_network.weight)


def test_a_network_may_return_its_loss() -> None:
    class WithLoss(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = torch.nn.Linear(2, 2)

        def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            outputs = self.body(inputs)
            return torch.nn.functional.cross_entropy(outputs, labels), outputs

    network, callback = WithLoss(), HookTrace()
    Model(network, optimizer=torch.optim.SGD(network.parameters(), lr=0.1)).train(1, torch_batches(1), callback)
    loss, outputs = callback.params[-1]["net_outputs"]
    assert not loss.requires_grad
    assert outputs.shape == (6, 2)


def test_the_callback_returned_by_enter_is_called_instead() -> None:
    replacement = HookTrace()

    class Replaced(Callback):
        def __enter__(self) -> Callback:
            return replacement

    line_model().train(1, line_batches(1), callbacks=Replaced())
    assert "train_end" in replacement.hooks


def test_legacy_hooks_are_a_warning_in_train_and_eval_and_an_error_in_fit(caplog: pytest.LogCaptureFixture) -> None:
    class Legacy(Callback):
        steps = 0

        def step_end(self, run_context: RunContext) -> None:
            self.steps += 1

    legacy = Legacy()
    with caplog.at_level(logging.WARNING):
        line_model().train(1, line_batches(2), callbacks=legacy)
        line_model().eval(line_batches(3), callbacks=legacy)
    assert legacy.steps == 5
    assert caplog.text.count("Legacy overrides step_end") == 2
    with pytest.raises(ValueError, match="Legacy overrides step_end"):
        line_model().fit(1, line_batches(1), callbacks=legacy)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: Model(3), TypeError, "3 is neither"),
        (lambda: Model(Line(), amp_level="O9"), ValueError, "'O9'"),
        (lambda: Model(Line(), boost_level="O1"), ValueError, "'O1'"),
        (lambda: Model(Line(), loss_fn=3), TypeError, "loss_fn"),
        (lambda: Model(Line(), metrics={"no such"}), ValueError, "no such"),
        (lambda: unchecked_model().train("3", line_batches(1)), TypeError, "epoch must be an integer, not '3'"),
        (lambda: line_model().train(0, line_batches(1)), ValueError, "epoch"),
        (lambda: line_model().train(3, line_batches(1), initial_epoch=3), ValueError, "initial_epoch"),
        (lambda: unchecked_model().train(1, 7), TypeError, "train_dataset"),
        (lambda: line_model().train(1, []), ValueError, "no batch"),
        (lambda: line_model().train(2, iter(line_batches(1))), ValueError, "generator"),
        (lambda: unchecked_model().train(1, line_batches(1), callbacks=[print]), TypeError, "callbacks"),
        (lambda: unchecked_model().train(1, line_batches(1), dataset_sink_mode=1), TypeError, "dataset_sink_mode"),
        (
            lambda: line_model().train(1, line_batches(1), dataset_sink_mode=True, sink_size=0),
            ValueError,
            "sink_size",
        ),
        (lambda: line_model().fit(1, line_batches(1), line_batches(1), valid_frequency=0), ValueError, "valid_freq"),
        (lambda: Model(Line()).fit(1, line_batches(1), line_batches(1)), ValueError, "no metrics"),
        (lambda: Model(Line()).eval(line_batches(1)), ValueError, "no metrics"),
        (lambda: unchecked_model().eval(5), TypeError, "iterable"),
    ],
)
def test_errors_name_the_invalid_argument(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_callback_params_are_items_and_attributes() -> None:
    params = CallbackParams(cur_step_num=1)
    params.mine = 2
    assert (params["mine"], params.cur_step_num, getattr(params, "other", 3)) == (2, 1, 3)
    del params.mine
    with pytest.raises(AttributeError, match=r"'mine'.*cur_step_num"):
        _ = params.mine
    no_params: Any = []
    with pytest.raises(TypeError, match="original_args"):
        RunContext(no_params)


def test_callbacks_of_both_styles_are_called_in_list_order() -> None:
    order: list[str] = []

    class BatchEnd(EventCallback):
        def run_event(self, event: Event, state: State, logger: Logger) -> None:
            if event is Event.BATCH_END:
                order.append("event")

    def act(hook: str, run_context: RunContext) -> None:
        if hook == "train_step_end":
            order.append("hook")

    line_model().train(1, line_batches(1), callbacks=[HookTrace(act), BatchEnd(), HookTrace(act)])
    assert order == ["hook", "event", "hook"]
