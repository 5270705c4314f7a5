"""State: the state of a training that callbacks and loggers read; a subset of Composer's `State`."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar

from toposcope.recorder.checkpoints.state.trained_steps import TrainedSteps
from toposcope.recorder.not_copied import NotCopied
from toposcope.recorder.rank import process_count, process_rank
from toposcope.recorder.training.data.batch import length_of
from toposcope.recorder.training.data.batch_items import item_of, with_item
from toposcope.recorder.training.data.position import EpochPlace, Position
from toposcope.recorder.training.progress.step_counter import StepCounter
from toposcope.recorder.training.progress.time import Time, TimeInput, TimeUnit, checked_time
from toposcope.recorder.training.progress.timestamp import Timestamp
from toposcope.recorder.training.state.evaluator import Evaluator
from toposcope.recorder.training.state.loop_sources import LoopSources
from toposcope.recorder.training.state.state_dict import SERIALIZED, load_into, state_dict_of
from toposcope.recorder.values.arrays.foreign_values import short_repr


class Precision(StrEnum):
    """The numeric precision of the network's computation."""

    FP32 = "fp32"
    AMP_FP16 = "amp_fp16"
    AMP_BF16 = "amp_bf16"


class Device:
    """The device of the network, and the function that moves tensors to it."""

    def __init__(self, name: str, move: Callable[[Any], Any] = lambda tensor: tensor) -> None:
        self.name = name
        self.tensor_to_device = move

    def __str__(self) -> str:
        return self.name


