"""TrainerHooks: what ToposcopeCallback does; the packages of Lightning differ only in its base class."""

import math
import os
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.callbacks.adapter_settings import checked_settings
from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.collecting.resuming import warn_of_earlier_training
from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.frameworks.lightning.logger_methods import LoggerMethods
from toposcope.recorder.frameworks.lightning.step_losses import StepLosses
from toposcope.recorder.messages.settings import plain_settings
from toposcope.recorder.rank import process_rank
from toposcope.recorder.summary import paused
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.callback_list import CallbackList
from toposcope.recorder.training.own_loops.driven_run import DrivenRun

_FIT = "fit"
_SETTINGS = (
    *("max_epochs", "max_steps", "max_time", "accumulate_grad_batches", "gradient_clip_val", "gradient_clip_algorithm"),
    *("precision", "num_devices", "num_nodes", "world_size", "check_val_every_n_epoch", "val_check_interval"),
)


@guarded_hooks("on_")
class TrainerHooks:
    """Records the trainings of a Trainer of Lightning, and runs our callbacks in them.

        trainer = Trainer(logger=ToposcopeLogger("runs/first"), callbacks=[ToposcopeCallback()])

    Every step of the optimizer has the loss of its micro-batches, whatever log_every_n_steps is. The learning rate,
    parameters, throughput, the graph and more are recorded as by a SummaryCollector. The results of an evaluation reach
    the callbacks and the lineage; a ToposcopeLogger records them under the names of the module, without one they are
    recorded as "eval/<name>". What is logged in training steps is recorded by the logger only.

    The step is Trainer.global_step, to which each optimizer adds its steps: a training that resumes from a checkpoint
    continues in the run. Each process records its own losses; what all have in common is recorded by rank 0. The
    evaluation before the training (the sanity check), fast_dev_run, and the trainings of a Tuner are not recorded. An
    exception that ends the training ends the run.
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
            summary_dir: directory of the run. None: that of the Trainer's ToposcopeLogger.
            callbacks: further callbacks of this package, of both styles, and logger destinations.
            settings: further arguments of SummaryCollector: collect_freq, collect_specified_data, ...

        Raises:
            TypeError: an argument has the wrong type, or there is no such argument.
            ValueError: an argument has an invalid value, or a SummaryCollector is among the callbacks.
        """
        super().__init__()
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
        self._logger: LoggerMethods | None = None
        self._losses = StepLosses()
        self._metrics_before: dict[str, Any] = {}
        self._operator_pause = ExitStack()

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """Find the logger of the run.

        Raises:
            ValueError: there is no directory to record into.
        """
        self._logger = self._logger_of(trainer)
        if trainer.fast_dev_run:
            return
        if stage == _FIT:  # Otherwise an evaluation, perhaps of the run that has ended.
            self._run = None
        if self._directory() is None:
            raise ValueError(
                "ToposcopeCallback requires a directory: pass summary_dir, or a ToposcopeLogger to Trainer."
            )
        if stage == _FIT and self._logger is not None:
            self._logger.expect_run()

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Begin a run, or continue the one of the checkpoint."""
        if not trainer.fast_dev_run:
            self._begin(trainer, pl_module)

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int, *_: Any) -> None:
        """Begin a micro-batch."""
        if self._run is not None and self._run.is_running:
            self._losses.begin_batch()
            self._run.add_batch(batch)

    def on_before_backward(self, trainer: Any, pl_module: Any, loss: Any) -> None:
        """Keep the loss of a module that optimizes itself and need not return it."""
        self._losses.add_backward(loss)

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int, *_: Any
    ) -> None:
        """End a micro-batch, and the step if an optimizer has stepped."""
        run = self._run
        if run is None or not run.is_running:
            return
        # Lightning has divided the loss by the number of micro-batches.
        share = trainer.accumulate_grad_batches if pl_module.automatic_optimization else 1
        self._losses.end_batch(outputs, batch, share)
        if (step := trainer.global_step) > run.step:
            if step > run.step + 1:  # Of several optimizers.
                run.state.timestamp = run.state.timestamp.copy(batch=step - 1)
            run.end_step(self._losses.take())
        self._stop_if_requested(trainer)

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """End an epoch, after its evaluation."""
        if self._run is not None and self._run.is_running:
            self._run.end_epoch()
            self._run.close_epoch()
            self._stop_if_requested(trainer)

    def on_validation_start(self, trainer: Any, pl_module: Any) -> None:
        """Remember the metrics before an evaluation; the network's summary operators do not collect during it."""
        self._metrics_before = dict(trainer.callback_metrics)
        self._operator_pause.enter_context(paused())

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        """Report the metrics that the evaluation has changed, unless it is the sanity check."""
        self._end_evaluation(trainer, pl_module, "eval")

    on_test_start = on_validation_start

    def on_test_end(self, trainer: Any, pl_module: Any) -> None:
        """Report the metrics of a test."""
        self._end_evaluation(trainer, pl_module, "test")

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        """End the run, after ModelCheckpoint has saved its last checkpoint."""
        if self._run is not None and self._run.is_running:
            self._run.end()
        if self._logger is not None:
            self._logger.expect_run(False)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """End the run with an exception, also if no step was trained."""
        self._operator_pause.close()
        if trainer.state.fn != _FIT or trainer.fast_dev_run or self._directory() is None:
            return
        try:
            if self._run is None:
                self._begin(trainer, pl_module)
        except Exception as error:  # It must not hide the exception.
            log.warn("The failed training is not recorded: %s: %s", type(error).__name__, error)
        if self._run is not None:
            self._run.fail(exception)
        if self._logger is not None:
            self._logger.expect_run(False)

    def _begin(self, trainer: Any, pl_module: Any) -> None:
        self._losses = StepLosses()
        if not trainer.global_step:
            warn_of_earlier_training(self._directory())
        self._run = run = self._new_run(trainer, pl_module)
        run.begin()
        if process_rank() == 0:
            self._record_settings(run, trainer, pl_module)
        if self._logger is not None:
            self._logger.attach(run)

    def _record_settings(self, run: DrivenRun, trainer: Any, pl_module: Any) -> None:
        """Record the settings of the Trainer, and the hyperparameters of the module unless a logger records them."""
        try:
            facts = plain_settings(_settings_of(trainer), "trainer")
            every_fact = facts | plain_settings(getattr(pl_module, "hparams", {}))
            message = self._settings.lineage(every_fact if self._logger is None else facts)
        except Exception as error:  # The objects of the user may be anything.
            log.warn("The settings of the training are not recorded: %s: %s", type(error).__name__, error)
            return
        if message is not None:
            run.log({"settings": message})
        run.logger.log_hyperparameters({**every_fact})

    def _new_run(self, trainer: Any, pl_module: Any) -> DrivenRun:
        """Return the run of a training that is about to begin, or of an evaluation without one."""
        batches, schedulers = trainer.num_training_batches, [each.scheduler for each in trainer.lr_scheduler_configs]
        is_finite = trainer.state.fn == _FIT and 0 < batches < math.inf
        steps_per_epoch = math.ceil(batches / trainer.accumulate_grad_batches) if is_finite else None
        return DrivenRun(
            [self._new_collector(pl_module), _Checkpoints(self._logger), *self._settings.callbacks],
            model=pl_module,
            optimizers=trainer.optimizers,
            schedulers=schedulers,
            loader=trainer.train_dataloader,
            steps=_planned_steps(trainer, steps_per_epoch),
            steps_per_epoch=steps_per_epoch,
            initial_step=trainer.global_step,
            initial_epoch=trainer.current_epoch,
        )

    def _new_collector(self, pl_module: Any) -> SummaryCollector:
        data = self._settings.specified_data({})
        if self._logger is not None or process_rank():  # They are recorded already, or the same in all processes.
            data.setdefault("collect_eval_metrics", False)
        inputs = getattr(pl_module, "example_input_array", None)
        example = {} if inputs is None or isinstance(inputs, Mapping) else {"example_input": inputs}
        return self._settings.new_collector(self._directory(), data, **example)

    def _logger_of(self, trainer: Any) -> LoggerMethods | None:
        """Return the logger that records into the directory of the run."""
        loggers = [each for each in trainer.loggers if isinstance(each, LoggerMethods)]
        if (directory := self._settings.directory) is not None:
            loggers = [each for each in loggers if each.save_dir == directory]
        return loggers[0] if loggers else None

    def _directory(self) -> Any:
        return self._settings.directory or (None if self._logger is None else self._logger.save_dir)

    def _end_evaluation(self, trainer: Any, pl_module: Any, label: str) -> None:
        self._operator_pause.close()
        before, self._metrics_before = self._metrics_before, {}
        metrics = trainer.callback_metrics.items()
        # Metrics of the training keep their objects.
        changed = {name: float(value) for name, value in metrics if before.get(name) is not value}
        if trainer.sanity_checking or trainer.fast_dev_run or not changed:
            return
        run = self._run or self._new_run(trainer, pl_module)
        if run.is_running or process_rank() == 0:
            run.evaluate(changed, label)
        if run.is_running:
            self._stop_if_requested(trainer)

    def _stop_if_requested(self, trainer: Any) -> None:
        if self._run is not None and self._run.is_stop_requested:
            trainer.should_stop = True


class _Checkpoints(Callback):
    """Names the newest checkpoint for the lineage."""

    def __init__(self, logger: LoggerMethods | None) -> None:
        self._logger = logger

    @property
    def latest_ckpt_file_name(self) -> str | None:
        """The path of the newest checkpoint that was saved, None before the first."""
        return None if self._logger is None else self._logger.latest_checkpoint


def _settings_of(trainer: Any) -> dict[str, Any]:
    """Return the settings of a Trainer that are more than its own defaults for displaying and saving."""
    settings = {name: getattr(trainer, name, None) for name in _SETTINGS}
    return {**settings, "strategy": type(trainer.strategy).__name__}


def _planned_steps(trainer: Any, steps_per_epoch: int | None) -> int | None:
    """Return the number of steps of the whole training, None if it is not known."""
    epochs, steps = trainer.max_epochs, trainer.max_steps
    limits = [steps] if steps is not None and steps >= 0 else []
    if epochs is not None and epochs >= 0 and steps_per_epoch is not None:
        limits.append(epochs * steps_per_epoch)
    return min(limits, default=None)
