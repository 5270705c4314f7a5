"""ToposcopeLogger: records what happens and what is logged in trainings of composer.Trainer, and runs our callbacks."""

import os
from contextlib import ExitStack
from typing import Any

from composer.callbacks import CheckpointSaver
from composer.loggers import LoggerDestination

from toposcope.recorder import log
from toposcope.recorder.callbacks.adapter_settings import checked_settings
from toposcope.recorder.collecting.resuming import warn_of_earlier_training
from toposcope.recorder.ends.end_observer import EndObserver
from toposcope.recorder.ends.ending import FINISHED
from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.frameworks.composer.logged_images import image_values
from toposcope.recorder.frameworks.composer.step_losses import TOTAL, StepLosses
from toposcope.recorder.frameworks.composer.trainer_settings import planned_steps, trainer_settings
from toposcope.recorder.loggers.table import json_lines
from toposcope.recorder.messages.settings import plain_settings
from toposcope.recorder.rank import process_rank
from toposcope.recorder.record.summary_record import SummaryRecord
from toposcope.recorder.stores.spool import local_path
from toposcope.recorder.summary import paused
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.callback_list import CallbackList
from toposcope.recorder.training.own_loops.driven_run import DrivenRun
from toposcope.recorder.training.progress.time import Time, TimeUnit
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError
from toposcope.recorder.values.wrapped import Text


