"""Model: trains, evaluates and predicts with MindSpore's interface, for PyTorch modules and other networks."""

import itertools
from collections.abc import Callable as Function
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, ClassVar

from toposcope.recorder.arguments import checked_bool, checked_integer
from toposcope.recorder.metrics import metrics_from
from toposcope.recorder.not_copied import NotCopied
from toposcope.recorder.training.data.batch import length_of
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.callback_list import (
    CallbackList,
    checked_callbacks,
    checked_loggers,
    destinations_first,
    reject_legacy_hooks,
    warn_of_legacy_hooks,
)
from toposcope.recorder.training.events.engine import Engine
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.events.logger_destination import LoggerDestination
from toposcope.recorder.training.loops.evaluation import evaluate
from toposcope.recorder.training.loops.fit import Plan, fit
from toposcope.recorder.training.loops.initial_step import begin_counting
from toposcope.recorder.training.loops.network import checked_schedulers, steps_of
from toposcope.recorder.training.loops.prediction import predictions
from toposcope.recorder.training.loss_scale import checked_loss_scale_manager
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.progress.time import Time
from toposcope.recorder.training.state.evaluator import Evaluator, evaluators_from
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import Precision, State
from toposcope.recorder.values.arrays.foreign_values import short_repr


class Model(NotCopied):
    """A network with its loss function, optimizer and metrics.

        model = Model(network, loss_fn=loss, optimizer=optimizer, metrics={"acc"})
        model.fit(10, train_loader, valid_loader, callbacks=[LossMonitor(), SummaryCollector("runs/first")])

    Every call of train(), fit() and eval() runs the events of the engine from INIT to close(). Callbacks of both styles
    may be mixed in one list. Names, parameters and the order of hooks are those of `mindspore.train.Model`; new
    parameters are keyword-only.
    """

    _why_not_copied: ClassVar[str] = (
        "its callbacks belong to one process: copy its network and optimizer, and create another Model of them"
    )

    def __init__(
        self,
        network: Any,
        loss_fn: Any = None,
        optimizer: Any = None,
        metrics: Any = None,
        eval_network: Any = None,
        eval_indexes: Sequence[int] | None = None,
        amp_level: str = "O0",
        boost_level: str = "O0",
        *,
        loss_scale_manager: Any = None,
        keep_batchnorm_fp32: bool | None = None,
        schedulers: Any = (),
        microbatch_size: int | None = None,
        loggers: LoggerDestination | Sequence[LoggerDestination] = (),
    ) -> None:
        """Set up the parts of a training.

        Args:
            network: a torch.nn.Module, or an object with the methods of TrainableNetwork, whose train_step() uses
                neither loss_fn nor optimizer.
            loss_fn: called with the network's outputs and the last part of the batch. None: the network returns its
                loss, alone or first in a tuple.
            optimizer: an optimizer of torch.optim.
            metrics: names ("acc", "recall", "loss", ...) in a set or list, or a dict of names to metrics: Metric
                objects, torchmetrics objects, or functions of outputs and labels.
            eval_network: called in evaluations with the whole batch, in place of network and loss_fn.
            eval_indexes: the indexes of loss, outputs and label in the value that eval_network returns; -1 for a
                missing loss.
            amp_level: "O0" computes in float32. "O1", "O2", "O3" and "auto" use torch.autocast, in float16 on CUDA and
                in bfloat16 on the CPU: linear layers, convolutions and matrix products have that precision, losses and
                all parameters float32. MindSpore's "O3" computes everything else in float16 too.
            boost_level: must be "O0"; MindSpore's other levels have no counterpart.
            loss_scale_manager: a FixedLossScaleManager or DynamicLossScaleManager, or another object whose
                get_loss_scale() returns the factor by which the loss is multiplied. The gradients are divided by it,
                unless the optimizer does that itself, as thor(loss_scale=...) does; then the scales must be equal. If
                its get_drop_overflow_update() returns True, steps with gradients that are not finite are skipped, and
                update_loss_scale() is called after every step. None: torch.amp.GradScaler where amp_level uses float16.
            keep_batchnorm_fp32: accepted for compatibility: the parameters and statistics of normalisation layers are
                float32 at every level, and only their outputs may be of lower precision.
            schedulers: a scheduler of torch.optim.lr_scheduler or a list of them, stepped once per epoch.
            microbatch_size: samples per forward and backward pass; None: the whole batch.
            loggers: destinations that receive what event callbacks log.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: an argument has an invalid value.
        """
        if boost_level != "O0":
            raise ValueError(f"boost_level must be 'O0', the only supported level, not {short_repr(boost_level)}.")
        if keep_batchnorm_fp32 is not None:
            checked_bool("keep_batchnorm_fp32", keep_batchnorm_fp32)
        if eval_indexes is not None and eval_network is None:
            raise ValueError(f"eval_indexes requires an eval_network, which is None; got {short_repr(eval_indexes)}.")
        if microbatch_size is not None:
            checked_integer("microbatch_size", microbatch_size, lowest=1)
        self._loss_scale_manager = checked_loss_scale_manager(loss_scale_manager)
        self._steps = steps_of(
            network,
            loss_fn=loss_fn,
            optimizer=optimizer,
            amp_level=amp_level,
            loss_scale_manager=self._loss_scale_manager,
            eval_network=eval_network,
            eval_indexes=None if eval_indexes is None else _checked_indexes(eval_indexes),
        )
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        self._separate_eval_network = eval_network
        self._metrics = metrics_from(metrics)
        self._eval_indexes = eval_indexes
        self._microbatch_size, self._schedulers = microbatch_size, checked_schedulers(schedulers)
        self._loggers = tuple(checked_loggers(loggers))

    @property
    def train_network(self) -> Any:
        """The network used for training."""
        return self._network

    @property
    def predict_network(self) -> Any:
        """The network used for prediction."""
        return self._network

    @property
    def eval_network(self) -> Any:
        """The network used for evaluation."""
        return self._network if self._separate_eval_network is None else self._separate_eval_network

    @property
    def loss_fn(self) -> Any:
        """The function called with outputs and labels; None: the network returns its loss."""
        return self._loss_fn

    @property
    def precision(self) -> str:
        """The precision of the computation, by Composer's name: "fp32", "amp_fp16" or "amp_bf16"."""
        return str(getattr(self._steps, "precision", "fp32"))

    def with_parts(self, network: Any, loss_fn: Any, optimizer: Any, metrics: Any, **precision: Any) -> "Model":
        """Return a model of other parts, with the evaluation network, schedulers and loggers of this one.

        Args:
            network: as for Model().
            loss_fn: as for Model().
            optimizer: as for Model().
            metrics: as for Model().
            precision: amp_level, loss_scale_manager and keep_batchnorm_fp32 of Model().

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: an argument has an invalid value.
        """
        return Model(
            network,
            loss_fn,
            optimizer,
            metrics,
            self._separate_eval_network,
            self._eval_indexes,
            schedulers=self._schedulers,
            microbatch_size=self._microbatch_size,
            loggers=self._loggers,
            **precision,
        )

    def train(
        self,
        epoch: int,
        train_dataset: Iterable[Any],
        callbacks: CallbackList = None,
        dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
        *,
        initial_step: int | None = None,
    ) -> None:
        """Train up to an epoch.

        Args:
            epoch: the number of the last epoch.
            train_dataset: batches, iterated again in every epoch: (inputs ..., label) or a mapping in that order.
            callbacks: a callback or a sequence of callbacks, of both styles.
            dataset_sink_mode: whether MindSpore-style callbacks are called once per epoch instead of once per step.
            sink_size: batches of such an epoch, independent of the dataset's length; -1: the whole dataset.
            initial_epoch: the number of epochs already trained.
            initial_step: the number of steps already trained. None: the step of the restored checkpoint or of the
                optimizer, if it is known; otherwise the steps of initial_epoch epochs.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: an argument has an invalid value.
            Exception: whatever the network or a callback raises, after all callbacks are closed.
        """
        checked = checked_callbacks(callbacks)
        warn_of_legacy_hooks(checked)
        state = self._training_state(epoch, train_dataset, dataset_sink_mode, sink_size, initial_epoch, initial_step)
        self._train(state, checked, train_dataset, Plan())

    def fit(
        self,
        epoch: int,
        train_dataset: Iterable[Any],
        valid_dataset: Any = None,
        valid_frequency: int | Sequence[int] = 1,
        callbacks: CallbackList = None,
        dataset_sink_mode: bool = False,
        valid_dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
        *,
        initial_step: int | None = None,
    ) -> None:
        """Train up to an epoch and evaluate in between.

        Args:
            epoch: the number of the last epoch.
            train_dataset: as in train().
            valid_dataset: batches to evaluate on, or a dict of label to batches for several evaluators.
            valid_frequency: epochs between evaluations, or the numbers of the epochs after which to evaluate.
            callbacks: a callback or a sequence of callbacks, of both styles; none may override a legacy hook.
            dataset_sink_mode: as in train().
            valid_dataset_sink_mode: no effect: callbacks are called at every step of an evaluation.
            sink_size: as in train().
            initial_epoch: as in train().
            initial_step: as in train().

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: an argument has an invalid value, there is a valid_dataset but no metrics, or a callback
                overrides a legacy hook.
            Exception: whatever the network or a callback raises, after all callbacks are closed.
        """
        checked = checked_callbacks(callbacks)
        reject_legacy_hooks(checked)
        checked_bool("valid_dataset_sink_mode", valid_dataset_sink_mode)
        is_due = _checked_frequency(valid_frequency)
        evaluators = [] if valid_dataset is None else self._evaluators(valid_dataset)
        state = self._training_state(epoch, train_dataset, dataset_sink_mode, sink_size, initial_epoch, initial_step)
        state.evaluators = evaluators

        def due(event: Event) -> Sequence[Evaluator]:
            """After a stop MindSpore still evaluates the epoch that was cut short, and ends it then."""
            is_cut = bool(state.timestamp.batch_in_epoch.value)
            if event is Event.EPOCH_END or (event is Event.FIT_END and is_cut):
                return evaluators if is_due(int(state.timestamp.epoch) + is_cut, initial_epoch) else ()
            return ()

        self._train(state, checked, train_dataset, Plan(due))

    def eval(
        self, valid_dataset: Iterable[Any], callbacks: CallbackList = None, dataset_sink_mode: bool = False
    ) -> dict[str, Any]:
        """Evaluate, and return the result of each metric by its name.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the model has no metrics.
            Exception: whatever the network or a callback raises, after all callbacks are closed.
        """
        checked = checked_callbacks(callbacks)
        warn_of_legacy_hooks(checked)
        checked_bool("dataset_sink_mode", dataset_sink_mode)
        (evaluator,) = self._evaluators({"eval": valid_dataset})
        with _Run(self._state(), checked, self._loggers) as engine:
            engine.run_event(Event.EVAL_STANDALONE_START)
            results = evaluate(engine, self._steps, evaluator)
            engine.run_event(Event.EVAL_STANDALONE_END)
        return results

    def predict(self, *predict_data: Any, backend: str | None = None, config: Any = None) -> Any:
        """Return the outputs of one batch; its inputs are the positional arguments.

        Raises:
            ValueError: backend or config is not None: no other backend is supported.
        """
        if backend is not None or config is not None:
            raise ValueError(
                f"backend and config must be None, as there is only one backend, not {backend!r} and {config!r}."
            )
        with _Run(self._state(), [], self._loggers) as engine:
            (outputs,) = predictions(engine, self._steps, [predict_data])
        return outputs

    def _train(
        self, state: State, callbacks: list[Callback | EventCallback], dataset: Iterable[Any], plan: Plan
    ) -> None:
        is_cut = state.sink_size is not None and state.sink_size != length_of(dataset)
        endless = _repeated(dataset)

        def batches(left_out: int) -> Iterable[Any]:
            return itertools.islice(endless, state.sink_size) if is_cut else dataset

        with _Run(state, callbacks, self._loggers) as engine:
            engine.run_event(Event.BEFORE_LOAD)
            engine.run_event(Event.AFTER_LOAD)
            begin_counting(state)
            if is_cut and state.position is not None:
                _skip_sinks(endless, state, length_of(dataset))
            fit(engine, self._steps, batches, plan)

    def _state(self, **settings: Any) -> State:
        state = State(
            model=self._network,
            loss_fn=self._loss_fn,
            optimizers=self._optimizer,
            schedulers=self._schedulers,
            **settings,
        )
        state.eval_model, state.loss_scale_manager = self.eval_network, self._loss_scale_manager
        state.precision = Precision(self.precision)
        state.device_train_microbatch_size = self._microbatch_size
        return state

    def _training_state(
        self,
        epoch: int,
        dataset: Any,
        dataset_sink_mode: bool,
        sink_size: int,
        initial_epoch: int,
        initial_step: int | None,
    ) -> State:
        last = checked_integer("epoch", epoch, lowest=1)
        first = checked_integer("initial_epoch", initial_epoch, lowest=0, highest=last - 1)
        if not isinstance(dataset, Iterable):
            raise TypeError(f"train_dataset must be an iterable of batches, not {short_repr(dataset)}.")
        checked_integer("sink_size", sink_size, lowest=-1)
        state = self._state(train_dataloader=dataset, max_duration=Time(last, "ep"))
        state.timestamp, state.initial_epoch = state.timestamp.copy(epoch=first), first
        state.initial_step = None if initial_step is None else checked_integer("initial_step", initial_step, lowest=0)
        if checked_bool("dataset_sink_mode", dataset_sink_mode):
            state.sink_size = _checked_sink_size(sink_size, dataset)
            state.set_dataloader(dataset, "train", state.sink_size)
        return state

    def _evaluators(self, valid_dataset: Any) -> list[Evaluator]:
        if not self._metrics:
            raise ValueError("The model has no metrics for an evaluation: pass metrics= to Model().")
        return evaluators_from(valid_dataset, self._metrics)


