"""watch(): a loop that users write themselves, as a training that callbacks and loggers follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from time import perf_counter
from types import TracebackType
from typing import Any, Protocol

from toposcope.recorder.adapters import adapter, is_module
from toposcope.recorder.arguments import checked_integer, checked_text
from toposcope.recorder.messages.plain_data import items_of
from toposcope.recorder.training.batch import samples_of
from toposcope.recorder.training.callback_list import (
    CallbackList,
    checked_callbacks,
    checked_loggers,
    warn_of_legacy_hooks,
)
from toposcope.recorder.training.engine import Engine
from toposcope.recorder.training.evaluator import Evaluator
from toposcope.recorder.training.event import Event
from toposcope.recorder.training.logger import Logger
from toposcope.recorder.training.logger_destination import LoggerDestination
from toposcope.recorder.training.loss import loss_in
from toposcope.recorder.training.network import checked_schedulers
from toposcope.recorder.training.state import State
from toposcope.recorder.training.time import Time, TimeUnit
from toposcope.recorder.training.timestamp import Timestamp
from toposcope.recorder.values.foreign import shown


def watch(
    callbacks: CallbackList,
    model: Any = None,
    optimizer: Any = None,
    loader: Any = None,
    *,
    loss_fn: Any = None,
    epochs: int | None = None,
    steps_per_epoch: int | None = None,
    schedulers: Any = (),
    valid_loader: Any = None,
    loggers: LoggerDestination | Sequence[LoggerDestination] = (),
) -> WatchedRun:
    """Return a run to be told what happens in a loop of the user's own; see WatchedRun.

    Args:
        callbacks: one or several, of either style; logger destinations may be among them.
        model: the network, if there is one: a torch.nn.Module, a TrainableNetwork or anything else.
        optimizer: its optimizer, or a list of them.
        loader: the batches of an epoch. Its length, if it has one, says when an epoch is over.
        loss_fn: the loss, for lineage.
        epochs: planned epochs. None: not known.
        steps_per_epoch: calls of step() in an epoch, where these are not one for each batch of loader. None: as many as
            the loader has batches; of a loader without length an evaluation ends the epoch.
        schedulers: one or several of torch.optim.lr_scheduler, for lineage; the loop steps them.
        valid_loader: the batches of an evaluation, for lineage.
        loggers: destinations of the Logger, which logs each loss as "loss/train/total", like Composer's at the number
            of steps finished before, and what eval() is told as "metrics/<label>/<name>".

    Raises:
        TypeError: an argument is of another type.
        ValueError: epochs or steps_per_epoch is not positive.
    """
    given = checked_callbacks(callbacks)
    warn_of_legacy_hooks(given)
    destinations = [*checked_loggers(loggers), *(one for one in given if isinstance(one, LoggerDestination))]
    others = [one for one in given if not isinstance(one, LoggerDestination)]
    duration = None if epochs is None else Time(checked_integer("epochs", epochs, lowest=1), TimeUnit.EPOCH)
    state = State(
        model=model,
        optimizers=_checked_optimizers(optimizer),
        schedulers=checked_schedulers(schedulers),
        loss_fn=loss_fn,
        train_dataloader=loader,
        max_duration=duration,
        evaluators=[] if valid_loader is None else [Evaluator("eval", valid_loader)],
        callbacks=[*destinations, *others],
    )
    if steps_per_epoch is not None:
        length = checked_integer("steps_per_epoch", steps_per_epoch, lowest=1)
        state.set_dataloader(loader, "train", length)
    return WatchedRun(state, Logger(state, destinations))


def _checked_optimizers(optimizer: Any) -> list[Any]:
    """Return one or several optimizers as a list; TypeError when one is a class, a text or a number."""
    given = list(optimizer) if isinstance(optimizer, list | tuple) else [] if optimizer is None else [optimizer]
    for each in given:
        if isinstance(each, type | str | int | float | dict):
            raise TypeError(f"optimizer is an optimizer, a list of them, or None; not {shown(each)}.")
    return given


class CallHook(Protocol):
    """Observes when a network is first called in each training step."""

    def arm(self) -> None:
        """Observe the network until its next call in training mode."""

    def disarm(self) -> None:
        """Stop observing."""


class WatchedRun:
    """A loop that tells callbacks and loggers what happens in it.

        with watch([SummaryCollector("runs/first")], model, optimizer, loader) as run:
            for epoch in range(10):
                for inputs, labels in loader:
                    loss = train(inputs, labels)
                    run.step(loss)
                run.eval({"accuracy": accuracy(model)})
                if run.stop_requested:
                    break

    Entering begins the training (INIT to ITERATION_START). A step begins (EPOCH_START, BATCH_START) when a torch model
    is first called for it in training mode, else at step(), and step() ends it. The step that the loader's length tells
    to be the last ends the epoch (EPOCH_END); what follows an epoch (EPOCH_CHECKPOINT, on_train_epoch_end) waits for
    the evaluation, and comes with eval(), end_epoch(), the next step or the end. Evaluate in evaluation mode or without
    gradients, lest it is taken for a step. Leaving ends the training (FIT_END) unless an exception was raised, which
    propagates; everything is closed either way.
    """

    def __init__(self, state: State, logger: Logger) -> None:
        self.state = state
        """What callbacks know of this run."""
        self.logger = logger
        """For metrics, hyperparameters, images and tables of the user's own."""
        self._engine: Engine | None = None
        self._is_left = False
        self._call_hook = _call_hook(state.model, self._begin_step)
        self._is_epoch_begun = self._is_epoch_ended = self._is_step_begun = False
        self._clock = 0.0

    @property
    def stop_requested(self) -> bool:
        """Whether a callback asked to stop: leave the loop then."""
        return self.state.is_stop_requested

    def step(self, loss: Any, batch: Any = None, outputs: Any = None) -> bool:
        """Tell that a step is over: the optimizer has stepped, and gradients are not yet zeroed.

        Args:
            loss: of the step: a number or a tensor, in which no gradients are kept.
            batch: what the model was called with. None: what a torch model was seen to be called with, if it was.
            outputs: of the model, for callbacks that look at them.

        Returns:
            False when a callback asked to stop.

        Raises:
            RuntimeError: outside of the with statement.
            TypeError: loss is a dict, a text or None.
            Exception: what a callback raised.
        """
        engine, state = self._running(), self.state
        if loss is None or isinstance(loss, str | Mapping):
            raise TypeError(f"loss is a number or a tensor, not {shown(loss)}.")
        self._call_hook.disarm()
        if not self._is_step_begun:
            self._begin_step(batch)
        elif batch is not None:
            state.batch = engine.hooks.params["train_dataset_element"] = batch
        state.loss, state.outputs = _detached(loss), _detached(outputs)
        state.net_outputs = state.loss if outputs is None else (state.loss, state.outputs)
        if self.logger.destinations:
            self.logger.log_metrics({"loss/train/total": state.loss})
        self._count_step()
        engine.run_event(Event.BATCH_END)
        engine.run_event(Event.BATCH_CHECKPOINT)
        # Else the memory of the batch would be held during the next one.
        state.batch = engine.hooks.params["train_dataset_element"] = None
        self._is_step_begun = False
        if state.dataloader_len is not None and state.timestamp.batch_in_epoch >= state.dataloader_len:
            self._end_epoch()
        self._call_hook.arm()
        return not state.is_stop_requested

    def eval(self, metrics: Mapping[str, Any], *, label: str = "eval", more: bool = False) -> None:
        """Tell what an evaluation has measured; after the last step of an epoch it belongs to that epoch.

        Where the loader has no length it ends the epoch.

        Args:
            metrics: name to number, or to an array or tensor. What is named "loss" is what EarlyStopping and others
                know as "eval_loss".
            label: what was evaluated.
            more: whether another evaluation of this epoch follows; the last one lets callbacks end the epoch.

        Raises:
            RuntimeError: outside of the with statement.
            TypeError: metrics is no dict with keys of type str.
            Exception: what a callback raised.
        """
        engine, state, measured = self._running(), self.state, dict(items_of("metrics", metrics))
        checked_text("label", label)
        self._call_hook.disarm()
        if state.dataloader_len is None and self._is_epoch_begun and not self._is_epoch_ended:
            self._end_epoch()
        dataloader, dataloader_label, length = state.dataloader, state.dataloader_label, state.dataloader_len
        engine.run_event(Event.EVAL_BEFORE_ALL)
        state.set_dataloader(state.evaluators[0].dataloader if state.evaluators else None, label)
        state.eval_timestamp = Timestamp()
        engine.run_event(Event.EVAL_START)
        state.eval_results, state.eval_loss = measured, loss_in(measured.get("eval_loss", measured.get("loss")))
        state.eval_metrics[label] = measured
        self.logger.log_metrics({f"metrics/{label}/{name}": value for name, value in measured.items()})
        engine.run_event(Event.EVAL_END)
        state.dataloader, state.dataloader_label, state.dataloader_len = dataloader, dataloader_label, length
        engine.run_event(Event.EVAL_AFTER_ALL)
        if not more:
            self._close_epoch()
        self._clock = perf_counter()  # Evaluations are no training time.
        self._call_hook.arm()

    def end_epoch(self) -> None:
        """Tell that an epoch is over, with its evaluation: where the loader has no length, or for epochs cut short.

        Raises:
            RuntimeError: outside of the with statement.
            Exception: what a callback raised.
        """
        self._running()
        if self._is_epoch_begun and not self._is_epoch_ended:
            self._end_epoch()
        self._close_epoch()

    def __enter__(self) -> WatchedRun:
        if self._engine is not None:
            raise RuntimeError("A watched run is entered once: call watch() again.")
        self._engine = Engine(self.state, self.logger)
        try:
            for event in (Event.INIT, Event.BEFORE_LOAD, Event.AFTER_LOAD, Event.FIT_START, Event.ITERATION_START):
                self._engine.run_event(event)
        except BaseException as error:
            self._engine.close(error)
            raise
        self._clock = perf_counter()
        self._call_hook.arm()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        engine = self._running()
        self._call_hook.disarm()
        try:
            if error is None:
                self._close_epoch()
                engine.run_event(Event.FIT_END)
        except BaseException as failure:
            engine.close(failure)
            raise
        finally:
            self._is_left = True
        return engine.close(error)

    def _running(self) -> Engine:
        if self._engine is None or self._is_left:
            raise RuntimeError("A watched run goes on inside `with ....watch(...) as run:` and nowhere else.")
        return self._engine

    def _begin_step(self, batch: Any) -> None:
        engine = self._running()
        self._close_epoch()
        if not self._is_epoch_begun:
            self._is_epoch_begun = True
            engine.run_event(Event.EPOCH_START)
        self.state.batch = batch
        self._is_step_begun = True
        engine.run_event(Event.BATCH_START)

    def _count_step(self) -> None:
        state, now = self.state, perf_counter()
        duration, self._clock = timedelta(seconds=now - self._clock), now
        state.previous_timestamp = state.timestamp
        state.timestamp = state.timestamp.to_next_batch(self._samples(), duration=duration)

    def _samples(self) -> int:
        """Return the number of samples of the batch; without one what the loader says; 0 when unknown."""
        if self.state.batch is not None:
            return samples_of(self.state.batch)
        size = getattr(self.state.train_dataloader, "batch_size", None)
        return size if type(size) is int else 0

    def _end_epoch(self) -> None:
        self._is_epoch_ended = True
        self.state.timestamp = self.state.timestamp.to_next_epoch()
        self._running().run_event(Event.EPOCH_END)

    def _close_epoch(self) -> None:
        if self._is_epoch_ended:
            self._is_epoch_begun = self._is_epoch_ended = False
            self._running().run_event(Event.EPOCH_CHECKPOINT)


class _NoCallHook:
    """The CallHook of a network whose calls cannot be observed."""

    def arm(self) -> None:
        """Do nothing."""

    disarm = arm


def _call_hook(network: Any, on_call: Callable[[Any], None]) -> CallHook:
    """Return a hook that calls on_call with the arguments of a network's first training call of each step."""
    if not is_module(network):
        return _NoCallHook()
    hook: CallHook = adapter("torch", "call_hook").TrainingCallHook(network, on_call)
    return hook


def _detached(value: Any) -> Any:
    return value.detach() if hasattr(value, "detach") else value
