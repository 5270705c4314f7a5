"""Trainer: a training with access to its engine, state and logger, with Composer's interface."""

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
    destinations_first,
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
    """A training that can be continued, evaluated and inspected; see Model for MindSpore's interface.

        trainer = Trainer(model=network, train_dataloader=batches, optimizers=optimizer, max_duration="2ep",
                          callbacks=[MyCallback()], loggers=[InMemoryLogger()])
        trainer.fit()
        trainer.close()

    The constructor runs INIT, BEFORE_LOAD and AFTER_LOAD. Use the trainer as a context manager, or call close(), to
    close the callbacks. Parameters are a subset of those of `composer.Trainer`.
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
        """Set up a training.

        Args:
            model: a torch.nn.Module, or an object with the methods of TrainableNetwork. With loss_fn=None a module
                either has a method loss(outputs, batch), as in Composer, or returns its loss.
            train_dataloader: batches, iterated again in every epoch.
            eval_dataloader: batches, a dict of label to batches, or Evaluators.
            optimizers: an optimizer of torch.optim, alone or in a list.
            max_duration: how long fit() trains: "2ep", "100ba", ...; a number without unit counts epochs.
            callbacks: a callback or a sequence of callbacks, of both styles.
            loggers: destinations that receive what callbacks and the loops log.
            schedulers: a scheduler of torch.optim.lr_scheduler or a list of them.
            step_schedulers_every_batch: whether schedulers step once per batch instead of once per epoch.
            eval_interval: epochs between evaluations.
            device_train_microbatch_size: samples per forward and backward pass; None: the whole batch.
            iteration_length: epochs per iteration, 2 or "2ep"; None: the training is a single iteration.
            run_name: the name of the run, for loggers.
            seed: recorded in the state for loggers; no random generator is seeded.
            load: called with the state between BEFORE_LOAD and AFTER_LOAD, to load a checkpoint into its model.
            loss_fn: called with the outputs and the last part of the batch.
            metrics: metrics of evaluations, in the forms that Model accepts.
            train_metrics: metrics of the training batches, in the same forms.
            amp_level: as for Model.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: an argument has an invalid value.
            RuntimeError: another trainer still uses one of the callbacks.
        """
        checked_integer("eval_interval", eval_interval, lowest=1)
        if device_train_microbatch_size is not None:
            checked_integer("device_train_microbatch_size", device_train_microbatch_size, lowest=1)
        optimizer = _single_optimizer(optimizers)
        self._steps = steps_of(model, loss_fn=loss_fn, optimizer=optimizer, amp_level=amp_level)
        self._metrics = metrics_from(metrics)
        checked = checked_callbacks(callbacks)
        warn_of_legacy_hooks(checked)
        destinations, other_callbacks = destinations_first(checked, checked_loggers(loggers))
        self.state = State(
            model=model,
            loss_fn=loss_fn,
            optimizers=optimizer,
            schedulers=checked_schedulers(schedulers),
            train_dataloader=train_dataloader,
            max_duration=max_duration,
            callbacks=[*destinations, *other_callbacks],
            run_name=run_name,
            rank_zero_seed=seed,
            device_train_microbatch_size=device_train_microbatch_size,
        )
        self.state.evaluators = evaluators_from(eval_dataloader, self._metrics)
        self.state.train_metrics = metrics_from(train_metrics)
        self._plan = Plan(
            due=partial(_due, self.state, eval_interval),
            iteration_length=None if iteration_length is None else _epochs(iteration_length),
            steps_schedulers_by_batch=step_schedulers_every_batch,
        )
        self.logger = Logger(self.state, destinations)
        self.engine = Engine(self.state, self.logger)
        with _OnError(self.engine.close):
            self.engine.run_event(Event.INIT)
            self.engine.run_event(Event.BEFORE_LOAD)
            if load is not None:
                load(self.state)
            self.engine.run_event(Event.AFTER_LOAD)

    def fit(self, *, duration: TimeInput | None = None) -> None:
        """Train until max_duration, or for *duration* more.

        Raises:
            ValueError: there is no train_dataloader, no duration, or max_duration is not positive.
            Exception: whatever the network or a callback raises, after entered callbacks are exited.
        """
        state = self.state
        if state.train_dataloader is None:
            raise ValueError("fit() requires a train_dataloader: pass one to Trainer().")
        if duration is not None:
            more = Time.from_input(duration, TimeUnit.EPOCH)
            state.max_duration = state.timestamp.get(more.unit) + more
        if state.max_duration is None:
            raise ValueError("fit() requires a duration: pass max_duration to Trainer() or duration to fit().")
        if state.max_duration.value <= 0:
            raise ValueError(f"max_duration must be positive, not {state.max_duration}.")
        state.is_stop_requested = False
        with _OnError(self.engine.hooks.end_all):
            fit(self.engine, self._steps, lambda: state.train_dataloader, self._plan)

    def eval(self, eval_dataloader: Any = None) -> dict[str, dict[str, Any]]:
        """Evaluate; return the results by evaluator label and metric name.

        Raises:
            ValueError: neither eval() nor Trainer() received an eval_dataloader.
        """
        evaluators = (
            self.state.evaluators if eval_dataloader is None else evaluators_from(eval_dataloader, self._metrics)
        )
        if not evaluators:
            raise ValueError("eval() requires an eval_dataloader: pass one to Trainer() or eval().")
        with _OnError(self.engine.hooks.end_all):
            self.engine.run_event(Event.EVAL_STANDALONE_START)
            results = {each.label: evaluate(self.engine, self._steps, each) for each in evaluators}
            self.engine.run_event(Event.EVAL_STANDALONE_END)
        return results

    def predict(self, dataloader: Iterable[Any], num_batches: int | None = None) -> list[Any]:
        """Return the network's outputs for each batch of inputs, of the first num_batches if it is not None."""
        with _OnError(self.engine.hooks.end_all):
            return predict(self.engine, self._steps, dataloader, num_batches)

    def close(self) -> None:
        """Close the callbacks. Closing twice has no effect."""
        self.engine.close()

    def __enter__(self) -> "Trainer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.engine.close(error)


class _OnError:
    """A context manager that calls clean_up with an exception, which then propagates."""

    def __init__(self, clean_up: Callable[[BaseException], bool]) -> None:
        self._clean_up = clean_up

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._clean_up(error)


def _single_optimizer(optimizers: Any) -> Any:
    items = list(optimizers) if isinstance(optimizers, list | tuple) else [optimizers]
    if len(items) > 1:
        raise ValueError(
            f"optimizers must be a single optimizer, not {len(items)}: "
            "to train with several, write the loop and report its steps with watch()."
        )
    return items[0] if items else None


def _due(state: State, interval: int, epoch: int) -> Sequence[Evaluator]:
    return state.evaluators if epoch % interval == 0 else ()


def _epochs(length: int | str | Time) -> int:
    time = Time.from_input(length, TimeUnit.EPOCH)
    if time.unit is not TimeUnit.EPOCH or time < 1:
        raise ValueError(f"iteration_length must be a positive number of epochs, not {length!r}.")
    return int(time)
