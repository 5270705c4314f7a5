"""ToposcopeCallback: records the trials of Ray Tune, each as a run."""

import os
import pickle
from collections.abc import Mapping
from numbers import Real
from typing import Any

from ray.tune import Callback
from ray.tune.result import AUTO_RESULT_KEYS
from ray.tune.utils import flatten_dict

from toposcope.recorder.callbacks.adapter_settings import AdapterSettings, checked_settings
from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.messages.lineage import eval_lineage
from toposcope.recorder.messages.settings import plain_settings
from toposcope.recorder.stores.spool import local_path
from toposcope.recorder.training.own_loops.driven_run import DrivenRun
from toposcope.recorder.values.wrapped import Text
from toposcope.recorder.writing.files.earlier_recordings import last_recorded_step

_NOT_KNOWN: dict[str, Any] = {"collect_metric": False, "collect_learning_rate": False, "collect_graph": False}
_NOT_KNOWN |= {"collect_throughput": False, "collect_train_lineage": False, "histogram_regular": "$^"}
_NOT_KNOWN |= {"collect_machine": False}
"""What the process that runs the search does not know of a trial, which runs in another one."""
_OF_RAY = {*AUTO_RESULT_KEYS, "done", "trial_id", "experiment_tag", "should_checkpoint"} - {"time_this_iter_s"}


