"""Trainer: a training with access to its engine, state and logger, with Composer's interface."""

import copy
import inspect
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from itertools import islice
from types import TracebackType
from typing import Any, ClassVar, TextIO

from toposcope.recorder.arguments import checked_bool, checked_integer
from toposcope.recorder.metrics import metrics_from
from toposcope.recorder.not_copied import NotCopied
from toposcope.recorder.training.data.batch import number_used
from toposcope.recorder.training.events.callback_list import (
    CallbackList,
    checked_callbacks,
    checked_loggers,
    destinations_first,
    warn_of_legacy_hooks,
)
from toposcope.recorder.training.events.engine import Engine
from toposcope.recorder.training.events.logger_destination import LoggerDestination
from toposcope.recorder.training.loops.evaluation import evaluate
from toposcope.recorder.training.loops.fit import Plan, fit
from toposcope.recorder.training.loops.initial_step import begin_where_restored
from toposcope.recorder.training.loops.network import checked_schedulers, steps_of
from toposcope.recorder.training.loops.prediction import on_cpu, predictions
from toposcope.recorder.training.progress.eval_interval import Interval, interval_from
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.progress.time import Time, TimeInput, TimeUnit, checked_time
from toposcope.recorder.training.progress.timestamp import Timestamp
from toposcope.recorder.training.state.evaluator import Evaluator, evaluators_from
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State


