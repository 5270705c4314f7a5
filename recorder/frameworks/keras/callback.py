"""ToposcopeCallback: runs our callbacks in model.fit() and model.evaluate() of Keras 3, and records them."""

import os
from collections.abc import Mapping
from typing import Any

import keras

from toposcope.recorder.callbacks.adapter_settings import checked_settings
from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.frameworks.keras.batch_losses import BatchLosses
from toposcope.recorder.frameworks.keras.observed_model import observe_models
from toposcope.recorder.frameworks.keras.run_settings import lineage_of
from toposcope.recorder.rank import process_rank
from toposcope.recorder.stores.spool import local_path
from toposcope.recorder.training.events.callback_list import CallbackList
from toposcope.recorder.training.own_loops.driven_run import DrivenRun
from toposcope.recorder.values.wrapped import Text


@guarded_hooks("on_", "fail", "save", "set_model")
class ToposcopeCallback(keras.callbacks.Callback):
    """Records the trainings and evaluations of a model, with any backend of Keras.

        model.fit(x, y, validation_data=held_out, callbacks=[ToposcopeCallback("runs/first")])

    Every step of the optimizer has the loss of its batch, or of the batches whose gradients it accumulated, not the
    mean since the beginning of the epoch that Keras reports. Those means are recorded once per epoch as
    "train/<metric>". Validations, the learning rate, parameters and more are recorded as by a SummaryCollector. The
    lineage contains the arguments of compile() and fit(), without secrets.

    The step is optimizer.iterations: a training that continues with restored weights and optimizer, by BackupAndRestore
    for example, continues in the run. What ends fit() ends the run: with the exception, if there is one.
    """

    def __init__(self, summary_dir: str | os.PathLike[str], *, callbacks: CallbackList = None, **settings: Any) -> None:
        """Set what to record; files are created when the training begins.

        Args:
            summary_dir: directory of the run.
            callbacks: further callbacks, of both styles, and logger destinations; not those of Keras.
            settings: further arguments of SummaryCollector: collect_freq, collect_specified_data, ...

        Raises:
            TypeError: an argument has the wrong type, or there is no such argument.
            ValueError: an argument has an invalid value, or a SummaryCollector is among the callbacks.
        """
        super().__init__()
        self._settings = checked_settings(summary_dir, callbacks, **settings)
        self._summary_dir = local_path(summary_dir)
        self._reset()

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings: a training that runs is not copied."""
        return {name: vars(self)[name] for name in ("_summary_dir", "_settings")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__.update(state)
        self._reset()

    def _reset(self) -> None:
        self._run: DrivenRun | None = None
        self._batch_losses: BatchLosses | None = None
        self._losses: list[float] = []
        self._first_batch = self._updates = self._offset = 0
        observe_models(self)

    def set_model(self, model: Any) -> None:
        """Prepare a model, before its step is compiled."""
        super().set_model(model)
        self._batch_losses = BatchLosses(model) if getattr(model, "compiled", False) else None

    def on_train_begin(self, logs: Any = None) -> None:
        """Forget the last training; the run begins with the first epoch, when others have restored the model."""
        if self._run is not None:
            self._run.fail(RuntimeError("The training began again before it had ended."))
        self._run, self._losses = None, []

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Begin a run, or continue one, unless it has started."""
        if self._run is not None:
            return
        self._updates = _updates_of(_optimizer_of(self._model))
        self._run = self._new_run(epoch)
        self._run.begin()
        self._settings.record_facts(self._run, lambda: lineage_of(self._model, self.params or {}, epoch))
        self._stop_if_requested()

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Begin a batch, or the first of those that one call of the compiled function trains."""
        if self._run is not None and self._run.is_running:
            self._first_batch = batch
            self._run.add_batch(None)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """End the steps of the batches; a step ends with the last batch whose gradients it accumulates."""
        if self._run is None or not self._run.is_running:
            return
        _synchronize(self._model)
        optimizer = _optimizer_of(self._model)
        updates, self._updates = self._updates, _updates_of(optimizer)
        new_updates = self._updates - updates
        accumulated = getattr(_inner(optimizer), "gradient_accumulation_steps", None) or 1
        is_scaled = _inner(optimizer) is not optimizer
        losses = self._losses_of(batch - self._first_batch + 1, new_updates, is_scaled, logs or {})
        first_update = len(losses) - new_updates if is_scaled else 0
        for number, (loss, samples) in enumerate(losses):
            if number:
                self._run.add_batch(None)
            self._run.end_batch(samples)
            if number < first_update:  # Its gradients were not finite: the scale of the loss was reduced instead.
                continue
            self._losses.append(loss)
            updates += 1
            if updates % accumulated == 0 or accumulated == 1:
                loss, self._losses = sum(self._losses) / len(self._losses), []
                self._run.end_step(loss)
        self._stop_if_requested()

    def on_test_begin(self, logs: Any = None) -> None:
        """End the epoch, if the evaluation is its validation."""
        if self._run is not None and self._run.is_running:
            self._run.end_epoch()

    def on_test_end(self, logs: Any = None) -> None:
        """Record an evaluation, once."""
        run = self._run or self._new_run(0)
        run.evaluate(dict(logs or {}))
        self._stop_if_requested()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Record the means of the epoch, and what other callbacks added to them."""
        if self._run is None or not self._run.is_running:
            return
        values = {name: value for name, value in (logs or {}).items() if not name.startswith("val_")}
        values.pop("learning_rate", None)  # Of a LearningRateScheduler; that of each step is recorded.
        self._run.log({f"train/{name}": value for name, value in values.items()})
        self._run.end_epoch()
        self._run.close_epoch()
        self._stop_if_requested()

    def on_train_end(self, logs: Any = None) -> None:
        """End the run."""
        if self._run is not None and self._run.is_running:
            self._run.end()

    def fail(self, model: Any, error: BaseException) -> None:
        """End the run of a model with an exception."""
        if self._run is not None and model is self._model:
            self._run.fail(error)

    def save(self, model: Any, path: str) -> None:
        """Record that a model of the running training was saved, at the step that it had made."""
        if self._run is None or not self._run.is_running or model is not self._model or process_rank():
            return
        self._run.log({"checkpoint": Text(os.path.basename(path))}, self._step_of_model(self._run))

    def _new_run(self, epoch: int) -> DrivenRun:
        model, params = self._model, self.params or {}
        optimizer = _optimizer_of(model)
        accumulated = getattr(_inner(optimizer), "gradient_accumulation_steps", None) or 1
        epochs, batches = params.get("epochs"), params.get("steps")
        step = self._updates // accumulated
        if not step and batches:  # The weights were restored, the optimizer is new.
            step = epoch * batches // accumulated
        self._offset = step - self._updates // accumulated
        data = self._settings.specified_data({})
        if keras.backend.backend() != "torch":
            data.setdefault("collect_graph", False)  # It is known for PyTorch only.
        if process_rank():  # All processes have the same results.
            data["collect_eval_metrics"] = False
        return DrivenRun(
            [self._settings.new_collector(self._summary_dir, data), *self._settings.callbacks],
            model=model,
            optimizers=[] if optimizer is None else [optimizer],
            loss_fn=getattr(model, "loss", None),
            steps=None if not (epochs and batches) else epochs * batches // accumulated,
            steps_per_epoch=None if not batches else -(-batches // accumulated),
            initial_step=step,
            initial_epoch=epoch,
        )

    def _losses_of(
        self, number: int, new_updates: int, is_scaled: bool, logs: Mapping[str, Any]
    ) -> list[tuple[Any, int]]:
        """Return the loss and the samples of each batch; 0 samples: unknown."""
        if 0 < new_updates < number and not is_scaled:  # The data ended inside the call.
            number = new_updates
        losses = self._batch_losses.last(number) if self._batch_losses is not None else []
        # A train_step() of the user without a Mean of the loss returns what it calls the loss.
        return [*losses] or [(logs.get("loss"), 0)] * number

    def _step_of_model(self, run: DrivenRun) -> int:
        """Return the steps that the model has made; the running one may not have ended for this callback."""
        optimizer = _optimizer_of(self._model)
        accumulated = getattr(_inner(optimizer), "gradient_accumulation_steps", None) or 1
        return max(run.step, self._offset + _updates_of(optimizer) // accumulated)

    def _stop_if_requested(self) -> None:
        if self._run is not None and self._run.is_stop_requested:
            self._model.stop_training = True


def _optimizer_of(model: Any) -> Any:
    return getattr(model, "optimizer", None)


def _inner(optimizer: Any) -> Any:
    """Return the optimizer inside one that scales the loss."""
    return getattr(optimizer, "inner_optimizer", optimizer)


def _updates_of(optimizer: Any) -> int:
    """Return how many gradients an optimizer has received, those that it accumulates included."""
    inner = _inner(optimizer)
    count = getattr(inner, "_iterations", getattr(inner, "iterations", None))  # The latter before Keras 3.2.
    return 0 if count is None else int(keras.ops.convert_to_numpy(count))


def _synchronize(model: Any) -> None:
    """Let the variables of a model have their current values, which with JAX are outside of it during an epoch."""
    if hasattr(model, "jax_state_sync"):
        model.jax_state_sync()