@guarded_hooks("on_")
class ToposcopeCallback(Callback):
    """Records each trial of a search as a run, `<summary_dir>/<name of the trial>`.

        Tuner(train, run_config=RunConfig(callbacks=[ToposcopeCallback("runs/search")])).fit()

    What a trial reports is recorded by its names, at the step "training_iteration", or "timesteps_total" if it reports
    that. Values that are not finite are recorded as they are. The configuration of the trial is lineage, without
    secrets. The callback runs in the process that runs the search: for losses of every step, parameters or the graph
    use another callback inside the trial.

    A trial that is restored continues in its run. A failed trial ends with its exception.
    """

    def __init__(self, summary_dir: str | os.PathLike[str], **settings: Any) -> None:
        """Set what to record; files are created when a trial starts.

        Args:
            summary_dir: the directory that contains the runs.
            settings: arguments of SummaryCollector.

        Raises:
            TypeError: an argument has the wrong type, or there is no such argument.
            ValueError: an argument has an invalid value.
        """
        self._settings = checked_settings(summary_dir, **settings)
        self._summary_dir = local_path(summary_dir)  # Ray may change the working directory.
        self._runs: dict[str, _Trial] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings: trials that run are not copied."""
        return vars(self) | {"_runs": {}}

    def on_trial_start(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        """Begin the run of a trial; if it has an earlier one, the first result decides where it continues."""
        if trial.trial_id in self._runs:
            self._runs[trial.trial_id].restart(trial.config)
        else:
            self._runs[trial.trial_id] = _Trial(os.path.join(self._summary_dir, str(trial)), trial, self._settings)

    def on_trial_result(
        self, iteration: int, trials: list[Any], trial: Any, result: Mapping[str, Any], **info: Any
    ) -> None:
        """Record what a trial reports."""
        if trial.trial_id not in self._runs:
            self.on_trial_start(iteration, trials, trial)
        self._runs[trial.trial_id].record(result)

    def on_checkpoint(self, iteration: int, trials: list[Any], trial: Any, checkpoint: Any, **info: Any) -> None:
        """Record that a checkpoint of a trial was saved."""
        if trial.trial_id in self._runs:
            self._runs[trial.trial_id].record_checkpoint(os.path.basename(checkpoint.path))

    def on_trial_complete(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        """End the run of a trial, which a scheduler may have stopped."""
        if (run := self._runs.pop(trial.trial_id, None)) is not None:
            run.end()

    def on_trial_recover(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        """End the attempt of a trial that failed and starts again."""
        self.on_trial_error(iteration, trials, trial)

    def on_trial_error(self, iteration: int, trials: list[Any], trial: Any, **info: Any) -> None:
        """End the run of a trial with its exception."""
        if trial.trial_id not in self._runs:  # It failed before it started.
            self.on_trial_start(iteration, trials, trial)
        self._runs.pop(trial.trial_id).fail(_error_of(trial))

    def on_experiment_end(self, trials: list[Any], **info: Any) -> None:
        """End the runs of trials that did not end: the search was interrupted."""
        while self._runs:
            _, run = self._runs.popitem()
            run.fail(KeyboardInterrupt("The search ended before the trial."))


class _Trial:
    """The run of a trial."""

    def __init__(self, directory: str, trial: Any, settings: AdapterSettings) -> None:
        self._directory, self._settings, self._config = directory, settings, trial.config
        self._identity = {"id": trial.trial_id, "experiment": trial.experiment_dir_name}
        self._results: dict[str, float] = {}
        self._step = 0
        self._is_restarted = False
        self._run: DrivenRun | None = None
        if last_recorded_step(directory, 0) is None:
            self._begin(None)

    def restart(self, config: Mapping[str, Any]) -> None:
        """Continue after a pause, perhaps with another configuration and from the checkpoint of another trial."""
        self._is_restarted = True
        self.record_config(config)

    def record_config(self, config: Mapping[str, Any]) -> None:
        """Record the configuration as lineage."""
        self._config = config
        if self._run is None:
            return
        facts = plain_settings(config, "config") | plain_settings(self._identity, "trial")
        if (message := self._settings.lineage(facts)) is not None:
            self._run.log({"settings": message}, self._step)

    def record(self, result: Mapping[str, Any]) -> None:
        """Record what the trial reports; steps that it trains again after a restart are a new attempt."""
        last, self._step = self._step, int(result.get("timesteps_total") or result["training_iteration"])
        if self._is_restarted and self._run is not None and self._step <= last:
            self._run.end()
            self._run = None
        self._is_restarted = False
        run = self._run or self._begin(self._step)
        own = {name: value for name, value in result.items() if name not in _OF_RAY and not name.startswith("__")}
        values = {name: value for name, value in flatten_dict(own, delimiter="/").items() if value is not None}
        run.log(values, self._step)
        numbers = {name: float(value) for name, value in values.items() if isinstance(value, Real)}
        self._results |= {name: number for name, number in numbers.items() if name != "time_this_iter_s"}

    def record_checkpoint(self, name: str) -> None:
        """Record that a checkpoint was saved."""
        if self._run is not None:
            self._run.log({"checkpoint": Text(name)}, self._step)

    def end(self) -> None:
        """End the run; the last results are metrics of the lineage."""
        run = self._run or self._begin(None)
        self._record_results(run)
        run.end()

    def fail(self, error: BaseException) -> None:
        """End the run with an exception."""
        run = self._run or self._begin(self._step or None)
        self._record_results(run)
        run.fail(error)

    def _begin(self, first_step: int | None) -> DrivenRun:
        collector = self._settings.new_collector(self._directory, self._settings.specified_data(_NOT_KNOWN))
        initial_step = None if first_step is None else max(0, first_step - 1)
        self._run = DrivenRun([collector], initial_step=initial_step)
        self._run.begin()
        self.record_config(self._config)
        return self._run

    def _record_results(self, run: DrivenRun) -> None:
        if self._results:
            run.log({"results": eval_lineage(metrics=self._results)}, self._step)


def _error_of(trial: Any) -> BaseException:
    """Return the exception of a trial, which Ray has written to the trial's directory on this machine."""
    try:
        with open(trial.pickled_error_file, "rb") as file:
            error = pickle.load(file)
    except Exception:  # Ray wrote none, or its class cannot be imported here.
        return RuntimeError(f"The trial failed: see {trial.error_file}")
    error = getattr(error, "cause", None) or error  # Of a RayTaskError.
    return error if isinstance(error, BaseException) else RuntimeError(str(error))
