"""Which call runs each event, how often, and in which order callbacks are called."""

import logging
from collections import Counter
from typing import Any

import pytest
from support.line_network import Line, line_batches
from support.pytorch import torch

from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.engine import Engine
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.events.logger_destination import LoggerDestination
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State
from toposcope.recorder.training.trainer import Trainer


class EventCounter(EventCallback):
    """Counts the events."""

    def __init__(self) -> None:
        self.counts: Counter[Event] = Counter()

    def run_event(self, event: Event, state: State, logger: Logger) -> None:
        self.counts[event] += 1


FIRED_BY = {
    "Trainer()": {Event.INIT, Event.BEFORE_LOAD, Event.AFTER_LOAD},
    "fit()": {
        Event.FIT_START,
        Event.ITERATION_START,
        Event.EPOCH_START,
        Event.BEFORE_DATALOADER,
        Event.AFTER_DATALOADER,
        Event.BATCH_START,
        Event.BEFORE_TRAIN_BATCH,
        Event.BEFORE_FORWARD,
        Event.AFTER_FORWARD,
        Event.BEFORE_LOSS,
        Event.AFTER_LOSS,
        Event.BEFORE_BACKWARD,
        Event.AFTER_BACKWARD,
        Event.AFTER_TRAIN_BATCH,
        Event.BATCH_END,
        Event.BATCH_CHECKPOINT,
        Event.EPOCH_END,
        Event.EPOCH_CHECKPOINT,
        Event.FIT_END,
    },
    "fit() with iteration_length": {Event.ITERATION_END, Event.ITERATION_CHECKPOINT},
    "fit() with eval_dataloader": {
        Event.EVAL_BEFORE_ALL,
        Event.EVAL_START,
        Event.EVAL_BATCH_START,
        Event.EVAL_BEFORE_FORWARD,
        Event.EVAL_AFTER_FORWARD,
        Event.EVAL_BATCH_END,
        Event.EVAL_END,
        Event.EVAL_AFTER_ALL,
    },
    "eval()": {
        Event.EVAL_STANDALONE_START,
        Event.EVAL_START,
        Event.EVAL_BATCH_START,
        Event.EVAL_BEFORE_FORWARD,
        Event.EVAL_AFTER_FORWARD,
        Event.EVAL_BATCH_END,
        Event.EVAL_END,
        Event.EVAL_STANDALONE_END,
    },
    "predict()": {
        Event.PREDICT_START,
        Event.PREDICT_BATCH_START,
        Event.PREDICT_BEFORE_FORWARD,
        Event.PREDICT_AFTER_FORWARD,
        Event.PREDICT_BATCH_END,
        Event.PREDICT_END,
    },
}


def test_each_of_the_forty_events_is_fired_by_the_expected_call() -> None:
    fired: dict[str, set[Event]] = {}
    counter = EventCounter()

    def collect(call: str) -> None:
        fired[call] = set(counter.counts)
        counter.counts.clear()

    trainer = Trainer(model=Line(), train_dataloader=line_batches(2), max_duration=1, callbacks=counter)
    collect("Trainer()")
    trainer.fit()
    collect("fit()")
    trainer.eval(line_batches(1))
    collect("eval()")
    trainer.predict([x for x, _ in line_batches(1)])
    collect("predict()")
    trainer.close()
    arguments: dict[str, Any] = {
        "model": Line(),
        "train_dataloader": line_batches(2),
        "max_duration": 1,
        "callbacks": counter,
    }
    with Trainer(**arguments, iteration_length="1ep") as trainer:
        collect("")
        trainer.fit()
    collect("fit() with iteration_length")
    fired["fit() with iteration_length"] -= FIRED_BY["fit()"]
    with Trainer(**arguments, eval_dataloader=line_batches(1)) as trainer:
        collect("")
        trainer.fit()
    collect("fit() with eval_dataloader")
    fired["fit() with eval_dataloader"] -= FIRED_BY["fit()"]
    fired.pop("")

    assert fired == FIRED_BY
    assert set().union(*FIRED_BY.values()) == set(Event)


