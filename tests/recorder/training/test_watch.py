"""watch(): loops of the user's own, whatever they train with."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.traced_callbacks import Events, Traced

from toposcope.recorder.loggers import InMemoryLogger
from toposcope.recorder.training.callback import Callback
from toposcope.recorder.training.event import Event
from toposcope.recorder.training.event_callback import EventCallback
from toposcope.recorder.training.run_context import RunContext
from toposcope.recorder.training.watch import watch

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "traces" / "mindspore.json").read_text())


class StopsAt(Callback):
    """Asks to stop at a hook of a step or an epoch."""

    def __init__(self, hook: str, number: int) -> None:
        self.number = number
        setattr(self, hook, self.stop)

    def stop(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if self.number in (params.cur_step_num, params.get("cur_epoch_num")):
            run_context.request_stop()


def test_events_of_a_loop_with_evaluations() -> None:
    """Epochs are ended by the loader's length; the evaluation belongs to the epoch before it."""
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
    assert events.seen == [*begin, *epoch(0), *epoch(1), ("fit_end", 2, 4), ("close", 2, 4)]


def test_hooks_are_those_of_mindspore() -> None:
    """The same order and counters as its fit(), but for the steps of evaluations, which the loop does not tell of."""

    def told(trace: list[list[Any]]) -> list[list[Any]]:
        return [
            entry[:3] if entry[0].startswith("on_eval") else entry[:5] for entry in trace if "eval_step" not in entry[0]
        ]

    callback = Traced()
    with watch([callback], loader=range(2), epochs=2, valid_loader=range(1)) as run:
        for _ in range(2):
            for _ in range(2):
                run.step(1.0)
            run.eval({"mse": 0.5})

    assert told(callback.trace) == told(GOLDEN["fit"])


def test_outputs_follow_the_loss() -> None:
    """net_outputs is the loss, or a tuple that begins with it."""
    callback = Traced("net_outputs")
    with watch(callback) as run:
        run.step(0.5)
        run.step(0.25, outputs="logits")

    assert callback.params["on_train_step_end"] == [[0.5], [(0.25, "logits")]]


def test_loader_without_length_leaves_the_epochs_to_the_loop() -> None:
    """end_epoch() says when; an evaluation before it belongs to the epoch."""
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
    """And the last one by the end of the loop."""
    events = Events()
    with watch(events, loader=range(1)) as run:
        run.step(1.0)
        assert events.names[-1] == "epoch_end"
        run.step(1.0)

    epoch = ["epoch_start", "batch_start", "batch_end", "batch_checkpoint", "epoch_end", "epoch_checkpoint"]
    assert events.names[5:] == [*epoch, *epoch, "fit_end", "close"]


def test_epoch_that_is_left_early_is_ended_for_callbacks() -> None:
    """As MindSpore does; Composer's event does not come."""
    callback, events = Traced("metrics"), Events()
    with watch([callback, events], loader=range(10)) as run:
        run.step(1.0)
        run.eval({"accuracy": 0.5})

    assert [entry[0] for entry in callback.trace[-3:]] == ["on_train_epoch_end", "on_train_end", "__exit__"]
    assert callback.params["on_train_epoch_end"] == [[{"accuracy": 0.5}]]
    assert "epoch_end" not in events.names


def test_metrics_of_an_evaluation() -> None:
    """Callbacks of both styles and loggers see them; "loss" is eval_loss too; several evaluations may come."""
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


def test_stop_of_a_step_is_told_by_step() -> None:
    """False means that the loop should end."""
    with watch(StopsAt("on_train_step_end", 3), loader=range(10)) as run:
        assert [run.step(1.0) for _ in range(3)] == [True, True, False]
        assert run.stop_requested


def test_stop_at_the_end_of_an_epoch_is_known_before_the_next() -> None:
    """After the evaluation."""
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
    """Everything is closed; the training has no end."""
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
    """Wherever it is raised, callbacks are left with it and closed, and may be used again."""

    class Fails(EventCallback):
        def run_event(self, event_now: Event, state: Any, logger: Any) -> None:
            if event_now == event and is_failing:
                raise ZeroDivisionError

    is_failing = True
    callback, events, failing = Traced(), Events(), Fails()

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


def test_run_is_told_things_inside_the_with_statement_only() -> None:
    """Clear errors for who forgot it, or comes too late, or again."""
    run = watch(Events())
    with pytest.raises(RuntimeError, match=r"with \.\.\.\.watch"):
        run.step(1.0)
    with run:
        run.step(1.0)
    for call in (lambda: run.step(1.0), lambda: run.eval({}), run.end_epoch):
        with pytest.raises(RuntimeError, match=r"with \.\.\.\.watch"):
            call()
    with pytest.raises(RuntimeError, match="call watch"):
        run.__enter__()


def test_network_without_framework_is_watched() -> None:
    """Any object is a model."""

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


def test_evaluation_time_is_no_training_time() -> None:
    """Nothing between the last step of an epoch and the end of eval() counts."""
    began = time.perf_counter()
    with watch([]) as run:
        run.step(1.0)
        end = time.perf_counter() + 0.05
        while time.perf_counter() < end:
            pass
        run.eval({})
        run.step(1.0)

    taken = time.perf_counter() - began
    assert 0 < run.state.timestamp.total_wct.total_seconds() <= taken - 0.05 + 1e-5


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
def test_wrong_arguments_are_named(arguments: dict, error: type[Exception], named: str) -> None:
    """Before the training."""
    with pytest.raises(error, match=named):
        watch(**arguments)


@pytest.mark.parametrize("metrics", [0.5, {1: 0.5}, None])
def test_metrics_are_a_dict_of_names(metrics: Any) -> None:
    """Else eval() says so, before any event."""
    events = Events()
    with watch(events) as run:
        with pytest.raises(TypeError, match="metrics"):
            run.eval(metrics)
        assert "eval_before_all" not in events.names
