"""LoggerMethods: what ToposcopeLogger does; the packages of Lightning differ only in its base class."""

import os
import sys
from collections.abc import Mapping
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_bool, checked_future_directory
from toposcope.recorder.framework import framework_of
from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.messages.lineage import custom_lineage
from toposcope.recorder.messages.settings import plain_settings
from toposcope.recorder.rank import process_rank
from toposcope.recorder.record.logged_values import LoggedValues, logged_values, nothing_logged
from toposcope.recorder.record.summary_record import SummaryRecord
from toposcope.recorder.training.own_loops.driven_run import DrivenRun
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError
from toposcope.recorder.values.wrapped import Text


@guarded_hooks("log_", "after_", "finalize")
class LoggerMethods:
    """Records what is logged in a Trainer or with Fabric.

        trainer = Trainer(logger=ToposcopeLogger("runs/first"), callbacks=[ToposcopeCallback()])
        fabric = Fabric(loggers=ToposcopeLogger("runs/first"))

    The directory is the run: there is no version. A training that resumes uses the same directory and continues in the
    run. The Trainer saves its checkpoints in the directory "checkpoints" of the run.

    Values keep the names and the steps that Lightning gives them; a Trainer counts the batches that stepped from 0.
    Hyperparameters are recorded as lineage, without secrets; no metric such as hp_metric is added. Each checkpoint that
    ModelCheckpoint saves is a text "checkpoint" at the step of the optimizer. Only the process of rank 0 records.

    Of an experiment, `logger.experiment.log(values, step)` records values of all kinds, as SummaryRecord.log() does.
    """

    def __init__(self, summary_dir: str | os.PathLike[str], *, log_graph: bool = False) -> None:
        """Set the directory; files are created when something is logged.

        Args:
            summary_dir: directory of the run.
            log_graph: whether the graph of a module with an example_input_array is recorded before the training. A
                ToposcopeCallback records the graph in any case.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: summary_dir is blank.
            NotADirectoryError: summary_dir, or one of its parents, exists and is not a directory.
            PermissionError: this process must not create summary_dir.
        """
        super().__init__()
        self._directory = checked_future_directory("summary_dir", summary_dir)
        self._log_graph = checked_bool("log_graph", log_graph)
        self._reset()

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings: an open recorder is not copied, and belongs to one process."""
        return {name: vars(self)[name] for name in ("_directory", "_log_graph")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    def _reset(self) -> None:
        self._recorder: SummaryRecord | None = None
        self._run: DrivenRun | None = None
        self._is_run_expected = False
        self._expected: list[tuple[LoggedValues, int]] = []
        self._last_steps: dict[str, int] = {}
        self._skipped: set[str] = set()
        self.latest_checkpoint: str | None = None

    @property
    def name(self) -> str:
        """An empty name: a Trainer appends it and the version to save_dir."""
        return ""

    version = name

    @property
    def save_dir(self) -> str:
        """The directory of the run."""
        return self._directory

    log_dir = save_dir

    @property
    def root_dir(self) -> str:
        """The directory that contains the directory of the run."""
        return os.path.dirname(self._directory)

    @property
    def experiment(self) -> "Experiment":
        """Records values of all kinds."""
        return Experiment(self)

    def log_metrics(self, metrics: Mapping[str, Any], step: int | None = None) -> None:
        """Record metrics; step None: after the last step of these metrics."""
        if process_rank() or not metrics:
            return
        if step is None:
            step = 1 + max((self._last_steps.get(name, -1) for name in metrics), default=-1)
        self._last_steps.update(dict.fromkeys(metrics, step))
        self._record(self._readable(metrics), int(step))

    def log_hyperparams(self, params: Any, *args: Any, **kwargs: Any) -> None:
        """Record the hyperparameters, a mapping or a Namespace, as lineage; further arguments are ignored."""
        if process_rank():
            return
        try:
            facts = plain_settings(params if isinstance(params, Mapping) else vars(params))
            lineage = logged_values({"hyperparameters": custom_lineage(dict(facts))})
        except Exception as error:  # The objects of the user may be anything.
            log.warn("%s: hyperparameters are not recorded: %s: %s", self._directory, type(error).__name__, error)
            return
        if facts:
            self._record(lineage, 0)

    def log_graph(self, model: Any, input_array: Any = None) -> None:
        """Record the graph of a module for an input, by default its example_input_array, if log_graph is set."""
        inputs = getattr(model, "example_input_array", None) if input_array is None else input_array
        if process_rank() or not self._log_graph or self._is_run_expected or inputs is None:
            return
        if callable(move := getattr(model, "transfer_batch_to_device", None)):
            inputs = move(inputs, model.device, 0)
        try:
            graph = framework_of(model).network_graph(model, inputs if isinstance(inputs, tuple) else (inputs,))
        except UnreadableValueError as error:
            log.warn("%s: the graph is not recorded: %s", self._directory, error)
            return
        if graph is not None:
            self._record(logged_values({"network": graph}), 0)

    def after_save_checkpoint(self, checkpoint_callback: Any) -> None:
        """Record the path and the score of a checkpoint at the step of the optimizer."""
        path = _newest_checkpoint(checkpoint_callback)
        if process_rank() or not path:
            return
        self.latest_checkpoint = path
        score, monitor = getattr(checkpoint_callback, "current_score", None), checkpoint_callback.monitor
        text = path if monitor is None or score is None else f"{path} ({monitor}: {float(score):g})"
        step = getattr(checkpoint_callback, "_last_global_step_saved", 0)
        self._record(logged_values({"checkpoint": Text(text)}), int(step))

    def save(self) -> None:
        """Do nothing: Lightning calls it after every log_metrics(), and a thread writes what is recorded."""

    def finalize(self, status: str) -> None:
        """Close the files; the next value opens new ones. A status other than "success" and "finished" is a failure."""
        self.expect_run(False)
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            return
        error = sys.exc_info()[1]
        if error is None and status not in ("success", "finished"):
            error = RuntimeError(f"Lightning reports that the training has ended with the status {status!r}.")
        if error is None:
            recorder.close()
        else:
            recorder.__exit__(type(error), error, error.__traceback__)

    def expect_run(self, is_expected: bool = True) -> None:
        """Keep values until a run is attached; False: record what is kept without a run."""
        self._is_run_expected, self._run = is_expected, None
        if not is_expected:
            self._record_kept()

    def attach(self, run: DrivenRun) -> None:
        """From now on, record into the files of a run, until expect_run(False)."""
        self._run = run
        self._record_kept()

    def record_values(self, values: Mapping[str, Any], step: int) -> None:
        """Record values as SummaryRecord.log() does, which also says what is raised."""
        if not process_rank():
            self._record(logged_values(values), step)

    def _record_kept(self) -> None:
        kept, self._expected = self._expected, []
        for values, step in kept:
            self._record(values, step)

    def _record(self, values: LoggedValues, step: int) -> None:
        if self._run is not None and self._run.is_running:
            self._run.record(values, step)
        elif self._is_run_expected and self._run is None:
            self._expected.append((values, step))
        else:
            if self._recorder is None:
                self._recorder = SummaryRecord(self._directory, collects_operators=False)
            self._recorder.record_logged(values, step)

    def _readable(self, metrics: Mapping[str, Any]) -> LoggedValues:
        """Return the metrics that are numbers; log the others, once each."""
        values = nothing_logged()
        for name, value in metrics.items():
            try:
                values.update(logged_values({name: value}))
            except (TypeError, ValueError) as error:
                if name not in self._skipped:
                    self._skipped.add(name)
                    log.warn("%s: %.100r is not recorded: %s", self._directory, name, error)
        return values


class Experiment:
    """The experiment of a ToposcopeLogger."""

    def __init__(self, logger: LoggerMethods) -> None:
        self._logger = logger

    def log(self, values: Mapping[str, Any], step: int) -> None:
        """Record values of all kinds at a step; see SummaryRecord.log()."""
        self._logger.record_values(values, step)


def _newest_checkpoint(callback: Any) -> str:
    """Return the path that a ModelCheckpoint has just saved; an empty str if it is not known."""
    if path := getattr(callback, "_last_checkpoint_saved", ""):
        return str(path)
    # Of Lightning before 2.1.
    paths = [*callback.best_k_models, callback.best_model_path, callback.last_model_path]
    return str(max(filter(os.path.exists, paths), key=os.path.getmtime, default=callback.best_model_path))
