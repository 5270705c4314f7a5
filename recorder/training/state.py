"""State: the state of a training that callbacks and loggers read; a subset of Composer's `State`."""

import os
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from toposcope.recorder.rank import world_size_of
from toposcope.recorder.trained_steps import TrainedSteps
from toposcope.recorder.training.batch import length_of
from toposcope.recorder.training.evaluator import Evaluator
from toposcope.recorder.training.loop_sources import LoopSources
from toposcope.recorder.training.step_counter import StepCounter
from toposcope.recorder.training.time import Time, TimeInput, TimeUnit
from toposcope.recorder.training.timestamp import Timestamp


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


class State:
    """The current state of a training, kept up to date by its driver: Trainer, Model, WatchedRun or a bridge."""

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
        seed: int | None = None,
    ) -> None:
        """Describe a training that has not started; a max_duration without unit is in epochs."""
        self.model, self.loss_fn = model, loss_fn
        self.eval_model = model
        """The network of evaluations."""
        is_single = optimizers is not None and not isinstance(optimizers, Sequence)
        self.optimizers: list[Any] = [optimizers] if is_single else list(optimizers or ())
        self.schedulers = list(schedulers)
        self.train_dataloader = train_dataloader
        self.evaluators = list(evaluators)
        self.callbacks = list(callbacks)
        """Logger destinations, then the user's other callbacks in order, of both styles."""
        self.loop_sources = loop_sources
        """Functions of a user-written loop; None for other trainings."""
        self.run_name = run_name
        self.seed = self.rank_zero_seed = seed
        self._counts: Sequence[TrainedSteps] = ()
        self.counter = StepCounter()
        self.initial_step: int | None = None
        """The number of steps trained before, if the user has given it; see begin_counting()."""
        self.initial_epoch: int | None = None
        """The number of epochs trained before, if the user has given it."""
        self.eval_timestamp = self.predict_timestamp = Timestamp()
        self.max_duration = None if max_duration is None else Time.from_input(max_duration, TimeUnit.EPOCH)
        self.is_stop_requested = False
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
        self.device = Device("cpu")
        self.precision = Precision.FP32
        self.loss_scale_manager: Any = None
        self.device_train_microbatch_size: int | None = None
        self.device_number = world_size_of(os.environ)
        self.parallel_mode = "data_parallel" if self.device_number > 1 else "stand_alone"
        self.sink_size: int | None = None
        """Batches that are one step to MindSpore-style callbacks; None: each batch is a step."""
        self.fsdp_enabled = self.is_model_ddp = False
        self.profiler = None
        self.set_dataloader(train_dataloader, "train" if train_dataloader is not None else None)

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

    def count_step(self, samples: int, seconds: float) -> None:
        """Count a step: its samples, and the seconds that it took."""
        self.counter.count(samples, seconds)
        self._update_counts()

    def count_for(self, counts: Sequence[TrainedSteps]) -> None:
        """From now on keep the counts of optimizers equal to the steps of the timestamp."""
        self._counts = counts
        for count in counts:
            count.step, count.is_restored = self.counter.step, False

    def _update_counts(self) -> None:
        for count in self._counts:
            count.step = self.counter.step

    def set_dataloader(self, dataloader: Any, label: str | None, length: int | None = None) -> None:
        """Set the current data loader; length overrides its number of batches."""
        self.dataloader, self.dataloader_label = dataloader, label
        number = length_of(dataloader) if length is None else length
        self.dataloader_len = None if number is None else Time(number, TimeUnit.BATCH)

    @property
    def is_over(self) -> bool:
        """Whether the training must end: it has reached max_duration, or a stop was requested."""
        return self.is_stop_requested or (self.max_duration is not None and self.timestamp >= self.max_duration)

    def stop_training(self) -> None:
        """Request the training to end after the current batch."""
        self.is_stop_requested = True
        if self.max_duration is not None:
            unit = self.max_duration.unit
            self.max_duration = self.timestamp.get(TimeUnit.BATCH if unit == TimeUnit.EPOCH else unit)

    def get_elapsed_duration(self) -> Time | None:
        """Return the finished fraction of the training, in "dur"; None if its length is unknown."""
        if self.max_duration is None:
            return None
        if not self.max_duration.value:
            return Time(1.0, TimeUnit.DURATION)
        return self.timestamp.get(self.max_duration.unit) / self.max_duration

    def batch_get_item(self, key: Any) -> Any:
        """Return a part of the batch by index, by name, by a function of the batch, or by the first of two."""
        if isinstance(key, Sequence) and not isinstance(key, str) and all(map(callable, key)):
            key = key[0]
        if callable(key):
            return key(self.batch)
        if isinstance(key, str) and not isinstance(self.batch, Mapping):
            return getattr(self.batch, key)
        return self.batch[key]