@guarded_hooks("log_", "fit_", "batch_", "before_", "epoch_", "iteration_", "eval_", "post_close")
class ToposcopeLogger(LoggerDestination):
    """Records the trainings of a Trainer.

        trainer = Trainer(model=model, train_dataloader=data, max_duration="2ep", loggers=ToposcopeLogger("runs/first"))
        trainer.fit()
        trainer.close()

    Every batch has the loss of its micro-batches, whatever device_train_microbatch_size is. The learning rate,
    parameters, throughput, the graph and more are recorded as by a SummaryCollector. What Composer logs keeps its names
    and steps; metrics of evaluations also reach the callbacks and the lineage. Hyperparameters and settings of the
    Trainer are lineage, without secrets.

    The step is Timestamp.batch: a training that loads a checkpoint continues in the run. Each process records its own
    losses; what all have in common is recorded by rank 0. The run comprises all calls of fit() and ends with the
    Trainer: with Trainer.close(), or with the program. An exception that ends fit() ends the run.
    """

    def __init__(
        self,
        summary_dir: str | os.PathLike[str],
        *,
        callbacks: CallbackList = None,
        **settings: Any,
    ) -> None:
        """Set what to record; files are created when the training begins.

        Args:
            summary_dir: directory of the run.
            callbacks: further callbacks of this package, of both styles, and logger destinations.
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
        self.__dict__.update(state)
        self._reset()

    def _reset(self) -> None:
        self._run: DrivenRun | None = None
        self._observer: EndObserver | None = None
        self._is_fitting = False
        self._losses = StepLosses()
        self._hyperparameters: dict[str, Any] = {}
        self._kept: list[tuple[dict[str, Any], int]] = []
        self._evaluated: tuple[str, dict[str, Any]] | None = None
        self._checkpoints = _Checkpoints()
        self._operator_pause = ExitStack()
        self._skipped: set[str] = set()

    def log_hyperparameters(self, hyperparameters: dict[str, Any]) -> None:
        """Record hyperparameters as lineage."""
        self._hyperparameters |= hyperparameters
        if self._run is not None and self._run.is_running:
            self._settings.record_facts(self._run, lambda: plain_settings(self._hyperparameters))

    def log_metrics(self, metrics: dict[str, Any], step: int | None = None) -> None:
        """Record metrics; step None: the last finished batch."""
        self._losses.add_logged(metrics)
        found: dict[str, Any] = {}
        if self._evaluated is not None:
            prefix, results = self._evaluated
            found = {name: value for name, value in metrics.items() if name.startswith(prefix)}
            results.update({name.removeprefix(prefix): value for name, value in found.items()})
        reported = {name: value for name, value in metrics.items() if name == TOTAL or name in found}
        self._log({name: value for name, value in metrics.items() if name not in reported}, step)
        self._log(reported, step, has_destinations=False)

    def log_table(
        self, columns: list[str], rows: list[list[Any]], name: str = "Table", step: int | None = None
    ) -> None:
        """Record a table as a text of JSON lines."""
        self._log({name: Text(json_lines(columns, rows))}, step)

    def log_images(
        self,
        images: Any,
        name: str = "Images",
        channels_last: bool = False,
        step: int | None = None,
        masks: dict[str, Any] | None = None,
        mask_class_labels: dict[int, str] | None = None,
        use_table: bool = True,
    ) -> None:
        """Record images, and their masks as separate images; use_table has no effect."""
        if process_rank():
            return
        try:
            values = image_values(images, name, channels_last, masks or {}, mask_class_labels)
        except (TypeError, ValueError, UnreadableValueError) as error:
            self._skip(f"image {name!r}", str(error))
            return
        self._log(values, step)

    def fit_start(self, state: Any, logger: Any) -> None:
        """Begin a run, or continue that of the checkpoint or of an earlier fit()."""
        self._is_fitting = True
        if self._run is not None and self._run.is_running:
            steps = planned_steps(state)
            self._run.state.max_duration = None if steps is None else Time(steps, TimeUnit.BATCH)
            return
        self._checkpoints = _Checkpoints()
        self._checkpoints.take_new(state)
        if not int(state.timestamp.batch):
            warn_of_earlier_training(self._summary_dir)
        self._run = run = self._new_run(state)
        self._observer = EndObserver()
        run.begin()
        self._settings.record_facts(
            run, lambda: plain_settings(self._hyperparameters | {"trainer": trainer_settings(state)})
        )
        kept, self._kept = self._kept, []
        for values, step in kept:
            run.log(values, step)

    def batch_start(self, state: Any, logger: Any) -> None:
        """Begin a step."""
        self._losses.begin_step()
        if self._run is not None and self._run.is_running:
            self._run.add_batch(state.batch)

    def before_train_batch(self, state: Any, logger: Any) -> None:
        """Begin the micro-batches of a step, again if a device has run out of memory."""
        self._losses.begin_micro_batches()

    def before_backward(self, state: Any, logger: Any) -> None:
        """Add the loss of a micro-batch."""
        self._losses.add(state.loss, state.batch)

    def batch_end(self, state: Any, logger: Any) -> None:
        """End a step."""
        if self._run is not None and self._run.is_running:
            self._run.end_step(self._losses.take())
            self._stop_if_requested(state)

    def batch_checkpoint(self, state: Any, logger: Any) -> None:
        """Record the checkpoints that have been saved."""
        for path, step in self._checkpoints.take_new(state):
            self._log({"checkpoint": Text(path)}, step)

    def epoch_end(self, state: Any, logger: Any) -> None:
        """End an epoch, before its evaluation."""
        if self._run is not None and self._run.is_running:
            self._run.end_epoch()

    def epoch_checkpoint(self, state: Any, logger: Any) -> None:
        """Close the epoch, after its evaluation."""
        if self._run is not None and self._run.is_running:
            self._run.close_epoch()
            self._stop_if_requested(state)
        self.batch_checkpoint(state, logger)

    iteration_checkpoint = batch_checkpoint

    def eval_start(self, state: Any, logger: Any) -> None:
        """Begin an evaluation; the network's summary operators do not collect during it."""
        self._evaluated = (f"metrics/{state.dataloader_label}/", {})
        self._operator_pause.enter_context(paused())

    def eval_end(self, state: Any, logger: Any) -> None:
        """Report the metrics of an evaluation to the callbacks."""
        self._operator_pause.close()
        evaluated, self._evaluated = self._evaluated, None
        if evaluated is None or not evaluated[1]:
            return
        run = self._run or self._new_run(state)
        if run.is_running or process_rank() == 0:
            run.evaluate({name: _number(value) for name, value in evaluated[1].items()}, state.dataloader_label)
        if run.is_running:
            self._stop_if_requested(state)

    def fit_end(self, state: Any, logger: Any) -> None:
        """Note that fit() has ended; an evaluation may follow, and a further fit()."""
        self._is_fitting = False

    def post_close(self) -> None:
        """End the run: it has failed if the Trainer is closed because of an exception, or during fit().

        Not in close(), as callbacks that are closed later may log.
        """
        self._operator_pause.close()
        if self._run is not None and self._run.is_running:
            self._end(self._run)
        kept, self._kept = self._kept, []
        if kept and self._run is None:  # The Trainer has not trained.
            with SummaryRecord(self._summary_dir, collects_operators=False) as recorder:
                for values, step in kept:
                    recorder.log(values, step)
        self._reset()

    def _end(self, run: DrivenRun) -> None:
        assert self._observer is not None
        if not self._is_fitting:
            run.end()
        elif self._observer.ending_without_close() == FINISHED:
            run.fail(RuntimeError("The Trainer was closed before fit() had ended."))
        else:
            run.drop()

    def _new_run(self, state: Any) -> DrivenRun:
        """Return the run of a training that is about to begin, or of an evaluation without one."""
        data = self._settings.specified_data({"collect_eval_metrics": False})  # Recorded under the names of Composer.
        collector = self._settings.new_collector(self._summary_dir, data)
        return DrivenRun(
            [collector, self._checkpoints, *self._settings.callbacks],
            model=state.model,
            optimizers=state.optimizers,
            schedulers=state.schedulers,
            loader=state.train_dataloader,
            steps=planned_steps(state),
            steps_per_epoch=None if state.dataloader_len is None else int(state.dataloader_len),
            initial_step=int(state.timestamp.batch),
            initial_epoch=int(state.timestamp.epoch),
        )

    def _log(self, values: dict[str, Any], step: int | None, *, has_destinations: bool = True) -> None:
        """Record values, when the run has started."""
        if process_rank() or not values:
            return
        run = self._run
        if run is None:
            self._kept.append((values, 0 if step is None else int(step)))
        elif run.is_running:
            run.log(values, None if step is None else int(step), has_destinations=has_destinations)
        else:
            self._skip("what is logged after the end of the run", "a run is opened only once")

    def _skip(self, what: str, reason: str) -> None:
        """Log once that something is not recorded."""
        if what not in self._skipped:
            self._skipped.add(what)
            log.warn("%s: not recorded: %s: %s", self._summary_dir, what, reason)

    def _stop_if_requested(self, state: Any) -> None:
        if self._run is not None and self._run.is_stop_requested:
            state.stop_training()


class _Checkpoints(Callback):
    """Finds the checkpoints that Composer's CheckpointSaver has saved, and names the newest one for the lineage."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self.latest_ckpt_file_name: str | None = None
        """The path of the newest checkpoint, None before the first."""

    def take_new(self, state: Any) -> list[tuple[str, int]]:
        """Return the paths and steps of checkpoints that have been saved since the last call."""
        new: list[tuple[str, int]] = []
        for saver in state.callbacks:
            if isinstance(saver, CheckpointSaver):
                for path, timestamp in saver.all_saved_checkpoints_to_timestamp.items():
                    if path not in self._seen:
                        self._seen.add(path)
                        self.latest_ckpt_file_name = path
                        new.append((path, int(timestamp.batch)))
        return new


def _number(value: Any) -> Any:
    """Return a metric as a number, if it is one."""
    return value.item() if callable(getattr(value, "item", None)) and getattr(value, "ndim", 0) == 0 else value