class _Run:
    """An engine for one call of a Model method, from INIT to close()."""

    def __init__(
        self, state: State, callbacks: list[Callback | EventCallback], loggers: Sequence[LoggerDestination]
    ) -> None:
        destinations, other_callbacks = destinations_first(callbacks, loggers)
        state.callbacks = [*destinations, *other_callbacks]
        self._engine = Engine(state, Logger(state, destinations))

    def __enter__(self) -> Engine:
        try:
            self._engine.run_event(Event.INIT)
        except BaseException as error:
            self._engine.close(error)
            raise
        return self._engine

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        return self._engine.close(error)


def _checked_frequency(valid_frequency: Any) -> Function[[int, int], bool]:
    """Return a function of an epoch and the initial epoch: whether to evaluate after that epoch; see fit()."""
    if isinstance(valid_frequency, Sequence) and not isinstance(valid_frequency, str):
        epochs = {checked_integer("valid_frequency", number, lowest=1) for number in valid_frequency}
        return lambda epoch, initial: epoch in epochs
    frequency = checked_integer("valid_frequency", valid_frequency, lowest=1)
    return lambda epoch, initial: (epoch - initial) % frequency == 0


def _checked_indexes(eval_indexes: Any) -> list[int]:
    """Return the indexes of loss, outputs and label."""
    if not isinstance(eval_indexes, list | tuple) or len(eval_indexes) != 3:
        raise ValueError(
            "eval_indexes must be three indexes into the value that eval_network returns, "
            f"not {short_repr(eval_indexes)}."
        )
    return [checked_integer("eval_indexes", index, lowest=-1) for index in eval_indexes]


def _checked_sink_size(sink_size: Any, dataset: Any) -> int:
    size = checked_integer("sink_size", sink_size, lowest=-1)
    if size == 0:
        raise ValueError("sink_size must be -1 or at least 1, not 0.")
    number = length_of(dataset) if size == -1 else size
    if number is None:
        raise ValueError(f"Sink mode requires a sink_size or a dataset with a length; {short_repr(dataset)} has none.")
    return number


def _skip_sinks(endless: Iterator[Any], state: State, length: int | None) -> None:
    """Skip the batches of the epochs that were trained before; length: of the dataset."""
    assert state.sink_size is not None
    number = int(state.timestamp.epoch) * state.sink_size
    for _ in itertools.islice(endless, number % length if length else number):
        pass


def _repeated(dataset: Iterable[Any]) -> Iterator[Any]:
    """Yield the batches of dataset repeatedly."""
    while True:
        is_empty = True
        for batch in dataset:
            is_empty = False
            yield batch
        if is_empty:
            return
