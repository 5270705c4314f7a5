"""RecordingCallback: the recording side of the callbacks that libraries for gradient boosting call."""

import os
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_text
from toposcope.recorder.callbacks.adapter_settings import checked_settings
from toposcope.recorder.ends.end_observer import EndObserver
from toposcope.recorder.ends.ending import FINISHED
from toposcope.recorder.ends.program_exit import is_exiting
from toposcope.recorder.frameworks.boosting.evaluations import Evaluation, named_results, training_loss
from toposcope.recorder.messages.lineage import eval_lineage
from toposcope.recorder.messages.settings import plain_settings
from toposcope.recorder.rank import process_rank
from toposcope.recorder.stores.spool import local_path
from toposcope.recorder.training.events.callback_list import CallbackList
from toposcope.recorder.training.own_loops.driven_run import DrivenRun
from toposcope.recorder.values.wrapped import Text
from toposcope.recorder.writing.files.earlier_recordings import last_recorded_step

_COLLECTED = {
    "collect_graph": False,
    "collect_input_data": False,
    "collect_dataset_graph": False,
    "histogram_regular": "$^",
}
"""A boosted model has neither a graph of operators nor parameters that change."""


class RecordingCallback:
    """Records trainings in which each iteration adds trees to a model, and evaluates data sets.

    An iteration is a step, and an epoch of one step: it uses all data. With every iteration are recorded

    * `eval/<data>/<metric>`: the metrics of each evaluated data set, in a cross-validation their means, and
      `eval/<data>/<metric>_std`, their standard deviations over the folds;
    * `loss/auto`: the loss of the training data, if these are evaluated;
    * `learning_rate`, if it is known.

    The lineage contains the parameters of the training, without secrets. What a SummaryCollector records otherwise
    (environment, code, machine) is recorded as well.

    An object records one training at a time, and may be used for several in succession. A pickled or copied object has
    the settings, without the training that runs. In a with statement around the training an exception that ends it is
    recorded with its text, also if the program handles it:

        with ToposcopeCallback("runs/first") as callback:
            xgboost.train(params, data, callbacks=[callback])

    Without one, an exception is recorded if it ends the program; a training that ended with an exception that the
    program handled counts as failed.
    """

    def __init__(
        self,
        summary_dir: str | os.PathLike[str],
        *,
        loss: str | None = None,
        callbacks: CallbackList = None,
        **settings: Any,
    ) -> None:
        """Set what to record; files are created when the training begins.

        Args:
            summary_dir: directory of the run.
            loss: "<data>/<metric>", the evaluation that is the loss. None: the first metric of the training data that
                is known to be a loss, if these data are evaluated under the name "train", "training" or "learn".
            callbacks: further callbacks, of both styles, and logger destinations. Those that request a stop end the
                training after an iteration.
            settings: further arguments of SummaryCollector: collect_freq, collect_specified_data, ...

        Raises:
            TypeError: an argument has the wrong type, or there is no such argument.
            ValueError: an argument has an invalid value, or a SummaryCollector is among the callbacks.
        """
        super().__init__()
        self._loss = None if loss is None else checked_text("loss", loss)
        self._settings = checked_settings(summary_dir, callbacks, **settings)
        self._summary_dir = local_path(summary_dir)
        self._run: DrivenRun | None = None
        self._is_called = False
        """Whether the library has called this object since the with statement began."""
        self._results: dict[str, float] = {}
        self._collects_results = True
        self._finalizer: weakref.finalize[..., Any] | None = None
        self._end_observer: EndObserver | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings: a training that runs is not copied."""
        return vars(self) | {"_run": None, "_finalizer": None, "_end_observer": None}

    def __enter__(self) -> Self:
        self._is_called = False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the run, if it has not ended, with the exception if there is one."""
        if error is None:
            self._end()
        else:
            if not self._is_called and not process_rank():
                last = last_recorded_step(self._summary_dir, 0)
                self._begin(None, dict, initial_step=last or 0)
            self._fail(error)

    def _begin(
        self,
        model: Any,
        parameters: Callable[[], Mapping[str, Any]],
        *,
        initial_step: int = 0,
        steps: int | None = None,
        learning_rate: Callable[[], Any] | None = None,
    ) -> None:
        """Begin a run.

        Args:
            model: the booster, whose class is part of the lineage.
            parameters: a function that returns the parameters of the training, for the lineage.
            initial_step: iterations of the model that is trained further.
            steps: planned iterations of the whole training; None: unknown.
            learning_rate: a function that returns the learning rate of the iteration that begins; None: unknown.
        """
        self._fail(RuntimeError("Another training began before this one had ended."))
        if not initial_step:
            self._warn_of_earlier_steps()
        data = self._settings.specified_data(_COLLECTED)
        if learning_rate is None:
            data["collect_learning_rate"] = False
        # Once at the end: an iteration may take less time than its lineage.
        self._collects_results = self._settings.collects("collect_eval_lineage")
        data["collect_eval_lineage"] = False
        self._results = {}
        collector = self._settings.new_collector(self._summary_dir, data)
        run = self._run = DrivenRun(
            [collector, *self._settings.callbacks],
            model=model,
            steps=steps,
            steps_per_epoch=1,
            initial_step=initial_step,
            initial_epoch=initial_step,
            learning_rate=learning_rate,
        )
        run.begin()
        self._record_parameters(parameters)

    def _record_parameters(self, parameters: Callable[[], Mapping[str, Any]]) -> None:
        """Record the parameters of the training as lineage."""
        if self._run is not None and self._run.is_running:
            self._settings.record_facts(self._run, lambda: plain_settings(parameters(), "params"))

    def _begin_iteration(self) -> None:
        """Begin an iteration: its learning rate is read here. Without this call it begins where the last one ended."""
        if self._run is not None and self._run.is_running:
            self._run.add_batch(None)

    def _end_iteration(self, evaluations: Iterable[Evaluation], loss: str | None = None) -> bool:
        """Record an iteration and its evaluations; return whether a callback requested the training to stop.

        Args:
            evaluations: of the iteration.
            loss: "<data>/<metric>", the evaluation that is the loss if the user named none; None: unknown.
        """
        if self._run is None or not self._run.is_running:
            return False
        each = list(evaluations)
        self._run.end_step(training_loss(each, self._loss or loss))
        self._run.end_epoch()
        if results := named_results(each):
            self._results = results
            self._run.evaluate(results)
        self._run.close_epoch()
        return self._run.is_stop_requested

    def _record_checkpoints(self, names: Sequence[str]) -> None:
        """Record that files were saved after the last iteration."""
        if names and self._run is not None and self._run.is_running:
            self._run.log({"checkpoint": Text(", ".join(names))})

    def _end(self) -> None:
        """End the run, unless it has ended."""
        if self._run is not None and self._run.is_running:
            self._forget_trainer()
            self._record_results(self._run)
            self._run.end()

    def _fail(self, error: BaseException) -> None:
        """End the run with an exception, unless it has ended."""
        if self._run is not None and self._run.is_running:
            self._forget_trainer()
            self._record_results(self._run)
            self._run.fail(error)

    def _fail_without_exception(self) -> None:
        """End the run of a training that an exception has ended, unless it ends the program or its thread.

        In that case the recorder finds the exception when it is closed.
        """
        observer = self._end_observer
        if not is_exiting() and (observer is None or observer.ending_without_close() == FINISHED):
            self._fail(RuntimeError("The training ended with an exception that the program handled."))

    def _observe(self, trainer: object, on_end: Callable[[], None]) -> None:
        """Call a function when an object ceases to exist that lives as long as the training, unless it ends before.

        An exception of the library or of its other callbacks is not reported to a callback. If it ends the program, the
        object still exists, and the recorder finds the exception itself.
        """
        self._end_observer = EndObserver()
        self._finalizer = weakref.finalize(trainer, on_end)
        self._finalizer.atexit = False

    def _record_results(self, run: DrivenRun) -> None:
        """Record the results of the last iteration as lineage."""
        if self._results and self._collects_results:
            run.log({"results": eval_lineage(self._results)})

    def _forget_trainer(self) -> None:
        if self._finalizer is not None:
            self._finalizer.detach()
            self._finalizer = None

    def _warn_of_earlier_steps(self) -> None:
        if (last := last_recorded_step(self._summary_dir, process_rank())) is not None:
            log.warn(
                "%s contains an earlier training, up to step %d. This one begins at step 1: the page shows its steps "
                "and keeps the earlier ones as an attempt. To separate them pass another summary_dir; to continue a "
                "training pass its model to the library.",
                self._summary_dir,
                last,
            )