class Trainer(NotCopied):
    """A training that can be continued, evaluated and inspected; see Model for MindSpore's interface.

        trainer = Trainer(model=network, train_dataloader=batches, optimizers=optimizer, max_duration="2ep",
                          callbacks=[MyCallback()], loggers=[InMemoryLogger()])
        trainer.fit()
        trainer.close()

    The constructor runs INIT, BEFORE_LOAD and AFTER_LOAD; before the last, callbacks such as BackupAndRestore restore
    the training. Use the trainer as a context manager, or call close(), to close the callbacks. Parameters are a subset
    of those of `composer.Trainer`.
    """

    _why_not_copied: ClassVar[str] = (
        "its callbacks belong to one process: save state_dict() of its state, and create another Trainer"
    )

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
        eval_interval: Interval = 1,
        train_subset_num_batches: int = -1,
        eval_subset_num_batches: int = -1,
        spin_dataloaders: bool = True,
        device_train_microbatch_size: int | None = None,
        iteration_length: int | str | Time | None = None,
        run_name: str = "run",
        seed: int | None = None,
        load: Callable[[State], None] | None = None,
        loss_fn: Any = None,
        metrics: Any = None,
        train_metrics: Any = None,
        amp_level: str = "O0",
        log_to_console: bool = False,
        console_log_interval: TimeInput = "1ba",
        console_stream: str | TextIO = "stderr",
    ) -> None:
        """Set up a training.

        Args:
            model: a torch.nn.Module, or an object with the methods of TrainableNetwork. With loss_fn=None a module
                either has a method loss(outputs, batch), as in Composer, or returns its loss.
            train_dataloader: batches, iterated again in every epoch.
            eval_dataloader: batches, a dict of label to batches, Evaluators, or several loaders of PyTorch.
            optimizers: an optimizer of torch.optim, alone or in a list.
            max_duration: how long fit() trains: "2ep", "100ba", ...; a number without unit counts epochs.
            callbacks: a callback or a sequence of callbacks, of both styles.
            loggers: destinations that receive what callbacks and the loops log.
            schedulers: a scheduler of torch.optim.lr_scheduler or a list of them.
            step_schedulers_every_batch: whether schedulers step once per batch instead of once per epoch.
            eval_interval: when to evaluate during fit(): every so many epochs (2, "2ep"), batches ("100ba"), samples
                ("5000sp") or seconds ("600sec"), or after a fraction of the training ("0.25dur"); and at the end,
                unless its last batch was just evaluated. 0: never. Or a function of the State and the Event (BATCH_END,
                EPOCH_END or FIT_END) that returns whether to evaluate after it. An Evaluator may have its own.
            train_subset_num_batches: batches per epoch; -1: all of train_dataloader.
            eval_subset_num_batches: batches per evaluation; -1: all of them. An Evaluator may have its own.
            spin_dataloaders: whether fit() skips the batches that the current epoch has been trained on, when it
                continues in the middle of an epoch; False for a train_dataloader that does so itself.
            device_train_microbatch_size: samples per forward and backward pass; None: the whole batch.
            iteration_length: epochs per iteration, 2 or "2ep"; None: the training is a single iteration.
            run_name: the name of the run, for loggers.
            seed: recorded in the state for loggers; no random generator is seeded.
            load: called with the state between BEFORE_LOAD and AFTER_LOAD, to load a checkpoint into its model.
            loss_fn: called with the outputs and the last part of the batch.
            metrics: metrics of evaluations, in the forms that Model accepts. None: those that
                model.get_metrics(is_train=False) returns, if there is such a method, as in Composer.
            train_metrics: metrics of the training batches, in the same forms. None: those that
                model.get_metrics(is_train=True) returns.
            amp_level: as for Model.
            log_to_console: whether a ConsoleLogger is added to the loggers.
            console_log_interval: how often it prints metrics of the training.
            console_stream: where it prints: "stdout", "stderr" or an open text file.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: an argument has an invalid value.
            RuntimeError: another trainer still uses one of the callbacks.
        """
        checked_integer("train_subset_num_batches", train_subset_num_batches, lowest=-1)
        if device_train_microbatch_size is not None:
            checked_integer("device_train_microbatch_size", device_train_microbatch_size, lowest=1)
        optimizer = _single_optimizer(optimizers)
        self._steps = steps_of(model, loss_fn=loss_fn, optimizer=optimizer, amp_level=amp_level)
        self._metrics = metrics_from(_metrics_of(model, metrics, is_train=False))
        checked = checked_callbacks(callbacks)
        warn_of_legacy_hooks(checked)
        destinations, other_callbacks = destinations_first(checked, checked_loggers(loggers))
        if checked_bool("log_to_console", log_to_console):
            # By name: the folder of the loggers builds on this one.
            console = import_module("toposcope.recorder.loggers.console")
            destinations.append(console.ConsoleLogger(console_log_interval, console_stream))
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
        self._train_subset = train_subset_num_batches
        if train_dataloader is not None:
            self._use(train_dataloader)
        self.state.evaluators = evaluators_from(eval_dataloader, self._metrics)
        self.state.train_metrics = metrics_from(_metrics_of(model, train_metrics, is_train=True))
        self._plan = Plan(
            due=_due(self.state, eval_interval),
            evaluates_after_fit_end=True,
            eval_subset=checked_integer("eval_subset_num_batches", eval_subset_num_batches, lowest=-1),
            iteration_length=None if iteration_length is None else _epochs(iteration_length),
            steps_schedulers_by_batch=step_schedulers_every_batch,
            skips_trained_batches=checked_bool("spin_dataloaders", spin_dataloaders),
        )
        self.logger = Logger(self.state, destinations)
        self.engine = Engine(self.state, self.logger)
        with _OnError(self.engine.close):
            self.engine.run_event(Event.INIT)
            self.engine.run_event(Event.BEFORE_LOAD)
            if load is not None:
                load(self.state)
            begin_where_restored(self.state)
            self.engine.run_event(Event.AFTER_LOAD)

    def fit(
        self,
        *,
        duration: TimeInput | None = None,
        reset_time: bool = False,
        train_dataloader: Iterable[Any] | None = None,
        eval_dataloader: Any = None,
        eval_interval: Interval | None = None,
        eval_subset_num_batches: int = -1,
    ) -> None:
        """Train until max_duration, or for *duration* more.

        Args:
            duration: how long; a number without unit counts epochs. None: until max_duration.
            reset_time: whether the timestamp begins at 0 again.
            train_dataloader: replaces that of Trainer().
            eval_dataloader: replaces that of Trainer(), together with the next two.
            eval_interval: when eval_dataloader is evaluated; None: after every epoch.
            eval_subset_num_batches: batches per evaluation of eval_dataloader.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: there is no train_dataloader or no duration, the duration has passed, or an argument for
                eval_dataloader is given without it.
            RuntimeError: eval_interval is a fraction of a training of unknown length.
            Exception: whatever the network or a callback raises, after entered callbacks are exited.
        """
        state = self.state
        if train_dataloader is not None:
            self._use(train_dataloader)
        if state.train_dataloader is None:
            raise ValueError("fit() requires a train_dataloader: pass one to Trainer() or fit().")
        subset = checked_integer("eval_subset_num_batches", eval_subset_num_batches, lowest=-1)
        if eval_dataloader is not None:
            evaluators = evaluators_from(eval_dataloader, self._metrics)
            due = _due(state, 1 if eval_interval is None else eval_interval)
            self._plan, state.evaluators = self._plan._replace(due=due, eval_subset=subset), evaluators
        elif eval_interval is not None or subset >= 0:
            raise ValueError("eval_interval and eval_subset_num_batches of fit() require its eval_dataloader.")
        if checked_bool("reset_time", reset_time):
            state.timestamp = Timestamp()
        self._set_end(duration)
        with _OnError(self.engine.hooks.end_all):
            fit(self.engine, self._steps, self._batches, self._plan)

    def eval(self, eval_dataloader: Any = None, subset_num_batches: int = -1) -> dict[str, dict[str, Any]]:
        """Evaluate; return the results by evaluator label and metric name.

        Args:
            eval_dataloader: what to evaluate on, as for Trainer(); None: that of Trainer().
            subset_num_batches: batches of each evaluator; -1: as many as during a training.

        Raises:
            ValueError: neither eval() nor Trainer() received an eval_dataloader.
        """
        number = checked_integer("subset_num_batches", subset_num_batches, lowest=-1)
        evaluators = (
            self.state.evaluators if eval_dataloader is None else evaluators_from(eval_dataloader, self._metrics)
        )
        if not evaluators:
            raise ValueError("eval() requires an eval_dataloader: pass one to Trainer() or eval().")
        subset = self._plan.eval_subset if eval_dataloader is None else -1
        with _OnError(self.engine.hooks.end_all):
            self.engine.run_event(Event.EVAL_STANDALONE_START)
            results = {
                each.label: evaluate(self.engine, self._steps, each, subset=subset, at_most=number)
                for each in evaluators
            }
            self.engine.run_event(Event.EVAL_STANDALONE_END)
        return results

    def predict(
        self, dataloader: Iterable[Any], subset_num_batches: int = -1, *, return_outputs: bool = True
    ) -> list[Any]:
        """Run the network on batches of inputs; callbacks find the outputs of each in state.outputs.

        Args:
            dataloader: the batches.
            subset_num_batches: how many of them; -1: all.
            return_outputs: whether the outputs are returned; they would have to fit into memory.

        Returns:
            The outputs of each batch, on the CPU; an empty list with return_outputs=False.
        """
        number = checked_integer("subset_num_batches", subset_num_batches, lowest=-1)
        checked_bool("return_outputs", return_outputs)
        returned = []
        with _OnError(self.engine.hooks.end_all):
            for outputs in predictions(self.engine, self._steps, dataloader, number):
                if return_outputs:
                    returned.append(on_cpu(outputs))
        return returned

    def close(self) -> None:
        """Close the callbacks. Closing twice has no effect."""
        self.engine.close()

    def __enter__(self) -> "Trainer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.engine.close(error)

    def _use(self, train_dataloader: Iterable[Any]) -> None:
        self.state.train_dataloader = train_dataloader
        self.state.set_dataloader(train_dataloader, "train", number_used(train_dataloader, self._train_subset))

    def _batches(self, left_out: int) -> Iterable[Any]:
        """Return the batches of an epoch, without as many as the loader leaves out by itself."""
        loader: Iterable[Any] = self.state.train_dataloader
        return loader if self._train_subset < 0 else islice(loader, self._train_subset - left_out)

    def _set_end(self, duration: TimeInput | None) -> None:
        """Set the end of a training that begins now, for *duration* if it is not None."""
        state = self.state
        if duration is not None:
            more = checked_time("duration", duration, TimeUnit.EPOCH)
            state.max_duration = state.timestamp.get(more.unit) + more
        if state.max_duration is None:
            raise ValueError("fit() requires a duration: pass max_duration to Trainer() or duration to fit().")
        if state.max_duration.value <= 0:
            raise ValueError(f"max_duration must be positive, not {state.max_duration}.")
        state.max_duration = state.max_duration  # A stop that was requested before is over.
        if state.is_over and state.position is None:  # Of a restored training that is over nothing is trained.
            raise ValueError(
                f"max_duration, {state.max_duration}, has been reached: pass duration= or reset_time=True to fit()."
            )


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


