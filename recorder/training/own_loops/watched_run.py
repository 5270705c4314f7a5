"""WatchedRun: a user-written loop that reports its steps and evaluations to callbacks and loggers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, ClassVar, SupportsIndex

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_integer, checked_text
from toposcope.recorder.messages.plain_data import items_of
from toposcope.recorder.not_copied import NotCopied
from toposcope.recorder.record.logged_alert import logged_alert
from toposcope.recorder.record.logged_values import logged_values
from toposcope.recorder.training.events.engine import Engine
from toposcope.recorder.training.own_loops.call_hook import call_hook
from toposcope.recorder.training.own_loops.late_evaluation import evaluate_after_training
from toposcope.recorder.training.own_loops.loop_epochs import LoopEpochs
from toposcope.recorder.training.own_loops.loop_events import LoopEvents
from toposcope.recorder.training.own_loops.optimizer_steps import EVERY_CALL, STEPPED, Progress, optimizer_steps
from toposcope.recorder.training.progress.time import Time, TimeUnit
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.run_values import RunValues
from toposcope.recorder.training.state.state import State
from toposcope.recorder.values.arrays.foreign_values import short_repr

_NO_LOSSES = (str, Mapping)
_PATIENCE = 256
"""Calls of step() without a step of the optimizer, as a multiple of the longest step, after which each call counts."""


class WatchedRun(NotCopied):
    """A user-written loop; watch() creates it.

        with watch([SummaryCollector("runs/first")], model, optimizer, loader) as run:
            for epoch in range(10):
                for inputs, labels in loader:
                    loss = train(inputs, labels)
                    run.step(loss)
                run.eval({"accuracy": accuracy(model)})
                if run.stop_requested:
                    break

    Entering the run begins the training (INIT to ITERATION_START). A step begins (EPOCH_START, BATCH_START) with the
    first call of a torch model in training mode, otherwise with step(), which ends it. An epoch ends (EPOCH_END) with
    its last step, by the loader's length, or when the loader ends, or when the loop leaves it. The events after an
    epoch (EPOCH_CHECKPOINT, on_train_epoch_end) wait for its evaluation: eval(), end_epoch(), the next step or the end
    of the run triggers them. Evaluate in evaluation mode or without gradients, so that the evaluation does not count as
    a step. Leaving the run ends the training (FIT_END) unless an exception was raised, which propagates; everything is
    closed in both cases.

    A step is a step of the optimizer. With gradient accumulation, call step() after each micro-batch, or only once per
    step of the optimizer, whose loss then is that of the call:

        loss = criterion(model(inputs), labels)
        (loss / 4).backward()
        if number % 4 == 3:
            optimizer.step()
        run.step(loss)
        if number % 4 == 3:
            optimizer.zero_grad()

    A call stands for the batches that the loader has given since the last one; see LoopEpochs.

    The step counts when the optimizer has stepped. Its loss is the mean of the losses of its micro-batches, weighted by
    their samples; its samples are those of all of them. A step that a GradScaler skips because a gradient is not finite
    does not count; it is logged, and SummaryCollector records the number of such steps. Several optimizers count as
    one: each call of step() counts in which at least one has stepped. Optimizers that cannot be observed, of any
    framework but PyTorch, count at each call. So do all calls, after one warning, if the optimizer has not stepped in
    256 of them, or in 256 times as many as in the longest step before: it is probably not the one that the loop uses.
    The first micro-batches of a step that the loop does not end are logged and not counted.
    """

    _why_not_copied: ClassVar[str] = "it belongs to one loop of one process: call watch() in each process"

    def __init__(self, state: State, logger: Logger, *, is_length_given: bool = False) -> None:
        """Prepare the run; is_length_given: whether the user gave the calls of step() per epoch."""
        self.state = state
        """The state of the training that callbacks read."""
        self.logger = logger
        """Logs metrics, hyperparameters, images and tables of the user."""
        self._values = RunValues(state, logger)
        self._events: LoopEvents | None = None
        self._is_closed = False
        self._call_hook = call_hook(state.model, self._begin_micro_batch)
        self._epochs = LoopEpochs(state, self._end_epoch, is_length_given=is_length_given)
        state.epoch_place = self._epochs.place
        self._optimizer_steps = optimizer_steps(state.optimizers, self._after_optimizer_step)
        self._observes_calls = False
        self._longest_step = 0  # In micro-batches; 0: no step of the optimizer has been observed.
        self._skipped_steps = 0
        self._batches_of_step = 0
        self._is_accumulation_known = False

    @property
    def stop_requested(self) -> bool:
        """Whether a callback requested a stop: the loop should then end."""
        return self.state.is_stop_requested

    def batches(self) -> Iterator[Any]:
        """Return an iterator over the batches of the loader for one epoch, so that a stopped epoch can continue.

            for epoch in range(int(run.state.timestamp.epoch), 10):
                for inputs, labels in run.batches():
                    run.step(train(inputs, labels))
                    if run.stop_requested:
                        return

        If BackupAndRestore or OnRequestExit has restored the training, the first iterator has the batches that were not
        trained: the others are skipped by counting, in the order of the restored random states, or by a loader with
        state_dict() and load_state_dict(), such as a StatefulDataLoader of torchdata.

        Raises:
            RuntimeError: outside of the with statement.
            ValueError: watch() received no loader.
        """
        events = self._running()
        if self.state.train_dataloader is None:
            raise ValueError("batches() requires the loader of the training: pass it to watch().")
        if self._epochs.is_left(self._call_hook.calls):
            self._end_epoch()
        events.close_epoch()  # What callbacks save then has the random states before the order of the next epoch.
        return self._epochs.batches()

    def step(self, loss: Any, batch: Any = None, outputs: Any = None) -> bool:
        """End a step, or a micro-batch of one: call it after the optimizer's step and before gradients are zeroed.

        The loss is not read from its device here.

        Args:
            loss: the loss of the step or of the micro-batch, not divided by the number of micro-batches: a number or a
                tensor; a tensor is detached.
            batch: the input of the model. None: the observed arguments of a torch model, if there are any.
            outputs: the outputs of the model, for callbacks that use them.

        Returns:
            False if a callback requested a stop.

        Raises:
            RuntimeError: outside of the with statement.
            TypeError: loss is a dict, a str, None or an empty list.
            Exception: whatever a callback raised.
        """
        events, state = self._running(), self.state
        loss = _detached_loss(loss)
        self._call_hook.disarm()
        calls, self._call_hook.calls = self._call_hook.calls, 0
        is_next_epoch = self._follow_loader(calls)
        if not events.is_micro_batch_started:
            events.begin_micro_batch(batch, is_over=True)
        elif is_next_epoch:
            events.begin_micro_batch(state.batch)
        if batch is not None:
            events.set_batch(batch)
        state.loss, state.outputs = loss, None if outputs is None else _detached(outputs)
        finished = state.counter.step
        self._end_micro_batch(loss, calls, has_batch=batch is not None)
        progress = self._optimizer_steps.take(len(events.reported))
        if progress is not STEPPED:
            self._note_skipped(progress)
        number = len(events.reported)
        if progress.has_stepped:
            self._longest_step = max(self._longest_step, number)
            self._end_step()
        elif number >= _PATIENCE and number >= _PATIENCE * self._longest_step:
            self._count_every_call()
        events.set_batch(None)  # Its memory would be in use during the next one.
        if self._epochs.is_over():
            self._end_epoch()
        self._record_logged(finished)
        self._call_hook.arm()
        return not state.is_stop_requested

    def log(self, values: Mapping[str, Any], step: SupportsIndex | None = None) -> None:
        """Record values of your own. Call it before the step() or eval() that they belong to.

            run.log({"gradient/norm": norm, "attention": Image(weights)})
            run.step(loss)

        SummaryCollector and SummaryLogger record all kinds of values; other loggers receive scalars as metrics and
        images as images. Each process records what it logs.

        Args:
            values: name to value. The names of nested mappings are joined by "/". Numbers, and arrays and tensors with
                one element, are scalars. Image, Histogram, Text and Tensor of toposcope.recorder name the kind of other
                values.
            step: the step of the values, which are recorded immediately. None: they are recorded when step() ends a
                step, at that step, or by eval() at the last step. What is logged after the last of these calls is
                recorded at the last step when the run ends; if an exception ends an unfinished step, at that step. Of
                values with the same tag the newest is recorded.

        Raises:
            RuntimeError: outside of the with statement.
            TypeError: values is not a mapping, a name is empty or not a str, or a value is of an unknown type; nothing
                of the call is recorded, and the message contains the name. Likewise for ValueError.
            ValueError: a value has an invalid shape, size or range, two values have the same tag, or step does not fit
                in 64 bits.
        """
        self._running()
        number = None if step is None else checked_integer("step", step)
        logged = logged_values(values)
        if number is None:
            self._values.keep(logged)
        else:
            self._values.record(logged, number)

    def alert(self, title: str, text: str = "", level: str = "warn") -> None:
        """Record a message for the people who watch the training, at the last step; see SummaryRecord.alert().

            if not math.isfinite(loss):
                run.alert("Loss is not finite", f"Learning rate: {lr}", level="error")

        Args:
            title: what happened, in a few words; cut after 200 characters.
            text: details, in Markdown; cut after 10,000 characters.
            level: "info", "warn" or "error".

        Raises:
            RuntimeError: outside of the with statement.
            TypeError: title is empty, or an argument is not a str.
            ValueError: level is unknown.
        """
        self._running()
        self._values.record(logged_alert(title, text, level), self.state.counter.step, has_destinations=False)

    def eval(self, metrics: Mapping[str, Any], *, label: str = "eval", more: bool = False) -> None:
        """Report the results of an evaluation; after the last step of an epoch they belong to that epoch.

        If the loader has no length, the evaluation ends the epoch. After the with statement a SummaryCollector records
        the results at the last step, in a further file of the run; loggers and callbacks that only follow trainings do
        not receive them.

        Args:
            metrics: name to number, or to an array or tensor. "loss" is also available as "eval_loss", the default of
                EarlyStopping and others.
            label: the name of the evaluated data.
            more: whether another evaluation of this epoch follows; the last one lets callbacks end the epoch.

        Raises:
            RuntimeError: before the with statement.
            TypeError: metrics is not a dict with keys of type str.
            Exception: whatever a callback raised.
        """
        results = dict(items_of("metrics", metrics))
        checked_text("label", label)
        if self._is_closed:
            evaluate_after_training(self.state, results, label)
            return
        events = self._running()
        self._call_hook.disarm()
        self._values.record_at(self.state.counter.step)
        if self.state.dataloader_len is None or self._epochs.is_left(self._call_hook.calls):
            self._end_epoch()
        events.evaluate(results, label)
        if not more:
            events.close_epoch()
        events.restart_clock()
        self._call_hook.arm()

    def end_epoch(self) -> None:
        """End an epoch and its evaluation: for loaders without length, or for epochs that are cut short.

        Raises:
            RuntimeError: outside of the with statement.
            Exception: whatever a callback raised.
        """
        self._end_epoch()
        self._running().close_epoch()

    def __enter__(self) -> WatchedRun:
        if self._events is not None:
            raise RuntimeError("A watched run can be entered only once: call watch() again.")
        self._events = LoopEvents(Engine(self.state, self.logger))
        try:
            self._events.begin_training()
        except BaseException as error:
            self._events.engine.close(error)
            raise
        self._epochs.begin()
        self._optimizer_steps.begin()
        self._call_hook.arm()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        events = self._running()
        self._call_hook.remove()
        self._optimizer_steps.end()
        try:
            is_unfinished = error is not None and events.is_step_started
            self._values.record_at(self.state.counter.step + is_unfinished)
            if error is None:
                self._end_reported()
                if self._epochs.is_left(self._call_hook.calls):
                    self._end_epoch()
                events.end_training()
            else:
                self._end_reported_after(error)
        except BaseException as failure:
            events.engine.close(failure)
            raise
        finally:
            self._epochs.end()
            self._is_closed = True
        return events.engine.close(error)

    def _begin_micro_batch(self, batch: Any) -> None:
        """Begin a micro-batch with the first call of the model."""
        events = self._running()
        self._observes_calls = True
        self._follow_loader(self._call_hook.calls - 1)
        self._optimizer_steps.begin_micro_batch(len(events.reported))
        events.begin_micro_batch(batch)

    def _follow_loader(self, calls: int) -> bool:
        """End the epoch if the loop iterates over the loader again; return whether it has."""
        if is_next := self._epochs.follow(calls):
            self._end_epoch()
        return is_next

    def _end_epoch(self) -> None:
        """End the epoch, unless it has ended or none has started."""
        self._epochs.end_epoch()
        self._running().end_epoch()

    def _end_micro_batch(self, loss: Any, calls: int, *, has_batch: bool) -> None:
        """End the batches that a call of step() stands for, together one micro-batch."""
        events, trained = self._running(), self._epochs.take(calls if self._observes_calls else None)
        if trained is None or (trained.number == 1 and (has_batch or not trained.samples)):
            events.end_micro_batch(loss)
        else:
            events.end_micro_batch(loss, trained.samples, trained.tokens)
        self._batches_of_step += 1 if trained is None or self._epochs.is_length_given else trained.number

    def _end_step(self) -> None:
        """End the step of the optimizer; the first one says how many there are in an epoch."""
        events, state, number = self._running(), self.state, self._batches_of_step
        self._batches_of_step = 0
        if not self._is_accumulation_known and number:
            self._is_accumulation_known = True
            if number > 1 and self._epochs.length is not None:
                state.dataloader_len = Time(-(-self._epochs.length // number), TimeUnit.BATCH)
                events.engine.hooks.update_steps_per_epoch()
        events.end_step()

    def _after_optimizer_step(self) -> None:
        """End the step here if the loop reported its last micro-batch before the optimizer's step, not after it."""
        events = self._running()
        if not self._observes_calls or not len(events.reported) or events.is_micro_batch_started:
            return
        progress = self._optimizer_steps.take(len(events.reported))
        self._note_skipped(progress)
        if progress.has_stepped:
            self._longest_step = max(self._longest_step, len(events.reported))
            finished = self.state.counter.step
            self._end_step()
            self._record_logged(finished)

    def _record_logged(self, before: int) -> None:
        """Record logged values if more than these steps have ended."""
        if (step := self.state.counter.step) != before:
            self._values.record_at(step)

    def _note_skipped(self, progress: Progress) -> None:
        if not progress.skipped:
            return
        events, before = self._running(), self._skipped_steps
        events.reported.drop(progress.dropped)
        self._batches_of_step = len(events.reported)
        self._skipped_steps += progress.skipped
        events.engine.hooks.params.processed.skipped_steps = self._skipped_steps
        if len(str(before)) < len(str(self._skipped_steps)) or not before:  # At 1, 10, 100, ...
            log.warn(
                "GradScaler has skipped %d %s of the optimizer after step %d, as a gradient was not finite; "
                "they do not count.",
                self._skipped_steps,
                "step" if self._skipped_steps == 1 else "steps",
                self.state.counter.step,
            )

    def _count_every_call(self) -> None:
        """Stop waiting for an optimizer that never steps, or that the loop does not use any more."""
        events = self._running()
        log.warn(
            "The optimizer passed to watch() has not stepped in %d calls of step(): each call counts as a step. "
            "Pass the optimizer whose step() the loop calls, or none.",
            len(events.reported),
        )
        self._optimizer_steps.end()
        self._optimizer_steps = EVERY_CALL
        events.end_steps_of_micro_batches()

    def _end_reported(self) -> None:
        """Account for micro-batches that no step of the optimizer has followed."""
        events = self._running()
        number = len(events.reported)
        if number and not self._longest_step:
            events.end_steps_of_micro_batches()
        elif number > self._longest_step:  # More than the beginning of a step.
            self._count_every_call()
        elif number:
            log.warn(
                "No step of the optimizer follows the last %s, which %s not counted.",
                "micro-batch" if number == 1 else f"{number} micro-batches",
                "is" if number == 1 else "are",
            )

    def _end_reported_after(self, error: BaseException) -> None:
        """Account for the micro-batches before an exception, which no further exception must hide."""
        try:
            self._end_reported()
        except Exception as failure:
            log.warn("Steps before %r are not recorded: %s: %s", error, type(failure).__name__, failure)

    def _running(self) -> LoopEvents:
        if self._events is None or self._is_closed:
            raise RuntimeError("A watched run must be used inside `with ....watch(...) as run:`.")
        return self._events


def _detached_loss(loss: Any) -> Any:
    """Return a loss, detached; TypeError if it cannot be one."""
    if hasattr(loss, "detach"):
        return loss.detach()
    is_empty = isinstance(loss, tuple | list) and not loss
    if loss is None or is_empty or isinstance(loss, _NO_LOSSES):
        raise TypeError(f"loss must be a number or a tensor, not {short_repr(loss)}.")
    return loss


def _detached(value: Any) -> Any:
    return value.detach() if hasattr(value, "detach") else value
