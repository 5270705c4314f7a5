"""Hooks: maps the engine's events to the hooks of MindSpore-style callbacks, and keeps their cb_params up to date."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from types import MappingProxyType
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.callback_errors import naming_callback
from toposcope.recorder.training.events.run_context import CallbackParams, RunContext
from toposcope.recorder.training.progress.event import Event
from toposcope.recorder.training.progress.time import TimeUnit
from toposcope.recorder.training.state.state import State

HOOKS = MappingProxyType(
    {
        Event.FIT_START: ("on_train_begin", "on_train_epoch_begin"),
        Event.EPOCH_START: ("on_train_epoch_begin",),
        Event.BATCH_START: ("on_train_step_begin",),  # See hook_of_step().
        Event.BATCH_END: ("on_train_step_end",),
        # Not at EPOCH_END: MindSpore evaluates before it ends an epoch.
        Event.EPOCH_CHECKPOINT: ("on_train_epoch_end",),
        Event.FIT_END: ("on_train_epoch_end", "on_train_end"),
        Event.EVAL_START: ("on_eval_begin", "on_eval_epoch_begin"),
        Event.EVAL_BATCH_START: ("on_eval_step_begin",),
        Event.EVAL_BATCH_END: ("on_eval_step_end",),
        Event.EVAL_END: ("on_eval_epoch_end", "on_eval_end"),
    }
)
"""The hooks that an event calls, in order: the first of all callbacks, then the second of all callbacks."""

_SHADOWED = ("mode", "cur_step_num", "batch_num", "net_outputs", "dataset_sink_mode")
"""The params that an evaluation inside a training replaces until it ends."""


class Phase:
    """A running training or evaluation: the callbacks entered for it, and the params from before it."""

    def __init__(self, context: RunContext, params_before: dict[str, Any]) -> None:
        self.context, self.params_before = context, params_before
        self.stack = ExitStack()
        self.entered: dict[int, Callback] = {}
        """The callback that __enter__() returned, by the id of the callback that the user passed."""


class Hooks:
    """The running phases (a training, an evaluation, or a training and an evaluation inside it) and their params."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._phases: list[Phase] = []
        self._is_epoch_open = False
        self.params = CallbackParams()
        """The cb_params: MindSpore's documented keys; where they apply "schedulers", "is_initial_step_given",
        "loop_sources" (of a watched run) and "finished_steps" (in an evaluation after the training)."""

    @property
    def is_stop_requested(self) -> bool:
        """Whether a callback requested the newest phase to stop."""
        return bool(self._phases) and self._phases[-1].context.get_stop_requested()

    @property
    def is_evaluating(self) -> bool:
        """Whether the newest phase is an evaluation."""
        return bool(self._phases) and self.params.get("mode") == "eval"

    def hook_of_step(self, event: Event) -> str | None:
        """Return the hook to call at BATCH_START or BATCH_END, after the params are updated for it; None for none.

        The same as hooks_at(), for the events of every step.
        """
        state, params = self._state, self.params
        if not self._phases:
            return None
        finished, size = state.counter.step, state.sink_size
        if event is Event.BATCH_START:
            params["train_dataset_element"] = state.batch
            params["cur_step_num"] = finished + (size or 1)
            return None if size and state.timestamp.batch_in_epoch.value else "on_train_step_begin"
        params["net_outputs"], params["cur_step_num"] = state.net_outputs, finished
        params.processed.samples = state.counter.samples
        return None if size and state.timestamp.batch_in_epoch.value != size else "on_train_step_end"

    def hooks_at(self, event: Event) -> Iterator[str]:
        """Yield the hooks to call at event one by one, each after the params are updated for it.

        For all events but BATCH_START and BATCH_END.
        """
        if event is Event.FIT_START:
            self._begin_training()
        elif event is Event.EVAL_START:
            self._begin_evaluation()
        if not self._phases:
            return
        for hook in HOOKS.get(event, ()):
            if self._prepare(event, hook):
                yield hook
                self._clean_up(hook)
        if event in (Event.FIT_END, Event.EVAL_END):
            self.end_phase(None)

    def update_steps_per_epoch(self) -> None:
        """Take over the steps per epoch of the state, once a loop is known to accumulate gradients."""
        self.params["batch_num"] = _steps_per_epoch(self._state)

    def call(self, callback: Callback, hook: str) -> None:
        """Call a hook of a callback if it takes part in the newest phase."""
        phase = self._phases[-1]
        if (entered := phase.entered.get(id(callback))) is not None:
            getattr(entered, hook)(phase.context)

    def end_phase(self, error: BaseException | None) -> bool:
        """Exit the callbacks of the newest phase in reverse order; return whether one of them suppresses the error."""
        if not self._phases:
            return False
        phase = self._phases.pop()
        try:
            if error is None:
                return bool(phase.stack.__exit__(None, None, None))
            return bool(phase.stack.__exit__(type(error), error, error.__traceback__))
        finally:
            if self._phases:
                self._restore(phase)

    def end_all(self, error: BaseException | None) -> bool:
        """Exit the callbacks of every phase; see end_phase()."""
        is_suppressed = False
        while self._phases:
            is_suppressed = self.end_phase(error) or is_suppressed
        return is_suppressed

    def _begin_training(self) -> None:
        self._is_epoch_open = False
        self.params.update(_training_params(self._state))
        if samples := self._state.counter.samples:  # Of earlier processes.
            self.params.processed.samples = samples
        self._enter(RunContext(self.params, on_stop=self._state.stop_training), self._callbacks())

    def _begin_evaluation(self) -> None:
        is_nested = bool(self._phases)
        callbacks = [callback for callback in self._callbacks() if not is_nested or callback.runs_in_fit_evaluation]
        params_before = {key: self.params[key] for key in _SHADOWED if key in self.params}
        context = RunContext(self.params)
        state = self._state
        self.params.update(
            mode="eval",
            cur_step_num=0,
            batch_num=_steps_per_epoch(state),
            dataset_sink_mode=False,
            eval_network=state.eval_model,
            valid_dataset=state.dataloader,
        )
        if not is_nested:
            self.params.update(network=state.model, list_callback=list(self._callbacks()))
        self._enter(context, callbacks, params_before)

    def _enter(
        self, context: RunContext, callbacks: Sequence[Callback], params_before: dict[str, Any] | None = None
    ) -> None:
        phase = Phase(context, params_before or {})
        self._phases.append(phase)
        for callback in callbacks:
            with naming_callback(callback):
                entered = phase.stack.enter_context(callback)
            if not isinstance(entered, Callback):
                log.warn(
                    "%s.__enter__() did not return a Callback; the callback itself is used.", type(callback).__name__
                )
                entered = callback
            phase.entered[id(callback)] = entered

    def _callbacks(self) -> list[Callback]:
        return [callback for callback in self._state.callbacks if isinstance(callback, Callback)]

    def _prepare(self, event: Event, hook: str) -> bool:
        """Update the params for a hook; return False if the hook must not be called now."""
        state, params, is_called = self._state, self.params, True
        match hook:
            case "on_train_epoch_begin":
                # At FIT_START only an epoch in which the training continues, which has no EPOCH_START.
                is_called = event is not Event.FIT_START or bool(state.timestamp.batch_in_epoch.value)
                if is_called:
                    params["cur_epoch_num"] = int(state.timestamp.epoch) + 1
                    self._is_epoch_open = True
                    params.processed.steps_before_epoch = self._steps_before_epoch()
            case "on_train_epoch_end":
                # At FIT_END only an epoch that was cut short still has to end.
                is_called = event is not Event.FIT_END or self._is_epoch_open
            case "on_eval_step_begin":
                params["eval_dataset_element"] = state.batch
                params["cur_step_num"] = int(state.eval_timestamp.batch) + 1
            case "on_eval_step_end":
                params["net_outputs"] = (state.loss, state.outputs, state.labels)
            case "on_eval_end":
                self._set_metrics()
        return is_called

    def _steps_before_epoch(self) -> int:
        """Return the finished steps before the epoch, in which a resumed training may already be."""
        finished, length = self._state.counter.step, _steps_per_epoch(self._state)
        if finished == self.params.get("initial_step") and length > 0 and self._state.sink_size is None:
            return finished - finished % length
        return finished - int(self._state.timestamp.batch_in_epoch)

    def _set_metrics(self) -> None:
        state, is_nested = self._state, len(self._phases) > 1
        results = dict(state.eval_results or {})
        with_loss = results if state.eval_loss is None else {**results, "eval_loss": state.eval_loss}
        if (label := state.dataloader_label) not in (None, "eval") and not self._is_only_evaluator(label):
            own = with_loss if is_nested else results
            labelled = {name if name.startswith(f"{label}/") else f"{label}/{name}": own[name] for name in own}
            self.params["eval_label"], self.params.processed.results = label, labelled
        elif is_nested:
            self.params.processed.results = with_loss
        self.params["metrics"] = {**self.params.get("metrics", {}), **results} if is_nested else results
        if is_nested:
            self.params["eval_results"] = {**self.params.get("eval_results", {}), **with_loss}

    def _is_only_evaluator(self, label: str | None) -> bool:
        return [evaluator.label for evaluator in self._state.evaluators] == [label]

    def _clean_up(self, hook: str) -> None:
        if hook == "on_train_epoch_end":
            self._is_epoch_open = False
            self.params.pop("metrics", None)
            self.params.pop("eval_results", None)

    def _restore(self, phase: Phase) -> None:
        """Restore the params of the training that the evaluation inside it replaced."""
        self.params.pop("eval_label", None)
        self.params.processed.results = None
        for key in _SHADOWED:
            if key in phase.params_before:
                self.params[key] = phase.params_before[key]
            else:
                self.params.pop(key, None)


