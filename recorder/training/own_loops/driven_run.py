"""DrivenRun: a training that the trainer of another library runs, whose adapter reports its steps and evaluations."""

from collections.abc import Mapping, Sequence
from typing import Any, SupportsIndex

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.record.logged_values import LoggedValues, logged_values, nothing_logged
from toposcope.recorder.training.events.callback_list import CallbackList, checked_callbacks, destinations_first
from toposcope.recorder.training.events.engine import Engine
from toposcope.recorder.training.own_loops.late_evaluation import evaluate_after_training, evaluate_alone
from toposcope.recorder.training.own_loops.loop_events import LoopEvents
from toposcope.recorder.training.progress.time import Time, TimeUnit
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.loop_sources import checked_sources
from toposcope.recorder.training.state.run_values import RunValues
from toposcope.recorder.training.state.state import State
from toposcope.recorder.values.wrapped import Text


class DrivenRun:
    """A training whose trainer counts steps and epochs itself.

        run = DrivenRun([SummaryCollector("runs/first")], model=model, optimizers=[optimizer], steps=100)
        run.begin()
        run.add_batch(batch)
        run.end_step(loss)
        run.evaluate({"loss": 0.5})
        run.end()

    A WatchedRun finds out itself when a step of the optimizer or an epoch ends; here the adapter says so. Calls in an
    order that no training has, such as two end_step() in succession, are accepted.
    """

    def __init__(
        self,
        callbacks: CallbackList,
        *,
        model: Any = None,
        optimizers: Sequence[Any] = (),
        schedulers: Sequence[Any] = (),
        loader: Any = None,
        loss_fn: Any = None,
        steps: int | None = None,
        steps_per_epoch: int | None = None,
        initial_step: int | None = None,
        initial_epoch: int | None = None,
        learning_rate: Any = None,
    ) -> None:
        """Describe the training; begin() begins it.

        Args:
            callbacks: callbacks of both styles and logger destinations.
            model: the network; None: unknown.
            optimizers: its optimizers.
            schedulers: the schedulers of the learning rate, for lineage.
            loader: the batches of an epoch.
            loss_fn: the loss function, for lineage.
            steps: planned number of steps of the optimizer in the whole training; None: unknown.
            steps_per_epoch: steps of the optimizer per epoch; None: unknown.
            initial_step: number of steps trained before, as for watch().
            initial_epoch: number of epochs trained before, as for watch().
            learning_rate: as for watch().

        Raises:
            TypeError: one of callbacks is not a callback, or learning_rate has the wrong type.
        """
        destinations, others = destinations_first(checked_callbacks(callbacks), [])
        self.state = State(
            model=model,
            optimizers=list(optimizers),
            schedulers=list(schedulers),
            loss_fn=loss_fn,
            train_dataloader=loader,
            max_duration=None if steps is None else Time(steps, TimeUnit.BATCH),
            callbacks=[*destinations, *others],
            loop_sources=checked_sources(None, None, learning_rate),
        )
        """The state of the training that callbacks read."""
        self.state.initial_step, self.state.initial_epoch = initial_step, initial_epoch
        self.state.set_dataloader(loader, "train", -1 if steps_per_epoch is None else steps_per_epoch)
        if steps_per_epoch is None:
            self.state.dataloader_len = None
        self.logger = Logger(self.state, destinations)
        """Logs hyperparameters, images and tables of the trainer."""
        self._values = RunValues(self.state, self.logger)
        self._events: LoopEvents | None = None
        self._is_closed = False
        self._refused: set[str] = set()

    @property
    def is_running(self) -> bool:
        """Whether the training has started and has not ended."""
        return self._events is not None and not self._is_closed and not self._events.engine.is_closed

    @property
    def is_stop_requested(self) -> bool:
        """Whether a callback requested the training to stop."""
        return self.state.is_stop_requested

    @property
    def step(self) -> int:
        """The number of finished steps, including those trained before."""
        return self.state.counter.step

    def begin(self) -> None:
        """Begin the training.

        Raises:
            RuntimeError: it has started before.
            Exception: whatever a callback raised.
        """
        if self._events is not None:
            raise RuntimeError("A run can begin only once.")
        self._events = LoopEvents(Engine(self.state, self.logger))
        try:
            self._events.begin_training()
        except BaseException as error:
            self.fail(error)
            raise

    def add_batch(self, batch: Any) -> None:
        """Begin a micro-batch; the first of a step begins the step, and if necessary the epoch."""
        events = self._running()
        if events.is_micro_batch_started:  # The trainer dropped the last one.
            events.end_micro_batch(None)
        events.begin_micro_batch(batch)

    def end_batch(self, samples: int) -> None:
        """End a micro-batch that add_batch(None) began, when its number of samples is known; 0: it is unknown."""
        events = self._running()
        if events.is_micro_batch_started:
            events.end_micro_batch(None, samples)

    def end_step(self, loss: Any) -> None:
        """End a step of the optimizer.

        Args:
            loss: the loss of the step, of all of its micro-batches: a number or a tensor, detached; None: unknown.
        """
        events, state = self._running(), self.state
        if not events.is_micro_batch_started and not len(events.reported):
            events.begin_micro_batch(None, is_over=True)
        state.loss, state.outputs = loss, None
        if events.is_micro_batch_started:
            events.end_micro_batch(None)
        events.end_step_with(loss, events.reported.take_samples())
        events.set_batch(None)  # Its memory would be in use during the next step.
        self._values.record_at(self.step)

    def end_epoch(self) -> None:
        """End the epoch; the events after an epoch wait for its evaluation, until the next step or the end."""
        self._running().end_epoch()

    def close_epoch(self) -> None:
        """Run the events after an epoch now, if one has ended: its evaluations have been reported, or a stop is due."""
        self._running().close_epoch()

    def log(
        self, values: Mapping[str, Any], step: SupportsIndex | None = None, *, has_destinations: bool = True
    ) -> None:
        """Record what the trainer logs.

        Args:
            values: as for WatchedRun.log(); str is recorded as text. A value that cannot be recorded is left out, which
                the log says once for each name.
            step: None: the last finished step.
            has_destinations: whether logger destinations receive the values. False for losses and results, which
                end_step() and evaluate() pass on to them.

        Raises:
            TypeError: step is not an integer.
        """
        self._running()
        number = self.step if step is None else checked_integer("step", step)
        try:
            logged = logged_values(_with_texts(values))
        except (TypeError, ValueError):
            logged = self._recordable(values)
        self._values.record(logged, number, has_destinations=has_destinations)

    def record(self, values: LoggedValues, step: int) -> None:
        """Record the result of logged_values() at a step."""
        self._running()
        self._values.record(values, step)

    def evaluate(self, metrics: Mapping[str, Any], label: str = "eval") -> None:
        """Report the results of an evaluation during the training, before or after it.

        After it they are recorded at the last step. Without a training, before begin(), a SummaryCollector records
        their lineage.
        """
        results = dict(metrics)
        if self._events is None:
            evaluate_alone(self.state, results, label)
        elif self._is_closed:
            evaluate_after_training(self.state, results, label)
        else:
            self._events.evaluate(results, label)
            self._events.restart_clock()

    def end(self) -> None:
        """End the training; everything is closed."""
        events = self._running()
        try:
            self._values.record_at(self.step)
            events.end_training()
        except BaseException as error:
            self.fail(error)
            raise
        self._is_closed = True
        events.engine.close()

    def fail(self, error: BaseException) -> None:
        """End a training that an exception ended; everything is closed. Has no effect after the end."""
        if self._events is not None and not self._is_closed:
            self._is_closed = True
            self._events.engine.close(error)

    def drop(self) -> None:
        """End a training whose trainer is gone; the exception that is handled or ends the program has ended it."""
        if self._events is not None and not self._is_closed:
            self._is_closed = True
            self._events.engine.hooks.params.processed.is_dropped = True
            self._events.engine.close()

    def _recordable(self, values: Mapping[str, Any]) -> LoggedValues:
        """Return those of the values that can be recorded."""
        logged = nothing_logged()
        for name, value in values.items():
            try:
                logged.update(logged_values(_with_texts({name: value})))
            except (TypeError, ValueError) as error:
                if name not in self._refused:
                    self._refused.add(name)
                    log.warn("Not recorded: %s", error)
        return logged

    def _running(self) -> LoopEvents:
        if self._events is None or self._is_closed:
            raise RuntimeError("The training has not started, or it has ended.")
        return self._events


def _with_texts(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with each str as Text, also in nested mappings."""
    return {
        name: Text(value) if isinstance(value, str) else _with_texts(value) if isinstance(value, Mapping) else value
        for name, value in values.items()
    }
