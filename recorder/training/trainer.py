"""Trainer: one training with its engine, state and logger at hand, in Composer's words."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import TracebackType
from typing import Any

from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.metrics import metrics_from
from toposcope.recorder.training.callback_list import (
    CallbackList,
    checked_callbacks,
    checked_loggers,
    warn_of_legacy_hooks,
)
from toposcope.recorder.training.engine import Engine
from toposcope.recorder.training.evaluation import evaluate
from toposcope.recorder.training.evaluator import Evaluator, evaluators_from
from toposcope.recorder.training.event import Event
from toposcope.recorder.training.fit import Plan, fit
from toposcope.recorder.training.logger import Logger
from toposcope.recorder.training.logger_destination import LoggerDestination
from toposcope.recorder.training.network import checked_schedulers, steps_of
from toposcope.recorder.training.prediction import predict
from toposcope.recorder.training.state import State
from toposcope.recorder.training.time import Time, TimeInput, TimeUnit


class Trainer:
    """A training that can be continued, evaluated and looked into; see Model for MindSpore's way.

        trainer = Trainer(model=network, train_dataloader=batches, optimizers=optimizer, max_duration="2ep",
                          callbacks=[MyCallback()], loggers=[InMemoryLogger()])
        trainer.fit()
        trainer.close()

    Making it fires INIT, BEFORE_LOAD and AFTER_LOAD. It is a context manager that closes the callbacks; otherwise call
    close(). Names are those of `composer.Trainer`, as far as there is something behind them here.
    """

    def __init__(
        self,
        *,
        model: Any,
        train_dataloader: Iterable[Any] | None = None,
        eval_dataloader: Any = None,
        optimizers: Any = None,
        max_duration: TimeInput | None = None,
        callbacks: CallbackList = None,
        loggers: LoggerDestination | Sequence[LoggerDestination] | None = None,
        schedulers: Any = (),
        step_schedulers_every_batch: bool = False,
        eval_interval: int = 1,
        device_train_microbatch_size: int | None = None,
        iteration_length: int | str | Time | None = None,
        run_name: str = "run",
        seed: int | None = None,
        load: Callable[[State], None] | None = None,
        loss_fn: Any = None,
        metrics: Any = None,
        train_metrics: Any = None,
        amp_level: str = "O0",
    ) -> None:
        """Take the parts of a training.

        Args:
            model: a torch.nn.Module, or an object with the methods of TrainableNetwork. With loss_fn=None a module has
                a method loss(outputs, batch), Composer's convention, or returns its loss.
            train_dataloader: batches, iterated anew in every epoch.
            eval_dataloader: batches, a dict of label to batches, or Evaluators.
            optimizers: an optimizer of torch.optim, alone or in a list.
            max_duration: how long fit() trains: "2ep", "100ba", ...; a bare number counts epochs.
            callbacks: one or several, of either style.
            loggers: destinations of what callbacks and the loops log.
            schedulers: one or several of torch.optim.lr_scheduler.
            step_schedulers_every_batch: whether these step once a batch, not once an epoch.
            eval_interval: epochs from one evaluation to the next.
            device_train_microbatch_size: samples that go through the network at once; None: the batch.
            iteration_length: epochs of an iteration: 2 or "2ep"; None: the training is one.
            run_name: for loggers.
            seed: for loggers; nothing is seeded with it.
            load: called between BEFORE_LOAD and AFTER_LOAD with the state, to load a checkpoint into its model.
            loss_fn: called with outputs and the last part of the batch.
            metrics: of evaluations, as Model takes them.
            train_metrics: likewise, of the training's batches.
            amp_level: as Model takes it.

        Raises:
            TypeError: an argument is of another type.
            ValueError: an argument has a value that is not allowed.
            RuntimeError: a callback is still in use by another trainer.
        """
        checked_integer("eval_interval", eval_interval, lowest=1)
        if device_train_microbatch_size is not None:
            checked_integer("device_train_microbatch_size", device_train_microbatch_size, lowest=1)
        optimizer = _only_one(optimizers)
        self._steps = steps_of(model, loss_fn=loss_fn, optimizer=optimizer, amp_level=amp_level)
        self._metrics = metrics_from(metrics)
        given = checked_callbacks(callbacks)
        warn_of_legacy_hooks(given)
        destinations = [*checked_loggers(loggers), *(one for one in given if isinstance(one, LoggerDestination))]
        self.state = State(
            model=model,
            loss_fn=loss_fn,
            optimizers=optimizer,
            schedulers=checked_schedulers(schedulers),
            train_dataloader=train_dataloader,
            max_duration=max_duration,
            callbacks=[*destinations, *(one for one in given if not isinstance(one, LoggerDestination))],
            run_name=run_name,
            seed=seed,
        )
        self.state.device_train_microbatch_size = device_train_microbatch_size
        self.state.evaluators = evaluators_from(eval_dataloader, self._metrics)
        self.state.train_metrics = metrics_from(train_metrics)
        self._plan = Plan(
            due=partial(_due, self.state, eval_interval),
            iteration_length=None if iteration_length is None else _epochs(iteration_length),
            steps_schedulers_by_batch=step_schedulers_every_batch,
        )
        self.logger = Logger(self.state, destinations)
        self.engine = Engine(self.state, self.logger)
        with self._closing():
            self.engine.run_event(Event.INIT)
            self.engine.run_event(Event.BEFORE_LOAD)
            if load is not None:
                load(self.state)
            self.engine.run_event(Event.AFTER_LOAD)

    def fit(self, *, duration: TimeInput | None = None) -> None:
        """Train until max_duration, or for duration more.

        Raises:
            ValueError: there is no train_dataloader, or no end.
            Exception: what the network or a callback raises; callbacks that are entered are left then.
        """
        state = self.state
        if state.train_dataloader is None:
            raise ValueError("Trainer() was given no train_dataloader to fit on.")
        if duration is not None:
            more = Time.from_input(duration, TimeUnit.EPOCH)
            state.max_duration = state.timestamp.get(more.unit) + more
        if state.max_duration is None:
            raise ValueError("Trainer() was given no max_duration, and fit() no duration.")
        if state.max_duration.value <= 0:
            raise ValueError(f"max_duration is a positive time, not {state.max_duration}.")
        state.is_stop_requested = False
        with self._leaving():
            fit(self.engine, self._steps, lambda: state.train_dataloader, self._plan)

    def eval(self, eval_dataloader: Any = None) -> dict[str, dict[str, Any]]:
        """Evaluate; return the result of each metric by the label of the evaluator and its name.

        Raises:
            ValueError: neither here nor in Trainer() is an eval_dataloader.
        """
        evaluators = (
            self.state.evaluators if eval_dataloader is None else evaluators_from(eval_dataloader, self._metrics)
        )
        if not evaluators:
            raise ValueError("Neither Trainer() nor eval() was given an eval_dataloader.")
        with self._leaving():
            self.engine.run_event(Event.EVAL_STANDALONE_START)
            results = {each.label: evaluate(self.engine, self._steps, each) for each in evaluators}
            self.engine.run_event(Event.EVAL_STANDALONE_END)
        return results

    def predict(self, dataloader: Iterable[Any], num_batches: int | None = None) -> list[Any]:
        """Return the network's outputs for each batch of inputs, of the first num_batches."""
        with self._leaving():
            return predict(self.engine, self._steps, dataloader, num_batches)

    def close(self) -> None:
        """Close the callbacks. Closing again does nothing."""
        self.engine.close()

    def __enter__(self) -> "Trainer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.engine.close(error)

    def _closing(self) -> "_AfterError":
        return _AfterError(self.engine.close)

    def _leaving(self) -> "_AfterError":
        return _AfterError(self.engine.hooks.end_all)


class _AfterError:
    """Tells an exception to those who clean up, and lets it pass."""

    def __init__(self, clean_up: Callable[[BaseException], bool]) -> None:
        self._clean_up = clean_up

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._clean_up(error)


def _only_one(optimizers: Any) -> Any:
    given = list(optimizers) if isinstance(optimizers, list | tuple) else [optimizers]
    if len(given) > 1:
        raise ValueError(
            f"optimizers is one optimizer, not {len(given)}: whoever has several writes the loop and uses watch()."
        )
    return given[0] if given else None


def _due(state: State, interval: int, epoch: int) -> Sequence[Evaluator]:
    return state.evaluators if epoch % interval == 0 else ()


def _epochs(length: int | str | Time) -> int:
    time = Time.from_input(length, TimeUnit.EPOCH)
    if time.unit is not TimeUnit.EPOCH or time < 1:
        raise ValueError(f"iteration_length is a number of epochs from 1 on, not {length!r}.")
    return int(time)