@pytest.mark.parametrize(
    ("epochs", "batches", "microbatches", "evaluators", "eval_batches"),
    [(1, 1, 1, 0, 0), (3, 4, 2, 2, 3), (2, 5, 4, 1, 2)],
)
def test_event_counts_follow_from_epochs_batches_microbatches_and_evaluators(
    epochs: int, batches: int, microbatches: int, evaluators: int, eval_batches: int
) -> None:
    counter, network = EventCounter(), torch.nn.Linear(2, 2)
    batch = (torch.zeros(4, 2), torch.zeros(4, 2))
    with Trainer(
        model=network,
        loss_fn=torch.nn.MSELoss(),
        optimizers=torch.optim.SGD(network.parameters(), lr=0.1),
        train_dataloader=[batch] * batches,
        eval_dataloader={f"evaluator{index}": [batch] * eval_batches for index in range(evaluators)},
        max_duration=f"{epochs}ep",
        device_train_microbatch_size=4 // microbatches,
        callbacks=[counter],
    ) as trainer:
        trainer.fit()

    counts, steps = counter.counts, epochs * batches
    for name in ("BATCH_START", "BEFORE_TRAIN_BATCH", "AFTER_TRAIN_BATCH", "BATCH_END", "BATCH_CHECKPOINT"):
        assert counts[Event[name]] == steps
    assert counts[Event.BEFORE_DATALOADER] == steps + epochs
    assert counts[Event.AFTER_DATALOADER] == steps
    for name in ("FORWARD", "LOSS", "BACKWARD"):
        assert counts[Event[f"BEFORE_{name}"]] == counts[Event[f"AFTER_{name}"]] == steps * microbatches
    assert counts[Event.EVAL_START] == counts[Event.EVAL_END] == epochs * evaluators
    assert counts[Event.EVAL_BATCH_START] == counts[Event.EVAL_BATCH_END] == epochs * evaluators * eval_batches
    assert counts[Event.EVAL_BEFORE_ALL] == counts[Event.EVAL_AFTER_ALL] == (epochs if evaluators else 0)
    assert (counts[Event.ITERATION_START], counts[Event.ITERATION_END]) == (1, 0)
    assert counts[Event.INIT] == counts[Event.BEFORE_LOAD] == counts[Event.AFTER_LOAD] == 1


def test_load_is_called_between_its_two_events() -> None:
    trace: list[str] = []

    class Traced(EventCallback):
        def run_event(self, event: Event, state: State, logger: Logger) -> None:
            trace.append(event.name)

    line = Line()

    def load(state: State) -> None:
        assert state.model is line
        trace.append("load()")

    Trainer(model=line, callbacks=Traced(), load=load).close()
    assert trace == ["INIT", "BEFORE_LOAD", "load()", "AFTER_LOAD"]


def test_iterations_of_two_epochs_begin_three_times_in_five_and_end_twice() -> None:
    """The end of the training cuts the third one short."""
    counter = EventCounter()
    with Trainer(
        model=Line(), train_dataloader=line_batches(3), max_duration="5ep", iteration_length=2, callbacks=counter
    ) as trainer:
        trainer.fit()
        assert trainer.state.timestamp.iteration == 2
        assert trainer.state.timestamp.epoch_in_iteration == 1
    counts = counter.counts
    assert (counts[Event.ITERATION_START], counts[Event.ITERATION_END], counts[Event.ITERATION_CHECKPOINT]) == (3, 2, 2)
    assert counts[Event.EPOCH_START] == counts[Event.EPOCH_END] == 5


class Named(EventCallback):
    """Appends its name to a trace at two events and at close()."""

    def __init__(self, name: str, trace: list[str]) -> None:
        self.name, self.trace = name, trace

    def init(self, state: State, logger: Logger) -> None:
        self.trace.append(f"{self.name} init")

    def fit_start(self, state: State, logger: Logger) -> None:
        self.trace.append(f"{self.name} fit_start")

    def close(self, state: State, logger: Logger) -> None:
        self.trace.append(f"{self.name} close")

    def post_close(self) -> None:
        self.trace.append(f"{self.name} post_close")


class NamedDestination(Named, LoggerDestination):
    """The same as a logger destination."""


class NamedHooks(Callback):
    """Appends its name to a trace at the hook that FIT_START calls."""

    def __init__(self, name: str, trace: list[str]) -> None:
        self.name, self.trace = name, trace

    def on_train_begin(self, run_context: RunContext) -> None:
        self.trace.append(f"{self.name} on_train_begin")


def engine_of(callbacks: list[Any]) -> Engine:
    state = State(callbacks=callbacks)
    return Engine(state, Logger(state, [each for each in callbacks if isinstance(each, LoggerDestination)]))


