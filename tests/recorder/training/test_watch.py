"""watch(): loops written by the user, with any kind of model."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.pytorch import torch
from support.traced_callbacks import Events, Traced

from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.watch import watch

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "traces" / "mindspore.json").read_text())


class StopsAt(Callback):
    """Requests a stop at a hook of a step or an epoch."""

    def __init__(self, hook: str, number: int) -> None:
        self.number = number
        setattr(self, hook, self.stop)

    def stop(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if self.number in (params.cur_step_num, params.get("cur_epoch_num")):
            run_context.request_stop()


def test_events_of_a_loop_with_evaluations() -> None:
    """The loader's length determines the end of an epoch; an evaluation belongs to the epoch before it."""
    events = Events()
    with watch(events, loader=range(2)) as run:
        for _ in range(2):
            for _ in range(2):
                run.step(1.0)
            run.eval({"accuracy": 0.5})

    def epoch(number: int) -> list[tuple[str, int, int]]:
        first, last = 2 * number, 2 * number + 2
        evaluation = ["eval_before_all", "eval_start", "eval_end", "eval_after_all"]
        return [
            ("epoch_start", number, first),
            ("batch_start", number, first),
            ("batch_end", number, first + 1),
            ("batch_checkpoint", number, first + 1),
            ("batch_start", number, first + 1),
            ("batch_end", number, last),
            ("batch_checkpoint", number, last),
            ("epoch_end", number + 1, last),
            *((name, number + 1, last) for name in evaluation),
            ("epoch_checkpoint", number + 1, last),
        ]

    begin = [(name, 0, 0) for name in ("init", "before_load", "after_load", "fit_start", "iteration_start")]
    assert events.trace == [*begin, *epoch(0), *epoch(1), ("fit_end", 2, 4), ("close", 2, 4)]


def test_hooks_are_those_of_mindspore() -> None:
    """Order and counters are those of its fit(), without the steps of evaluations, which the loop does not report."""

    def comparable(trace: list[list[Any]]) -> list[list[Any]]:
        return [
            entry[:3] if entry[0].startswith("on_eval") else entry[:5] for entry in trace if "eval_step" not in entry[0]
        ]

    callback = Traced()
    with watch([callback], loader=range(2), epochs=2, valid_loader=range(1)) as run:
        for _ in range(2):
            for _ in range(2):
                run.step(1.0)
            run.eval({"mse": 0.5})

    assert comparable(callback.trace) == comparable(GOLDEN["fit"])


def test_outputs_follow_the_loss() -> None:
    """net_outputs is the loss, or a tuple that begins with it."""
    callback = Traced("net_outputs")
    with watch(callback) as run:
        run.step(0.5)
        run.step(0.25, outputs="logits")

    assert callback.params["on_train_step_end"] == [[0.5], [(0.25, "logits")]]


def test_with_a_loader_without_length_the_loop_ends_epochs() -> None:
    """end_epoch() ends an epoch; an evaluation before it belongs to that epoch."""
    callback = Traced("metrics")
    with watch(callback, loader=iter([1, 2])) as run:
        for epoch in range(2):
            run.step(1.0)
            run.step(1.0)
            run.eval({"accuracy": epoch})
            run.end_epoch()
            run.end_epoch()

    ends = [entry for entry in callback.trace if entry[0] == "on_train_epoch_end"]
    assert [entry[2:] for entry in ends] == [[1, 2, -1], [2, 4, -1]]
    assert callback.params["on_train_epoch_end"] == [[{"accuracy": 0}], [{"accuracy": 1}]]


def test_epoch_without_evaluation_is_ended_by_the_next_step() -> None:
    """The last one is ended by the end of the loop."""
    events = Events()
    with watch(events, loader=range(1)) as run:
        run.step(1.0)
        assert events.names[-1] == "epoch_end"
        run.step(1.0)

    epoch = ["epoch_start", "batch_start", "batch_end", "batch_checkpoint", "epoch_end", "epoch_checkpoint"]
    assert events.names[5:] == [*epoch, *epoch, "fit_end", "close"]


def test_on_train_epoch_end_is_called_for_an_epoch_that_was_cut_short() -> None:
    """As in MindSpore; Composer's EPOCH_END is not run."""
    callback, events = Traced("metrics"), Events()
    with watch([callback, events], loader=range(10)) as run:
        run.step(1.0)
        run.eval({"accuracy": 0.5})

    assert [entry[0] for entry in callback.trace[-3:]] == ["on_train_epoch_end", "on_train_end", "__exit__"]
    assert callback.params["on_train_epoch_end"] == [[{"accuracy": 0.5}]]
    assert "epoch_end" not in events.names


def test_metrics_of_an_evaluation() -> None:
    """Callbacks of both styles and loggers receive them; "loss" is also eval_loss; an epoch may have several."""
    callback, logger = Traced("metrics", "eval_results"), InMemoryLogger()
    with watch(callback, loader=range(1), loggers=[logger]) as run:
        run.step(1.0)
        run.eval({"accuracy": 0.5, "loss": torch.tensor(0.25)}, label="digits", more=True)
        run.eval({"letters": 0.75}, label="letters")

    metrics, results = callback.params["on_train_epoch_end"][0]
    assert metrics == {"accuracy": 0.5, "loss": torch.tensor(0.25), "letters": 0.75}
    assert results == {**metrics, "eval_loss": 0.25}
    assert logger.most_recent_values["metrics/digits/loss"] == 0.25
    assert logger.most_recent_values["metrics/letters/letters"] == 0.75
    assert run.state.eval_metrics["digits"]["accuracy"] == 0.5
    assert run.state.dataloader_label == "train"