def _metrics_of(model: Any, given: Any, *, is_train: bool) -> Any:
    """Return the given metrics; if they are None, copies of those that the model returns."""
    own = getattr(model, "get_metrics", None)
    # Other libraries have methods of this name with other parameters.
    if given is not None or not callable(own) or "is_train" not in inspect.signature(own).parameters:
        return given
    return copy.deepcopy(own(is_train=is_train))


def _single_optimizer(optimizers: Any) -> Any:
    items = list(optimizers) if isinstance(optimizers, list | tuple) else [optimizers]
    if len(items) > 1:
        raise ValueError(
            f"optimizers must be a single optimizer, not {len(items)}: "
            "to train with several, write the loop and report its steps with watch()."
        )
    return items[0] if items else None


def _due(state: State, eval_interval: Interval) -> Callable[[Event], list[Evaluator]]:
    """Return a function of an event: which evaluators of the state are due after it."""
    default = interval_from(eval_interval)
    return lambda event: [each for each in state.evaluators if (each.eval_interval or default)(state, event)]


def _epochs(length: int | str | Time) -> int:
    time = Time.from_input(length, TimeUnit.EPOCH)
    if time.unit is not TimeUnit.EPOCH or time < 1:
        raise ValueError(f"iteration_length must be a positive number of epochs, not {length!r}.")
    return int(time)