def test_destinations_are_called_first_at_init_and_last_at_other_events() -> None:
    trace: list[str] = []
    engine = engine_of([NamedDestination("dest", trace), Named("a", trace), NamedHooks("b", trace), Named("c", trace)])
    engine.run_event("INIT")
    engine.run_event(Event.FIT_START)
    engine.close()
    engine.close()
    begin = ["dest init", "a init", "c init"]
    fit_start = ["a fit_start", "b on_train_begin", "c fit_start", "dest fit_start"]
    close = ["dest close", "a close", "c close", "dest post_close", "a post_close", "c post_close"]
    assert trace == begin + fit_start + close


class Failing(Named):
    """Raises at FIT_START and in close()."""

    def fit_start(self, state: State, logger: Logger) -> None:
        raise KeyError("no such thing")

    def close(self, state: State, logger: Logger) -> None:
        raise OSError("disk full")


def test_an_exception_ends_the_event_but_not_the_closing_of_other_callbacks(caplog: pytest.LogCaptureFixture) -> None:
    trace: list[str] = []
    engine = engine_of([Failing("bad", trace), Named("good", trace)])
    engine.run_event(Event.INIT)
    with pytest.raises(KeyError, match="no such thing"):
        engine.run_event(Event.FIT_START)
    with caplog.at_level(logging.ERROR):
        engine.close()
    assert trace == ["bad init", "good init", "good close", "good post_close"]
    assert "disk full" in caplog.text


def test_a_closed_engine_runs_no_event() -> None:
    engine = engine_of([])
    engine.close()
    with pytest.raises(RuntimeError, match="closed"):
        engine.run_event(Event.EPOCH_START)
    with pytest.raises(ValueError, match="no_such_event"):
        engine_of([]).run_event("no_such_event")


def test_the_base_class_of_callbacks_ignores_arguments() -> None:
    """A subclass may pass on what it has received, as with Composer."""

    class Own(EventCallback):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)

    Own(1, name="x").close(engine_of([]).state, engine_of([]).logger)


def test_a_callback_is_used_by_one_engine_at_a_time() -> None:
    trace: list[str] = []
    callback = Named("a", trace)
    first, rejected, second = engine_of([callback]), engine_of([callback]), engine_of([callback])
    first.run_event(Event.INIT)
    with pytest.raises(RuntimeError, match="still in use"):
        rejected.run_event(Event.INIT)
    rejected.close()
    assert trace == ["a init"]
    first.close()
    second.run_event(Event.INIT)
    second.close()
    assert trace == 2 * ["a init", "a close", "a post_close"]


def test_a_callback_that_was_removed_from_the_list_is_free_when_the_engine_is_closed() -> None:
    """An engine releases what it has claimed, whatever has become of the list of callbacks."""
    callback = Named("a", [])
    first, second = engine_of([callback]), engine_of([callback])
    first.run_event(Event.INIT)
    first.state.callbacks.clear()
    first.close()
    second.run_event(Event.INIT)
    second.close()


def test_a_garbage_collected_trainer_closes_its_callbacks() -> None:
    trace: list[str] = []
    trainer = Trainer(model=Line(), callbacks=[Named("a", trace)])
    del trainer
    assert trace == ["a init", "a close", "a post_close"]


def test_stop_training_ends_the_training_after_the_current_batch() -> None:
    class StoppingCounter(EventCounter):
        def run_event(self, event: Event, state: State, logger: Logger) -> None:
            super().run_event(event, state, logger)
            if event is Event.BATCH_START and state.timestamp.batch == 4:
                state.stop_training()

    counter = StoppingCounter()
    with Trainer(model=Line(), train_dataloader=line_batches(3), max_duration="9ep", callbacks=counter) as trainer:
        trainer.fit()
        assert trainer.state.timestamp.batch == 5
        assert trainer.state.is_over
    counts = counter.counts
    assert (counts[Event.EPOCH_END], counts[Event.EPOCH_CHECKPOINT], counts[Event.FIT_END]) == (1, 1, 1)


def test_fit_continues_for_another_duration() -> None:
    with Trainer(model=Line(), train_dataloader=line_batches(3), max_duration="4ba") as trainer:
        trainer.fit()
        assert trainer.state.timestamp.batch == 4
        trainer.fit(duration="1ep")
        assert trainer.state.timestamp.epoch == 2