def _training_params(state: State) -> dict[str, Any]:
    """Return the params at the beginning of a training."""
    return {
        "batch_num": state.sink_size or _steps_per_epoch(state),
        "cur_step_num": int(state.timestamp.batch),
        "dataset_sink_mode": state.sink_size is not None,
        "device_number": state.device_number,
        "epoch_num": _epochs(state),
        "initial_step": int(state.timestamp.batch),
        "last_save_ckpt_step": None,
        "latest_ckpt_file": None,
        "list_callback": [callback for callback in state.callbacks if isinstance(callback, Callback)],
        "loss_fn": state.loss_fn,
        "loss_scale_mananger": state.loss_scale_manager,
        "mode": "train",
        "network": state.model,
        "optimizer": _optimizer(state),
        "parallel_mode": state.parallel_mode,
        "train_dataset": state.train_dataloader,
        "train_dataset_element": None,
        "train_network": state.model,
        **({"sink_size": state.sink_size} if state.sink_size is not None else {}),
        **({"schedulers": list(state.schedulers)} if state.schedulers else {}),
        **({"is_initial_step_given": True} if state.initial_step is not None else {}),
        **({"loop_sources": state.loop_sources} if state.loop_sources is not None else {}),
    }


def _optimizer(state: State) -> Any:
    """Return the optimizer; a tuple, which the frameworks also accept, if there are several."""
    return state.optimizers[0] if len(state.optimizers) == 1 else tuple(state.optimizers) or None


def _steps_per_epoch(state: State) -> int:
    """Return the steps per epoch; -1 if unknown."""
    return -1 if state.dataloader_len is None else int(state.dataloader_len)


def _epochs(state: State) -> int:
    """Return the epochs of the training; -1 if unknown."""
    if state.max_duration is not None and state.max_duration.unit is TimeUnit.EPOCH:
        return int(state.max_duration) - int(state.timestamp.epoch)
    if state.max_duration is not None and state.max_duration.unit is TimeUnit.BATCH and state.dataloader_len:
        return -(-int(state.max_duration) // int(state.dataloader_len))
    return -1
