"""ToposcopeCallback: runs our callbacks in the trainings of transformers.Trainer, and records them."""

import os
from typing import Any

from transformers import TrainerCallback

from toposcope.recorder import log
from toposcope.recorder.callbacks.adapter_settings import checked_settings
from toposcope.recorder.collecting.resuming import warn_of_earlier_training
from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.frameworks.transformers.logs import evaluation_results, tagged, without
from toposcope.recorder.frameworks.transformers.observed_trainer import ObservedTrainer, calling_trainer
from toposcope.recorder.frameworks.transformers.run_settings import lineage_of, run_directory, trial_name
from toposcope.recorder.rank import process_rank
from toposcope.recorder.training.events.callback_list import CallbackList
from toposcope.recorder.training.own_loops.driven_run import DrivenRun
from toposcope.recorder.values.wrapped import Text

_MAX_EPOCHS = 1 << 20
"""A data set without length has sys.maxsize epochs."""


@guarded_hooks("on_", "begin_batch", "end_batch", "fail")
class ToposcopeCallback(TrainerCallback):
    """Records the trainings of a Trainer.

        Trainer(model, arguments, train_dataset=data, callbacks=[ToposcopeCallback("runs/first")]).train()

    Every step of the optimizer has the loss that the Trainer computed for it, whatever logging_steps is. Evaluations,
    the learning rate, parameters, the graph and more are recorded as by a SummaryCollector, the values that the Trainer
    or the user logs as "train/<name>". The lineage contains the TrainingArguments and the configuration of the model,
    without secrets.

    The step is TrainerState.global_step: a training that resumes from a checkpoint continues in the run. Each process
    records its own losses; what all processes have in common is recorded by one of them. In a hyperparameter search
    each trial is a run of its own. What ends train() ends the run: with the exception, if there is one.
    """

    def __init__(
        self,
        summary_dir: str | os.PathLike[str] | None = None,
        *,
        callbacks: CallbackList = None,
        **settings: Any,
    ) -> None:
        """Set what to record; files are created when the training begins.

        Args:
            summary_dir: directory of the run. None: "toposcope" in TrainingArguments.output_dir; if the environment
                variable TOPOSCOPE_LOGGING_DIR is set, a directory in that one, named like the run or output_dir.
            callbacks: further callbacks, of both styles, and logger destinations.
            settings: further arguments of SummaryCollector: collect_freq, collect_specified_data, ...

        Raises:
            TypeError: an argument has the wrong type, or there is no such argument.
            ValueError: an argument has an invalid value, or a SummaryCollector is among the callbacks.
        """
        self._settings = checked_settings(summary_dir, callbacks, **settings)
        self._reset()

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings: a training that runs is not copied."""
        return {"_settings": self._settings}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    def _reset(self) -> None:
        self._run: DrivenRun | None = None
        self._observed: ObservedTrainer | None = None
        self._loss: Any = None
        self._logs: dict[str, Any] = {}
        self._trainings = self._evaluations = 0

    def on_init_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Observe what ends train(). Not called of a callback that is added later."""
        if (trainer := calling_trainer()) is not None:
            ObservedTrainer(trainer, self).observe_errors()

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
        """Begin a run, or continue the one of the checkpoint."""
        if self._run is not None and self._run.is_running:
            self._run.fail(RuntimeError("The training began again before it had ended."))
        trainer = calling_trainer()
        is_recorded = _has_rank(state) and not _is_superseded(self, trainer)
        self._run = self._new_run(args, state, trainer, **kwargs) if is_recorded else None
        self._loss, self._logs = None, {}
        if self._run is None:
            return control
        if trainer is not None:
            self._observed = ObservedTrainer(trainer, self)
            self._observed.observe_losses()
        self._run.begin()
        self._settings.record_facts(self._run, lambda: lineage_of(args, kwargs.get("model"), state))
        return self._after(control)

    def begin_batch(self, inputs: Any) -> None:
        """Begin a micro-batch."""
        if self._run is not None and self._run.is_running:
            self._run.add_batch(inputs)

    def end_batch(self, loss: Any) -> None:
        """Add the loss of a micro-batch to that of the step."""
        self._loss = loss if self._loss is None else self._loss + loss

    def fail(self, error: BaseException) -> None:
        """End the run with an exception, which no further one must hide."""
        if self._run is None:
            return
        try:
            self._flush_logs()
        except Exception as failure:
            log.warn("What was logged before %r is not recorded: %s: %s", error, type(failure).__name__, failure)
        self._run.fail(error)

    def on_optimizer_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
        """End a step while the gradients exist. Transformers before 4.42 does not call it."""
        return self._end_step(state.global_step + 1, control)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
        """End a step unless it has ended."""
        return self._end_step(state.global_step, control)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
        """End an epoch."""
        if self._run is not None and self._run.is_running:
            self._flush_logs()
            self._run.end_epoch()
            self._evaluations = 0
        return self._after(control)

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        """Keep what is logged until it is known whether it is an evaluation, which is reported again."""
        self._flush_logs()
        if state.is_world_process_zero:
            self._logs = dict(logs or {})

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **kwargs: Any) -> Any:
        """Record an evaluation, once."""
        return self._evaluate("eval", args, state, control, metrics or {}, **kwargs)

    def on_predict(self, args: Any, state: Any, control: Any, metrics: Any = None, **kwargs: Any) -> Any:
        """Record the metrics of a prediction."""
        return self._evaluate("test", args, state, control, metrics or {}, **kwargs)

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Record that a checkpoint was saved at this step."""
        if self._run is None or not self._run.is_running:
            return
        self._flush_logs()
        if state.is_world_process_zero:
            self._run.log({"checkpoint": Text(f"checkpoint-{state.global_step}")}, state.global_step)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """End the run."""
        if self._run is not None and self._run.is_running:
            self._flush_logs()
            self._run.end()
        if self._observed is not None:
            self._observed.stop_observing_losses()
            self._observed = None

    def _new_run(
        self,
        args: Any,
        state: Any,
        trainer: Any,
        *,
        model: Any = None,
        optimizer: Any = None,
        lr_scheduler: Any = None,
        train_dataloader: Any = None,
        **_: Any,
    ) -> DrivenRun:
        directory = run_directory(self._settings.directory, args, trial_name(state, trainer, self._trainings))
        self._trainings += 1
        collector = self._settings.new_collector(directory, self._data_of_process(state, trainer))
        if not state.global_step:
            warn_of_earlier_training(directory)
        optimizer = getattr(optimizer, "optimizer", optimizer)
        has_epochs = 0 < state.num_train_epochs < _MAX_EPOCHS
        return DrivenRun(
            [collector, *self._settings.callbacks],
            model=model,
            optimizers=[] if optimizer is None else [optimizer],
            schedulers=[] if lr_scheduler is None else [lr_scheduler],
            loader=train_dataloader,
            steps=state.max_steps if state.max_steps > 0 else None,
            steps_per_epoch=-(-state.max_steps // state.num_train_epochs) if has_epochs else None,
            initial_step=state.global_step,
            initial_epoch=int(state.epoch or 0),
            learning_rate=_learning_rate(optimizer),
        )

    def _data_of_process(self, state: Any, trainer: Any) -> dict[str, Any]:
        """Return what this process collects."""
        data = self._settings.specified_data({})
        if not state.is_world_process_zero:  # All processes have the same results.
            data["collect_eval_metrics"] = False
        if trainer is None:
            log.warn("The losses of steps are not recorded, only what is logged: no transformers.Trainer was found.")
            data["collect_metric"] = False
        return data

    def _end_step(self, step: int, control: Any) -> Any:
        """End the step with this number, unless it has ended."""
        if self._run is not None and self._run.is_running and self._run.step < step:
            self._flush_logs()
            loss, self._loss = self._loss, None
            self._run.end_step(loss)
        return self._after(control)

    def _evaluate(self, label: str, args: Any, state: Any, control: Any, metrics: dict[str, Any], **kwargs: Any) -> Any:
        self._logs = without(self._logs, metrics)
        self._flush_logs()
        results = evaluation_results(metrics, label)
        if self._run is not None:
            is_recorded = self._run.is_running or state.is_world_process_zero
        else:
            trainer = calling_trainer()
            is_recorded = state.is_world_process_zero and not _is_superseded(self, trainer)
            if is_recorded:
                self._new_run(args, state, trainer, **kwargs).evaluate(results, label)
            return control
        if is_recorded:
            self._run.evaluate(results, label)
            self._evaluations += label == "eval"
        if self._run.is_running and self._evaluations >= _number_of_data_sets(calling_trainer()):
            self._run.close_epoch()  # A callback may stop the training because of the results.
        return self._after(control)

    def _flush_logs(self) -> None:
        """Record what was logged, at the last step."""
        logs, self._logs = self._logs, {}
        if not (values := tagged(logs)) or self._run is None:
            return
        if self._run.is_running:
            self._run.log(values)
        else:
            log.warn("Not recorded, as it was logged after the training: %s", ", ".join(values))

    def _after(self, control: Any) -> Any:
        """Return the control of the Trainer, which stops it if a callback requested that."""
        if self._run is not None and self._run.is_stop_requested:
            control.should_training_stop = True
        return control


def _has_rank(state: Any) -> bool:
    """Return whether the files of this process can be distinguished from those of the first one."""
    if state.is_world_process_zero or process_rank():
        return True
    log.warn(
        "This process records nothing: it is not the first one, and neither torch.distributed nor a variable such as "
        "RANK says which one it is."
    )
    return False


def _is_superseded(callback: ToposcopeCallback, trainer: Any) -> bool:
    """Return whether the Trainer has another ToposcopeCallback with a directory, as well as one of report_to."""
    others = trainer.callback_handler.callbacks if trainer is not None else []
    ours = [each for each in others if isinstance(each, ToposcopeCallback)]
    return callback._settings.directory is None and any(each._settings.directory is not None for each in ours)


def _number_of_data_sets(trainer: Any) -> int:
    """Return how many data sets the Trainer evaluates in succession."""
    data_sets = getattr(trainer, "eval_dataset", None)
    return len(data_sets) if isinstance(data_sets, dict) else 1


def _learning_rate(optimizer: Any) -> Any:
    """Return a function of the current learning rate; of all of them, if the groups do not begin with the same one."""
    groups = getattr(optimizer, "param_groups", None)
    if not groups:
        return None
    if len({group.get("initial_lr", group["lr"]) for group in groups}) == 1:
        return lambda: optimizer.param_groups[0]["lr"]
    return lambda: [group["lr"] for group in optimizer.param_groups]