class State(NotCopied):
    """The current state of a training, kept up to date by its driver: Trainer, Model, WatchedRun or a bridge."""

    _why_not_copied: ClassVar[str] = "it is that of a training in this process: save what state_dict() returns"

    def __init__(
        self,
        *,
        model: Any = None,
        optimizers: Any = None,
        schedulers: Sequence[Any] = (),
        loss_fn: Any = None,
        train_dataloader: Any = None,
        max_duration: TimeInput | None = None,
        evaluators: Sequence[Evaluator] = (),
        callbacks: Sequence[Any] = (),
        loop_sources: LoopSources | None = None,
        run_name: str = "run",
        rank_zero_seed: int | None = None,
        device: Any = None,
        precision: str = "fp32",
        device_train_microbatch_size: int | None = None,
        dataloader: Any = None,
        dataloader_label: str | None = None,
    ) -> None:
        """Describe a training that has not started.

        Args:
            model: the network.
            optimizers: an optimizer, or a sequence of them.
            schedulers: a scheduler, or a sequence of them.
            loss_fn: the loss function.
            train_dataloader: the batches of the training.
            max_duration: its length; see the attribute.
            evaluators: what is evaluated during the training.
            callbacks: logger destinations, then other callbacks.
            loop_sources: see the attribute.
            run_name: the name of the run.
            rank_zero_seed: the seed of the process of rank 0.
            device: an object with a name and a function tensor_to_device; None: the CPU.
            precision: the numeric precision, by its name in Composer.
            device_train_microbatch_size: samples per forward and backward pass; None: the whole batch.
            dataloader: the current data loader; None: train_dataloader.
            dataloader_label: its label; "train" for train_dataloader.
        """
        self.model, self.loss_fn = model, loss_fn
        self.eval_model = model
        """The network of evaluations."""
        self._optimizers, self._schedulers = _as_list(optimizers), _as_list(schedulers)
        self.train_dataloader = train_dataloader
        self.evaluators = list(evaluators)
        self.callbacks = list(callbacks)
        """Logger destinations, then the user's other callbacks in order, of both styles."""
        self.loop_sources = loop_sources
        """Functions of a user-written loop; None for other trainings."""
        self.run_name = run_name
        self.rank_zero_seed = rank_zero_seed
        self._counts: Sequence[TrainedSteps] = ()
        self.counter = StepCounter()
        self.initial_step: int | None = None
        """The number of steps trained before, if the user has given it; see begin_counting()."""
        self.initial_epoch: int | None = None
        """The number of epochs trained before, if the user has given it."""
        self.position: Position | None = None
        """Where a training continues that a callback has restored, until it does; None: at the beginning."""
        self.random_at_epoch = ""
        """The random states when the epoch began; see random_states()."""
        self.epoch_place: Callable[[], EpochPlace] = self._epoch_place
        """Returns how far the epoch has been trained; a loop counts the batches of its loader itself."""
        self.eval_timestamp, self.predict_timestamp = Timestamp(), Timestamp()
        self.is_stop_requested = False
        self.max_duration = max_duration
        self.batch: Any = None
        self.loss: Any = None
        """The loss of the newest forward pass, of one microbatch; None before the first."""
        self.outputs: Any = None
        self.labels: Any = None
        """The labels of the newest batch of an evaluation."""
        self.net_outputs: Any = None
        """The result of the newest step: its loss, or a tuple that begins with it."""
        self.train_metrics: dict[str, Any] = {}
        self.eval_metrics: dict[str, dict[str, Any]] = {}
        self.eval_results: dict[str, Any] | None = None
        """The results of the newest evaluator by metric name."""
        self.eval_loss: float | None = None
        self.dataloader: Any = None
        self.dataloader_label: str | None = None
        self.dataloader_len: Time | None = None
        self.device = Device("cpu") if device is None else device
        self.precision = Precision(precision)
        self.loss_scale_manager: Any = None
        self.device_train_microbatch_size = device_train_microbatch_size
        self.device_number = process_count()
        self.parallel_mode = "data_parallel" if self.device_number > 1 else "stand_alone"
        self.sink_size: int | None = None
        """Batches that are one step to MindSpore-style callbacks; None: each batch is a step."""
        self.fsdp_enabled = self.is_model_ddp = False
        self.profiler = None
        if dataloader is not None:
            self.set_dataloader(dataloader, dataloader_label)
        elif train_dataloader is not None:
            self.set_dataloader(train_dataloader, "train")

    @property
    def max_duration(self) -> Time | None:
        """The length of the training; None if it is unknown.

        A string ("2ep", "100ba") or a number of epochs may be assigned at any time; it withdraws a requested stop.
        ValueError for a fraction, "dur".
        """
        return self._max_duration

    @max_duration.setter
    def max_duration(self, max_duration: TimeInput | None) -> None:
        duration = None if max_duration is None else checked_time("max_duration", max_duration, TimeUnit.EPOCH)
        if duration is not None and duration.unit is TimeUnit.DURATION:
            raise ValueError(f"max_duration cannot be a fraction of itself, {duration}.")
        self._max_duration, self.is_stop_requested = duration, False

    @property
    def seed(self) -> int | None:
        """The seed of this process: that of rank 0 plus the rank; None if it is unknown."""
        return None if self.rank_zero_seed is None else self.rank_zero_seed + process_rank()

    @property
    def optimizers(self) -> list[Any]:
        """The optimizers; one without a list may be assigned."""
        return self._optimizers

    @optimizers.setter
    def optimizers(self, optimizers: Any) -> None:
        self._optimizers = _as_list(optimizers)

    @property
    def schedulers(self) -> list[Any]:
        """The schedulers; one without a list may be assigned."""
        return self._schedulers

    @schedulers.setter
    def schedulers(self, schedulers: Any) -> None:
        self._schedulers = _as_list(schedulers)

    @property
    def timestamp(self) -> Timestamp:
        """The progress of the training."""
        return self.counter.timestamp

    @timestamp.setter
    def timestamp(self, timestamp: Timestamp) -> None:
        self.counter.timestamp = timestamp
        self._update_counts()

    @property
    def previous_timestamp(self) -> Timestamp:
        """The progress before the last step."""
        return self.counter.previous

    @previous_timestamp.setter
    def previous_timestamp(self, timestamp: Timestamp) -> None:
        self.counter.previous = timestamp

    def count_step(self, samples: int, seconds: float, tokens: int = 0) -> None:
        """Count a step: its samples, the seconds that it took, and its tokens."""
        self.counter.count(samples, seconds, tokens)
        self._update_counts()

    def count_for(self, counts: Sequence[TrainedSteps]) -> None:
        """From now on keep the counts of optimizers equal to the steps of the timestamp."""
        self._counts = counts
        for count in counts:
            count.step, count.is_restored = self.counter.step, False

    def __copy__(self) -> "State":
        """Return a State of the same objects."""
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    def _epoch_place(self) -> EpochPlace:
        batches = self.timestamp.batch_in_epoch
        return EpochPlace(int(batches), self.dataloader_len is not None and batches == self.dataloader_len)

    def _update_counts(self) -> None:
        for count in self._counts:
            count.step = self.counter.step

    def set_dataloader(
        self, dataloader: Any = None, dataloader_label: str | None = None, dataloader_len: int = -1
    ) -> None:
        """Set the current data loader.

        Args:
            dataloader: the batches, or None.
            dataloader_label: its label, which a data loader must have.
            dataloader_len: the number of batches that are used; -1: all of them.

        Raises:
            ValueError: a dataloader without a label.
        """
        if dataloader is not None and dataloader_label is None:
            raise ValueError(f"A dataloader must have a dataloader_label; {short_repr(dataloader)} has none.")
        self.dataloader, self.dataloader_label = dataloader, dataloader_label
        number = length_of(dataloader) if dataloader_len < 0 else dataloader_len
        self.dataloader_len = None if number is None else Time(number, TimeUnit.BATCH)

    @property
    def is_over(self) -> bool:
        """Whether the training must end: it has reached max_duration, or a stop was requested."""
        if self.is_stop_requested or self._max_duration is None:
            return self.is_stop_requested
        return self.counter.finished(self._max_duration.unit) >= self._max_duration.value

    def stop_training(self) -> None:
        """Request the training to end after the current batch: max_duration becomes what is finished so far.

        A length in epochs becomes one in batches, as in Composer.
        """
        if self._max_duration is not None:
            unit = self._max_duration.unit
            self.max_duration = self.timestamp.get(TimeUnit.BATCH if unit is TimeUnit.EPOCH else unit)
        self.is_stop_requested = True

    def get_elapsed_duration(self) -> Time | None:
        """Return the finished fraction of the training, in "dur"; None if its length is unknown."""
        if self.max_duration is None:
            return None
        if not self.max_duration.value:
            return Time(1.0, TimeUnit.DURATION)
        return self.timestamp.get(self.max_duration.unit) / self.max_duration

    def batch_get_item(self, key: Any) -> Any:
        """Return an item of the batch; see item_of() for keys and errors."""
        return item_of(self.batch, key)

    def batch_set_item(self, key: Any, value: Any) -> None:
        """Replace an item of the batch; see with_item() for keys and errors."""
        self.batch = with_item(self.batch, key, value)

    @property
    def serialized_attributes(self) -> list[str]:
        """The attributes in the state dict."""
        return list(SERIALIZED)

    def state_dict(self) -> dict[str, Any]:
        """Return the training as values that torch.save() writes, in the layout of Composer's State; see SERIALIZED.

        torch.load() reads them with weights_only=False, because durations are timedeltas, as in Composer.
        """
        return state_dict_of(self)

    def load_state_dict(self, state: Mapping[str, Any], logger: Any = None, strict: bool = False) -> None:
        """Restore what state_dict() returned: network, optimizers, schedulers, callbacks, timestamp, seed, run's name.

        Args:
            state: the state dict. What it lacks keeps its state, with a warning.
            logger: not used; Composer's second parameter.
            strict: whether missing and unexpected parameters of a PyTorch network are an error.
        """
        load_into(self, state, strict=strict)


def _as_list(items: Any) -> list[Any]:
    return [] if items is None else list(items) if isinstance(items, Sequence) else [items]
