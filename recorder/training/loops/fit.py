"""The training loop: trains on the batches of each epoch and runs the events around them."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from toposcope.recorder.metrics import clear, result, update
from toposcope.recorder.training.data.batch import parts_of, tokens_of
from toposcope.recorder.training.data.position import begin_epoch
from toposcope.recorder.training.events.engine import Engine
from toposcope.recorder.training.loops.evaluation import evaluate_all
from toposcope.recorder.training.loops.network import Steps
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.state.evaluator import Evaluator

_NO_BATCH = (
    "The training data has no batch in this epoch: {!r}. It is iterated once per epoch; a generator allows only one."
)


class Plan(NamedTuple):
    """The settings of a training loop besides its length, which is in the state."""

    due: Callable[[Event], Sequence[Evaluator]] = lambda event: ()
    """The evaluators that are due after BATCH_END, EPOCH_END or FIT_END."""
    evaluates_after_fit_end: bool = False
    """Whether an evaluation at the end of the training follows FIT_END, as in Composer; in MindSpore it precedes it."""
    eval_subset: int = -1
    """The number of batches of evaluators that do not say it themselves; -1: all."""
    iteration_length: int | None = None
    """Epochs per iteration; None: the whole training is a single iteration that does not end."""
    steps_schedulers_by_batch: bool = False
    skips_trained_batches: bool = True
    """Whether a training that continues in the middle of an epoch skips the batches that were trained before.

    Those of an iterator are gone anyway. A callback that restores the training decides it by itself.
    """


def fit(engine: Engine, steps: Steps, batches: Callable[[int], Iterable[Any]], plan: Plan) -> None:
    """Train until state.is_over.

    Args:
        engine: its state has the starting point, the end and the data loader.
        steps: the network's steps.
        batches: returns the batches of one epoch, without as many as a restored loader leaves out by itself.
        plan: evaluators, iterations and schedulers.
    """
    if (position := engine.state.position) is not None:
        engine.state.timestamp = position.set_counts_in_epoch(engine.state.timestamp)
    engine.run_event(Event.FIT_START)
    loop = _FitLoop(engine, steps, plan)
    while not engine.state.is_over:
        loop.run_epoch(batches)
    loop.end()


class _FitLoop:
    def __init__(self, engine: Engine, steps: Steps, plan: Plan) -> None:
        self._engine, self._state, self._steps, self._plan = engine, engine.state, steps, plan
        self._clock = time.perf_counter()
        """The end of the last step, later by the time of evaluations since."""

    def run_epoch(self, batches: Callable[[int], Iterable[Any]]) -> None:
        # Before the callbacks, which may keep parts of the network in evaluation mode.
        self._steps.begin_training()
        timestamp = self._state.timestamp
        if not timestamp.epoch_in_iteration.value and not timestamp.batch_in_epoch.value:
            self._engine.run_event(Event.ITERATION_START)
        if not timestamp.batch_in_epoch.value:
            self._engine.run_event(Event.EPOCH_START)
            self.log_time("epoch")
        for metric in self._state.train_metrics.values():
            clear(metric)
        if self._run_batches(batches):
            self._end_epoch()

    def end(self) -> None:
        """Run FIT_END and what is due then."""
        if not self._plan.evaluates_after_fit_end:
            self._evaluate(Event.FIT_END)
        self.log_time("epoch", "batch", "sample", "batch_in_epoch", "sample_in_epoch")
        if self._plan.evaluates_after_fit_end:
            self._engine.end_fit(lambda: self._evaluate(Event.FIT_END))
        else:
            self._engine.run_event(Event.FIT_END)

    def _run_batches(self, batches: Callable[[int], Iterable[Any]]) -> bool:
        """Train on the batches; return False if the training is over before the last of them."""
        run_event, state = self._engine.run_event, self._state
        # Those of an iterator are gone.
        skips = self._plan.skips_trained_batches and not isinstance(state.train_dataloader, Iterator)
        skipped = int(state.timestamp.batch_in_epoch) if skips else 0
        iterator = begin_epoch(state, batches, skipped, lambda: run_event(Event.BEFORE_DATALOADER))
        while True:
            run_event(Event.BEFORE_DATALOADER)
            try:
                state.batch = next(iterator)
            except StopIteration:
                if not state.timestamp.batch_in_epoch.value:
                    raise ValueError(_NO_BATCH.format(state.dataloader)) from None
                return True
            run_event(Event.AFTER_DATALOADER)
            self._run_batch()
            run_event(Event.BATCH_CHECKPOINT)
            # In sink mode the batches of a sink are one step to callbacks, which a stop does not cut.
            if state.is_over and not (state.sink_size and state.timestamp.batch_in_epoch < state.sink_size):
                return state.timestamp.batch_in_epoch == state.dataloader_len

    def _run_batch(self) -> None:
        run_event, state = self._engine.run_event, self._state
        run_event(Event.BATCH_START)
        self.log_time("batch", "sample", "batch_in_epoch", "sample_in_epoch")
        run_event(Event.BEFORE_TRAIN_BATCH)
        losses, shares = self._train_microbatches()
        run_event(Event.AFTER_TRAIN_BATCH)
        state.net_outputs = self._steps.net_outputs(losses, shares, state.outputs)
        self._steps.step()
        self._log_batch()
        if self._plan.steps_schedulers_by_batch:
            self._step_schedulers()
        # As in Composer, with the time spent on callbacks and on waiting for the batch.
        before, self._clock = self._clock, time.perf_counter()
        tokens = tokens_of(state.batch, state.train_dataloader)
        state.count_step(self._steps.samples(state.batch), self._clock - before, tokens)
        run_event(Event.BATCH_END)
        if state.evaluators:
            self._evaluate(Event.BATCH_END)

    def _train_microbatches(self) -> tuple[list[Any], list[float]]:
        """Run forward and backward on each microbatch; return their losses and their shares of the batch."""
        state, steps, whole = self._state, self._steps, self._state.batch
        microbatches = steps.microbatches(whole, state.device_train_microbatch_size)
        samples = steps.samples(whole)
        losses: list[Any] = []
        shares: list[float] = []
        steps.zero_grad()
        for microbatch in microbatches:
            state.batch = microbatch
            shares.append(steps.samples(microbatch) / samples if len(microbatches) > 1 else 1.0)
            losses.append(self._train_microbatch(shares[-1]))
        state.batch = whole
        return losses, shares

    def _train_microbatch(self, share: float) -> Any:
        run_event, state, steps = self._engine.run_event, self._state, self._steps
        run_event(Event.BEFORE_FORWARD)
        state.outputs = steps.forward(state.batch)
        run_event(Event.AFTER_FORWARD)
        run_event(Event.BEFORE_LOSS)
        state.loss = steps.loss(state.outputs, state.batch)
        run_event(Event.AFTER_LOSS)
        run_event(Event.BEFORE_BACKWARD)
        steps.backward(state.loss, share)
        run_event(Event.AFTER_BACKWARD)
        for metric in state.train_metrics.values():
            update(metric, state.loss, state.outputs, parts_of(state.batch)[-1])
        return state.loss

    def _log_batch(self) -> None:
        state, logger = self._state, self._engine.logger
        if not logger.destinations:
            return
        size = state.device_train_microbatch_size or self._steps.samples(state.batch)
        logger.log_metrics({"trainer/device_train_microbatch_size": size})
        outputs = state.net_outputs
        logger.log_metrics({"loss/train/total": outputs[0] if isinstance(outputs, tuple | list) else outputs})
        self._log_train_metrics()

    def _log_train_metrics(self) -> None:
        if self._state.train_metrics:
            metrics = self._state.train_metrics.items()
            self._engine.logger.log_metrics({f"metrics/train/{name}": result(metric) for name, metric in metrics})

    def _end_epoch(self) -> None:
        run_event, state = self._engine.run_event, self._state
        self._log_train_metrics()
        if not self._plan.steps_schedulers_by_batch:
            self._step_schedulers()
        state.previous_timestamp = state.timestamp
        state.timestamp = state.timestamp.to_next_epoch()
        run_event(Event.EPOCH_END)
        self._evaluate(Event.EPOCH_END)
        run_event(Event.EPOCH_CHECKPOINT)
        if state.timestamp.epoch_in_iteration == self._plan.iteration_length:
            state.previous_timestamp = state.timestamp
            state.timestamp = state.timestamp.to_next_iteration()
            run_event(Event.ITERATION_END)
            run_event(Event.ITERATION_CHECKPOINT)

    def _evaluate(self, event: Event) -> None:
        began = time.perf_counter()
        evaluate_all(self._engine, self._steps, self._plan.due(event), self._plan.eval_subset)
        self._clock += time.perf_counter() - began

    def _step_schedulers(self) -> None:
        for scheduler in self._state.schedulers:
            scheduler.step()

    def log_time(self, *names: str) -> None:
        if self._engine.logger.destinations:
            timestamp = self._state.timestamp
            if timestamp.token.value and "sample" in names:
                names = (*names, "token", "token_in_epoch")
            self._engine.logger.log_metrics({f"time/{name}": int(getattr(timestamp, name)) for name in names})
