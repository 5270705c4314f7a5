"""ToposcopeCallback: runs our callbacks in the trainings of Ultralytics, and records them."""

import os
import sys
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.callbacks.adapter_settings import checked_settings
from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.collecting.resuming import warn_of_earlier_training
from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.frameworks.ultralytics.checkpoints import Checkpoints
from toposcope.recorder.frameworks.ultralytics.observed_steps import ObservedSteps
from toposcope.recorder.frameworks.ultralytics.trainer_settings import (
    example_input,
    finished_steps,
    learning_rates,
    planned_steps,
    trainer_settings,
)
from toposcope.recorder.rank import process_rank
from toposcope.recorder.training.events.callback_list import CallbackList
from toposcope.recorder.training.own_loops.driven_run import DrivenRun
from toposcope.recorder.values.wrapped import Text

_EVENTS = (
    *("on_train_start", "on_train_batch_start", "on_train_batch_end", "on_train_epoch_end"),
    *("on_model_save", "on_fit_epoch_end", "teardown"),
)


@guarded_hooks("on_", "teardown")
class ToposcopeCallback:
    """Records the trainings of a model.

        model = YOLO("yolo11n.yaml")
        ToposcopeCallback("runs/first").add_to(model)
        model.train(data="coco8.yaml")

    Every step of the optimizer has the loss of its batches, also where Ultralytics accumulates the gradients of several
    up to nbs samples. The learning rates, parameters, throughput, the graph and more are recorded as by a
    SummaryCollector; what Ultralytics reports after each epoch keeps its names. The lineage contains the arguments of
    the training, without secrets.

    The step is the number of optimizer steps, which Ultralytics saves in its checkpoints: a training that resumes
    continues in the run. Each process records its own losses; what all have in common is recorded by rank 0. An
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
            summary_dir: directory of the run. None: the save_dir of the training.
            callbacks: further callbacks of this package, of both styles, and logger destinations.
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
        self._steps: ObservedSteps | None = None
        self._checkpoints = Checkpoints()
        self._metrics: Any = None
        self._epoch = -1

    def add_to(self, model: Any) -> None:
        """Add the callbacks to a model or a trainer of Ultralytics."""
        for event in _EVENTS:
            model.add_callback(event, getattr(self, event))

    def on_train_start(self, trainer: Any) -> None:
        """Begin a run, or continue the one of the checkpoint."""
        self._reset()
        directory = self._directory(trainer)
        if not (finished := finished_steps(trainer)):
            warn_of_earlier_training(directory)
        self._metrics = trainer.metrics
        self._steps = steps = ObservedSteps()
        self._run = run = DrivenRun(
            [self._new_collector(trainer), self._checkpoints, *self._settings.callbacks],
            model=trainer.model,
            optimizers=[trainer.optimizer],
            schedulers=[trainer.scheduler],
            loader=trainer.train_loader,
            steps=planned_steps(trainer),
            steps_per_epoch=-(-len(trainer.train_loader) // trainer.accumulate),
            initial_step=finished,
            initial_epoch=trainer.start_epoch,
            learning_rate=lambda: learning_rates(trainer.optimizer) if steps.is_stepping else [],
        )
        run.begin()
        self._settings.record_facts(run, lambda: trainer_settings(trainer))
        steps.observe(run, trainer)

    def on_train_batch_start(self, trainer: Any) -> None:
        """Begin a batch."""
        if self._steps is not None:
            self._steps.begin_batch()

    def on_train_batch_end(self, trainer: Any) -> None:
        """End a batch; its step has ended, or will end with another batch."""
        if self._run is None or self._steps is None or not self._run.is_running:
            return
        self._steps.end_batch()
        # Processes that train together must stop together: they agree after an epoch.
        if self._run.is_stop_requested and trainer.world_size <= 1:
            trainer.stop = True

    def on_train_epoch_end(self, trainer: Any) -> None:
        """Record the mean losses of an epoch, before its evaluation."""
        if self._run is None or not self._run.is_running:
            return
        if process_rank() == 0 and trainer.tloss is not None:
            self._run.log(trainer.label_loss_items(trainer.tloss, prefix="train"))
        self._epoch = trainer.epoch
        self._run.end_epoch()

    def on_model_save(self, trainer: Any) -> None:
        """Record that checkpoints were saved at this step."""
        if self._run is not None and self._run.is_running:
            self._run.log({"checkpoint": Text(self._checkpoints.saved_by(trainer))})

    def on_fit_epoch_end(self, trainer: Any) -> None:
        """Record an evaluation, if there was one; the one after the training is of the best checkpoint."""
        run = self._run
        if run is None or not run.is_running:
            return
        is_new, self._metrics = trainer.metrics is not self._metrics, trainer.metrics
        if is_new and trainer.metrics:
            self._record_evaluation(run, dict(trainer.metrics), is_last=trainer.epoch > self._epoch)
        run.close_epoch()
        if run.is_stop_requested:
            trainer.stop = True

    def teardown(self, trainer: Any) -> None:
        """End the run: it has failed if an exception ended the training."""
        error = sys.exception()
        if self._steps is not None:
            self._steps.stop()
        try:
            if error is not None and self._run is None:
                self._begin_failed(trainer)
        except Exception as failure:  # It must not hide the exception.
            log.warn("The failed training is not recorded: %s: %s", type(failure).__name__, failure)
        run, self._run = self._run, None
        if run is None or not run.is_running:
            return
        if error is None:
            run.end()
        else:
            run.fail(error)

    def _record_evaluation(self, run: DrivenRun, metrics: dict[str, Any], *, is_last: bool) -> None:
        if process_rank() == 0:
            run.log({f"best/{name}": value for name, value in metrics.items()} if is_last else metrics)
        run.evaluate(metrics, "best" if is_last else "eval")

    def _begin_failed(self, trainer: Any) -> None:
        """Begin the run of a training that failed before its first batch."""
        if process_rank() == 0:
            self._run = run = DrivenRun(
                [self._settings.new_collector(self._directory(trainer), self._settings.specified_data({}))]
            )
            run.begin()
            self._settings.record_facts(run, lambda: trainer_settings(trainer))

    def _new_collector(self, trainer: Any) -> SummaryCollector:
        # Recorded under the names of Ultralytics.
        data = self._settings.specified_data({"collect_eval_metrics": False})
        return self._settings.new_collector(self._directory(trainer), data, example_input=example_input(trainer))

    def _directory(self, trainer: Any) -> str:
        return self._settings.directory or os.fspath(trainer.save_dir)