def test_step_returns_whether_to_continue() -> None:
    """False means that the loop should end."""
    with watch(StopsAt("on_train_step_end", 3), loader=range(10)) as run:
        assert [run.step(1.0) for _ in range(3)] == [True, True, False]
        assert run.stop_requested


def test_stop_at_the_end_of_an_epoch_is_visible_before_the_next() -> None:
    """It is visible after the evaluation."""
    stopped = []
    with watch(StopsAt("on_train_epoch_end", 2), loader=range(3)) as run:
        for _ in range(5):
            for _ in range(3):
                run.step(1.0)
            run.eval({"accuracy": 1.0})
            stopped.append(run.stop_requested)
            if run.stop_requested:
                break

    assert stopped == [False, True]
    assert int(run.state.timestamp.batch) == 6


def test_exception_of_the_loop_reaches_callbacks_and_the_user() -> None:
    """Callbacks are closed without FIT_END."""
    callback, events = Traced(), Events()

    def train() -> None:
        with watch([callback, events]) as run:
            run.step(1.0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train()
    assert callback.trace[-1] == ["__exit__", "ZeroDivisionError"]
    assert events.names[-2:] == ["batch_checkpoint", "close"]


@pytest.mark.parametrize("event", ["init", "fit_start", "batch_start", "batch_end", "eval_end", "fit_end"])
def test_exception_of_a_callback_ends_the_training(event: str) -> None:
    """No matter where it is raised, all callbacks are exited with it and closed, and may be used again."""

    class Failing(EventCallback):
        def run_event(self, current_event: Event, state: Any, logger: Any) -> None:
            if current_event == event and is_failing:
                raise ZeroDivisionError

    is_failing = True
    callback, events, failing = Traced(), Events(), Failing()

    def train() -> None:
        with watch([callback, events, failing]) as run:
            run.step(1.0)
            run.eval({"accuracy": 1.0})

    with pytest.raises(ZeroDivisionError):
        train()
    assert events.names[-1] == "close"
    if event != "init":
        assert callback.trace[-1] == ["__exit__", "ZeroDivisionError"]
    is_failing = False
    train()


def test_run_must_be_used_inside_its_with_statement() -> None:
    """Calls before it, steps after it, and entering it again raise a clear error."""
    run = watch(Events())
    for call in (lambda: run.step(1.0), lambda: run.eval({})):
        with pytest.raises(RuntimeError, match=r"with \.\.\.\.watch"):
            call()
    with run:
        run.step(1.0)
    for call in (lambda: run.step(1.0), run.end_epoch):
        with pytest.raises(RuntimeError, match=r"with \.\.\.\.watch"):
            call()
    with pytest.raises(RuntimeError, match="call watch"):
        run.__enter__()


def test_network_without_framework_is_watched() -> None:
    """Any object can be the model."""

    class Line:
        weight = np.ones(3)

        def train_step(self, inputs: np.ndarray) -> float:
            return float(inputs @ self.weight)

    def loader() -> Iterator[np.ndarray]:
        yield from np.zeros((4, 3))

    line, callback = Line(), Traced("network", "net_outputs")
    with watch(callback, line, loader=loader()) as run:
        for inputs in run.state.train_dataloader:
            run.step(line.train_step(inputs), batch=inputs)

    assert callback.params["on_train_step_end"] == [[line, 0.0]] * 4


def test_evaluation_time_is_not_training_time() -> None:
    """The time between the last step of an epoch and the end of eval() does not count."""
    began = time.perf_counter()
    with watch([]) as run:
        run.step(1.0)
        end = time.perf_counter() + 0.05
        while time.perf_counter() < end:
            pass
        run.eval({})
        run.step(1.0)

    elapsed = time.perf_counter() - began
    assert 0 < run.state.timestamp.total_wct.total_seconds() <= elapsed - 0.05 + 1e-5


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"callbacks": [1]}, TypeError, "callbacks"),
        ({"callbacks": Events}, TypeError, "callbacks"),
        ({"callbacks": [], "loggers": [Events()]}, TypeError, "loggers"),
        ({"callbacks": [], "epochs": 0}, ValueError, "epochs"),
        ({"callbacks": [], "epochs": "10"}, TypeError, "epochs"),
    ],
)
def test_errors_name_the_invalid_argument(arguments: dict[str, Any], error: type[Exception], named: str) -> None:
    """They are raised before the training."""
    with pytest.raises(error, match=named):
        watch(**arguments)


@pytest.mark.parametrize("metrics", [0.5, {1: 0.5}, None])
def test_metrics_must_be_a_dict_of_names(metrics: Any) -> None:
    """Otherwise eval() raises before any event."""
    events = Events()
    with watch(events) as run:
        with pytest.raises(TypeError, match="metrics"):
            run.eval(metrics)
        assert "eval_before_all" not in events.names
