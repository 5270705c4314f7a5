"""Loop events: runs the events of a user-written loop in order, and keeps its state up to date."""

from collections.abc import Mapping
from datetime import timedelta
from time import perf_counter
from typing import Any

from toposcope.recorder.training.data.batch import samples_of, tokens_of
from toposcope.recorder.training.data.loss import loss_in
from toposcope.recorder.training.events.engine import Engine
from toposcope.recorder.training.loops.initial_step import begin_counting
from toposcope.recorder.training.own_loops.accumulation import Accumulation
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.progress.timestamp import Timestamp

_LOADING = (Event.INIT, Event.BEFORE_LOAD, Event.AFTER_LOAD)
_TRAINING_BEGIN = (Event.FIT_START, Event.ITERATION_START)


class LoopEvents:
    """The events of one training; remembers whether an epoch, a step and a micro-batch have started.

    A step consists of one micro-batch, or of several whose gradients are accumulated; BATCH_START and BATCH_END enclose
    them all. An epoch consists of the micro-batches of the loader: a step that its last one does not end continues in
    the next epoch. EPOCH_END follows the last micro-batch of an epoch. EPOCH_CHECKPOINT waits for the evaluation of the
    epoch: close_epoch() runs it.
    """

    def __init__(self, engine: Engine) -> None:
        """Run the events of a training."""
        self.engine, self._state = engine, engine.state
        self.reported = Accumulation()
        """The micro-batches of the step that have ended."""
        self.is_micro_batch_started = False
        self.is_step_started = self._is_epoch_started = self._is_epoch_ended = False
        self._samples_processed = 0
        self._tokens = 0
        """The tokens of the step that has not ended."""
        self._clock = perf_counter()

    def begin_training(self) -> None:
        """Run the events up to ITERATION_START."""
        for event in _LOADING:
            self.engine.run_event(event)
        begin_counting(self._state)
        for event in _TRAINING_BEGIN:
            self.engine.run_event(event)
        self._samples_processed = int(self._state.timestamp.sample)
        self._clock = perf_counter()

    def end_training(self) -> None:
        """Close the epoch if it has ended, and run FIT_END."""
        self.close_epoch()
        self.engine.run_event(Event.FIT_END)

    def begin_micro_batch(self, batch: Any, *, is_over: bool = False) -> None:
        """Begin a micro-batch; the first one of a step runs BATCH_START, before it EPOCH_START if an epoch begins.

        Args:
            batch: the batch.
            is_over: whether its beginning was not observed: it began when the previous step or evaluation ended.
        """
        self.close_epoch()
        if not self._is_epoch_started:
            self._is_epoch_started = True
            self.engine.hooks.params.processed.epoch_began = self._clock if is_over else None
            self.engine.run_event(Event.EPOCH_START)
        self.is_micro_batch_started = True
        if self.is_step_started:
            self.set_batch(batch)
            return
        self._state.batch = batch
        self.is_step_started = True
        self.engine.run_event(Event.BATCH_START)

    def end_micro_batch(self, loss: Any, samples: int | None = None, tokens: int | None = None) -> None:
        """Add a micro-batch to the step, which has not necessarily ended.

        Args:
            loss: its loss.
            samples: None: those of the batch.
            tokens: None: those of the batch.
        """
        samples = self._samples() if samples is None else samples
        self.reported.add(loss, samples)
        self._samples_processed += samples
        self._tokens += tokens_of(self._state.batch, self._state.train_dataloader) if tokens is None else tokens
        self.engine.hooks.params.processed.samples = self._samples_processed
        self.is_micro_batch_started = False

    def end_step(self) -> None:
        """Count the step, run BATCH_END and BATCH_CHECKPOINT; its loss is the mean of those of its micro-batches."""
        self.end_step_with(*self.reported.take())

    def end_step_with(self, loss: Any, samples: int) -> None:
        """Do the same for a step with this loss, None if it is unknown, and number of samples."""
        state = self._state
        state.loss = loss
        state.net_outputs = loss if state.outputs is None else (loss, state.outputs)
        if self.engine.logger.destinations and loss is not None:
            self.engine.logger.log_metrics({"loss/train/total": loss})
        self.engine.hooks.params.processed.is_loss_unknown = loss is None
        self._count_step(samples)
        self.is_step_started = False
        self.engine.run_event(Event.BATCH_END)
        self.engine.run_event(Event.BATCH_CHECKPOINT)

    def end_steps_of_micro_batches(self) -> None:
        """End the step, and count each of its micro-batches as a step of its own."""
        for part in self.reported.take_apart():
            if not self.is_step_started:
                self.is_step_started = True
                self.engine.run_event(Event.BATCH_START)
            self.reported.add(*part)
            self.end_step()

    def set_batch(self, batch: Any) -> None:
        """Replace the batch of the micro-batch."""
        self._state.batch = self.engine.hooks.params["train_dataset_element"] = batch

    def end_epoch(self) -> None:
        """Count the epoch and run EPOCH_END, unless this has happened or no epoch has started."""
        if self._is_epoch_started and not self._is_epoch_ended:
            self._is_epoch_ended = True
            self._state.timestamp = self._state.timestamp.to_next_epoch()
            self.engine.run_event(Event.EPOCH_END)

    def close_epoch(self) -> None:
        """Run EPOCH_CHECKPOINT if the epoch has ended."""
        if self._is_epoch_ended:
            self._is_epoch_started = self._is_epoch_ended = False
            self.engine.run_event(Event.EPOCH_CHECKPOINT)

    def evaluate(self, metrics: dict[str, Any], label: str) -> None:
        """Run the events of an evaluation that had these results."""
        engine, state = self.engine, self._state
        dataloader, dataloader_label, length = state.dataloader, state.dataloader_label, state.dataloader_len
        engine.run_event(Event.EVAL_BEFORE_ALL)
        state.set_dataloader(state.evaluators[0].dataloader if state.evaluators else None, label)
        # The loop evaluates between its last step, or the last evaluation, and the report of the results.
        state.eval_timestamp = Timestamp(total_wct=timedelta(seconds=perf_counter() - self._clock))
        engine.run_event(Event.EVAL_START)
        state.eval_results, state.eval_loss = metrics, _eval_loss(metrics)
        state.eval_metrics[label] = metrics
        engine.logger.log_metrics({f"metrics/{label}/{name}": value for name, value in metrics.items()})
        engine.run_event(Event.EVAL_END)
        state.dataloader, state.dataloader_label, state.dataloader_len = dataloader, dataloader_label, length
        engine.run_event(Event.EVAL_AFTER_ALL)

    def restart_clock(self) -> None:
        """Exclude the time since the last step from the training time."""
        self._clock = perf_counter()

    def _count_step(self, samples: int) -> None:
        now = perf_counter()
        seconds, self._clock = now - self._clock, now
        tokens, self._tokens = self._tokens, 0
        self._state.count_step(samples, seconds, tokens)

    def _samples(self) -> int:
        """Return the number of samples of the batch; without a batch the loader's batch size; 0 if unknown."""
        if self._state.batch is not None:
            return samples_of(self._state.batch)
        size = getattr(self._state.train_dataloader, "batch_size", None)
        return size if type(size) is int else 0


def _eval_loss(metrics: Mapping[str, Any]) -> float | None:
    return loss_in(metrics.get("eval_loss", metrics.get("loss")))
