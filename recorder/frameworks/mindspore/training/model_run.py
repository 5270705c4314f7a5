"""ModelRun: one call of mindspore.Model.train, fit or eval, reported to our callbacks as events of the engine."""

import sys
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from toposcope.recorder.frameworks.mindspore.training.model_hooks import ModelHooks
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.engine import Engine
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.events.logger_destination import LoggerDestination
from toposcope.recorder.training.events.run_context import CallbackParams
from toposcope.recorder.training.loops.initial_step import begin_counting
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.progress.time import Time, TimeUnit
from toposcope.recorder.training.progress.timestamp import Timestamp
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import Device, State

_LABEL = "eval"


class ModelRun:
    """Updates the state from MindSpore's hooks and runs the events that these imply.

    MindSpore runs a whole step in one call, so the events of its forward pass, loss and backward pass run around it;
    the loss is known from AFTER_FORWARD on. An epoch that a stop cuts short has no EPOCH_END, as in Composer.
    """

    def __init__(self, callbacks: Sequence[Callback | EventCallback]) -> None:
        destinations = [callback for callback in callbacks if isinstance(callback, LoggerDestination)]
        others = [callback for callback in callbacks if not isinstance(callback, LoggerDestination)]
        self._state = State(callbacks=destinations + others)
        self._hooks = ModelHooks(self._state)
        self._engine = Engine(self._state, Logger(self._state, destinations), self._hooks)
        self._is_epoch_counted = False
        self._began = time.perf_counter()

    def enter(self) -> None:
        """Enter the callbacks for a training or an evaluation."""
        self._hooks.begin_phase()

    def leave(self, error: BaseException | None) -> bool:
        """Exit the callbacks, and close them after the outermost phase. Return whether one suppresses the error."""
        return self._hooks.end_phase(error) if self._hooks.depth > 1 else self._engine.close(error)

    @property
    def is_over(self) -> bool:
        """True after the end of the outermost phase."""
        return self._hooks.depth == 0

    def hook(self, name: str, context: Any) -> None:
        """Run the events that belong to one of MindSpore's hooks.

        Args:
            name: of the hook, "on_train_begin" to "on_eval_end".
            context: MindSpore's RunContext.

        Raises:
            Exception: the exception of a callback.
        """
        params = self._hooks.show(context)
        getattr(self, f"_{name}")(params)
        if self._state.is_stop_requested:
            self._hooks.stop_training()

    def _on_train_begin(self, params: CallbackParams) -> None:
        state = self._state
        self._set_model(params)
        state.optimizers = [] if params.optimizer is None else [params.optimizer]
        state.loss_fn, state.train_dataloader = params.loss_fn, params.train_dataset
        state.device_number, state.parallel_mode = params.device_number, params.parallel_mode
        state.timestamp = Timestamp(batch=Time(params.cur_step_num, TimeUnit.BATCH))
        state.max_duration = Time(params.epoch_num, TimeUnit.EPOCH)
        state.sink_size = params.get("sink_size") if params.dataset_sink_mode else None
        state.set_dataloader(params.train_dataset, "train", params.batch_num)
        self._fire(Event.INIT, Event.BEFORE_LOAD, Event.AFTER_LOAD)
        state.initial_epoch = 0  # Known at the beginning of the first epoch.
        self._begin_counting(params)
        self._fire(Event.FIT_START, hook="on_train_begin")

    def _on_train_epoch_begin(self, params: CallbackParams) -> None:
        state, epoch = self._state, Time(params.cur_epoch_num - 1, TimeUnit.EPOCH)
        if not self._is_epoch_counted and state.max_duration is not None:
            # The first epoch of this training, which MindSpore may begin at a later one.
            state.timestamp = state.timestamp.copy(epoch=epoch)
            if not state.is_stop_requested:  # A stop has replaced the number of epochs.
                state.max_duration = state.max_duration + epoch
            state.initial_epoch = int(epoch)
            self._begin_counting(params)
            self._fire(Event.ITERATION_START)
        self._is_epoch_counted = False
        self._fire(Event.EPOCH_START, hook="on_train_epoch_begin")
        self._log_time("epoch")
        self._began = time.perf_counter()
        self._fire(Event.BEFORE_DATALOADER)

    def _begin_counting(self, params: CallbackParams) -> None:
        """Begin at the step of the optimizer, unless MindSpore itself has set one."""
        begin_counting(self._state)
        self._hooks.earlier_steps += int(self._state.timestamp.batch) - params.cur_step_num

    def _on_train_step_begin(self, params: CallbackParams) -> None:
        self._state.batch = params.train_dataset_element
        self._fire(Event.AFTER_DATALOADER)
        self._fire(Event.BATCH_START, hook="on_train_step_begin")
        self._log_time("batch", "sample", "batch_in_epoch", "sample_in_epoch")
        self._fire(Event.BEFORE_TRAIN_BATCH, Event.BEFORE_FORWARD)

    def _on_train_step_end(self, params: CallbackParams) -> None:
        state = self._state
        state.net_outputs = params.net_outputs
        state.loss = _first_of(params.net_outputs)
        self._fire(Event.AFTER_FORWARD, Event.BEFORE_LOSS, Event.AFTER_LOSS, Event.BEFORE_BACKWARD)
        self._fire(Event.AFTER_BACKWARD, Event.AFTER_TRAIN_BATCH)
        self._log({"loss/train/total": state.loss})
        state.previous_timestamp, state.timestamp = state.timestamp, self._after_step(params)
        self._fire(Event.BATCH_END, hook="on_train_step_end")
        self._fire(Event.BATCH_CHECKPOINT)
        if not self._hooks.is_stop_requested:
            self._fire(Event.BEFORE_DATALOADER)

    def _on_train_epoch_end(self, params: CallbackParams) -> None:
        self._end_epoch(params.batch_num)
        if self._is_epoch_counted:
            self._fire(Event.EPOCH_CHECKPOINT, hook="on_train_epoch_end")
        else:
            self._hooks.call_all("on_train_epoch_end")

    def _on_train_end(self, params: CallbackParams) -> None:
        self._log_time("epoch", "batch", "sample", "batch_in_epoch", "sample_in_epoch")
        self._fire(Event.FIT_END, hook="on_train_end")

    def _on_eval_begin(self, params: CallbackParams) -> None:
        state = self._state
        if self._hooks.depth == 1:
            self._set_model(params)
            self._fire(Event.INIT, Event.BEFORE_LOAD, Event.AFTER_LOAD, Event.EVAL_STANDALONE_START)
        else:
            # params.batch_num is already that of the evaluation.
            self._end_epoch(int(state.dataloader_len or 0))
            self._fire(Event.EVAL_BEFORE_ALL)
        state.set_dataloader(params.valid_dataset, _LABEL, params.batch_num)
        state.eval_timestamp, state.eval_results, state.eval_loss = Timestamp(), None, None
        self._began = time.perf_counter()
        self._fire(Event.EVAL_START, hook="on_eval_begin")

    def _on_eval_epoch_begin(self, params: CallbackParams) -> None:
        self._hooks.call_all("on_eval_epoch_begin")

    def _on_eval_step_begin(self, params: CallbackParams) -> None:
        self._state.batch = params.eval_dataset_element
        self._fire(Event.EVAL_BATCH_START, hook="on_eval_step_begin")
        self._fire(Event.EVAL_BEFORE_FORWARD)

    def _on_eval_step_end(self, params: CallbackParams) -> None:
        state, outputs = self._state, params.net_outputs
        if isinstance(outputs, tuple | list) and len(outputs) == 3:  # From MindSpore's WithEvalCell.
            state.loss, state.outputs, state.labels = outputs
        else:
            state.outputs = outputs
        self._fire(Event.EVAL_AFTER_FORWARD)
        state.eval_timestamp = state.eval_timestamp.to_next_batch(_samples(state.batch), duration=self._lap())
        self._fire(Event.EVAL_BATCH_END, hook="on_eval_step_end")

    def _on_eval_epoch_end(self, params: CallbackParams) -> None:
        self._hooks.call_all("on_eval_epoch_end")

    def _on_eval_end(self, params: CallbackParams) -> None:
        state = self._state
        state.eval_results = dict(params.metrics)
        state.eval_loss = params.get("eval_results", {}).get("eval_loss")
        self._log({f"metrics/{_LABEL}/{name}": value for name, value in state.eval_results.items()})
        self._fire(Event.EVAL_END, hook="on_eval_end")
        if self._hooks.depth == 1:
            self._fire(Event.EVAL_STANDALONE_END)
            return
        state.set_dataloader(state.train_dataloader, "train")
        self._fire(Event.EVAL_AFTER_ALL)
        self._began = time.perf_counter()

    def _set_model(self, params: CallbackParams) -> None:
        self._state.model = params.network
        self._state.device = Device(str(sys.modules["mindspore"].get_context("device_target")).lower())

    def _end_epoch(self, batches: int) -> None:
        """Count the epoch, once, unless it was cut short."""
        state = self._state
        if not self._is_epoch_counted and int(state.timestamp.batch_in_epoch) == batches:
            state.timestamp = state.timestamp.to_next_epoch()
            self._is_epoch_counted = True
            self._fire(Event.EPOCH_END)

    def _after_step(self, params: CallbackParams) -> Timestamp:
        """Return the timestamp after a step, or after all steps of a sink, which MindSpore reports together."""
        before = self._state.timestamp
        steps = max(params.cur_step_num - int(before.batch), 1)
        after = before.to_next_batch(steps * _samples(self._state.batch), duration=self._lap())
        if steps == 1:
            return after
        return after.copy(batch=before.batch + steps, batch_in_epoch=before.batch_in_epoch + steps)

    def _lap(self) -> timedelta:
        began, self._began = self._began, time.perf_counter()
        return timedelta(seconds=self._began - began)

    def _log_time(self, *names: str) -> None:
        self._log({f"time/{name}": int(getattr(self._state.timestamp, name)) for name in names})

    def _log(self, metrics: Mapping[str, Any]) -> None:
        if self._engine.logger.destinations:
            self._engine.logger.log_metrics(metrics)

    def _fire(self, *events: Event, hook: str | None = None) -> None:
        if hook is not None:
            self._hooks.expect(hook)
        for event in events:
            self._engine.run_event(event)


def _first_of(outputs: Any) -> Any:
    return outputs[0] if isinstance(outputs, tuple | list) and outputs else outputs


def _samples(batch: Any) -> int:
    """Return the number of samples in a batch; 0 if it is unknown, as where MindSpore does not provide the batch."""
    first = next(iter(batch), None) if isinstance(batch, tuple | list) else batch
    shape = getattr(first, "shape", None)
    return int(shape[0]) if shape else 0
