"""ToposcopeCallback: records each trial of a study of Optuna as a run."""

import functools
import os
from collections.abc import Callable
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_future_directory
from toposcope.recorder.frameworks.adapter_guard import guarded_hooks
from toposcope.recorder.frameworks.optuna.trial_facts import facts_of_trial, objective_values
from toposcope.recorder.messages.lineage import custom_lineage, eval_lineage
from toposcope.recorder.record.summary_record import SummaryRecord

_TAG = "intermediate_value"


@guarded_hooks("__call__", "record_failure")
class ToposcopeCallback:
    """Records each finished trial of a study as a run in the directory of the study.

        callback = ToposcopeCallback("runs/study")
        study.optimize(callback.observed(objective), n_trials=20, callbacks=[callback])

    Of a trial are recorded `intermediate_value`, at the steps that the objective reported, and as lineage the
    parameters, their distributions, the values of the objective, the attributes of the user, and the study. A pruned
    trial is an interrupted run, a failed one a failed run.

    observed() is optional: with it a failed trial is recorded with the exception, also if that ends the study, for
    which Optuna calls no callback.

    Each process of a study records the trials that it ran. Those of a process that was killed are recorded if the
    storage has a heartbeat, and this object as its heartbeat_stale_trial_callback.

    An objective that records its training itself does so in directory_of(trial): training and trial are then one run.
    Use one directory per study, as the runs are named by the numbers of the trials.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        """Set the directory of the study, which the first trial creates if it does not exist.

        Raises:
            TypeError: directory has the wrong type.
            ValueError: it is blank.
            NotADirectoryError: it, or one of its parents, exists and is not a directory.
            PermissionError: this process must not create it.
        """
        self._directory = checked_future_directory("directory", directory)
        self._failed: set[tuple[str, int]] = set()
        """The trials that observed() has recorded."""

    def directory_of(self, trial: Any) -> str:
        """Return the directory of the run of a trial: "trial-<number>" in that of the study."""
        return os.path.join(self._directory, f"trial-{trial.number}")

    def observed(self, objective: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return an objective that records the exceptions of a trial, and raises them as before."""
        return functools.partial(_observed, self, objective)

    def __call__(self, study: Any, trial: Any) -> None:
        """Record a trial; Optuna calls this after each one."""
        if (study.study_name, trial.number) in self._failed:
            return
        state = trial.state.name
        if state == "PRUNED":
            step = max(trial.intermediate_values, default=None)
            self._record(study, trial, pruned="pruned" if step is None else f"pruned at step {step}")
        elif state == "FAIL":
            self._record(study, trial, error=RuntimeError(f"Trial {trial.number} failed."))
        else:
            self._record(study, trial)

    def record_failure(self, trial: Any, error: BaseException) -> None:
        """Record a trial whose objective raised an exception; trial is the optuna.Trial that it received."""
        study = trial.study
        self._failed.add((study.study_name, trial.number))
        # A FrozenTrial, which unlike a Trial has the intermediate values.
        frozen = next((each for each in study.get_trials(deepcopy=False) if each.number == trial.number), trial)
        self._record(study, frozen, error=error)

    def _record(self, study: Any, trial: Any, *, pruned: str | None = None, error: BaseException | None = None) -> None:
        """Record a trial; a failure is logged, as it must not end the study."""
        try:
            recorder = SummaryRecord(self.directory_of(trial), collects_operators=False)
            _add(recorder, study, trial, "FAIL" if error is not None else trial.state.name)
            if error is not None:
                recorder.__exit__(type(error), error, error.__traceback__)
            else:
                recorder.close(interrupted_by=pruned)
        except Exception as failure:
            log.warn("Trial %d is not recorded: %s: %s", trial.number, type(failure).__name__, failure)


def _observed(callback: ToposcopeCallback, objective: Callable[[Any], Any], trial: Any) -> Any:
    try:
        return objective(trial)
    except BaseException as error:
        if type(error).__name__ != "TrialPruned":
            callback.record_failure(trial, error)
        raise


def _add(recorder: SummaryRecord, study: Any, trial: Any, state: str) -> None:
    """Record what a trial consists of."""
    for step, value in sorted(trial.intermediate_values.items()):
        recorder.log({_TAG: float(value)}, step)
    last = max(trial.intermediate_values, default=0)
    facts = facts_of_trial(study, trial) | {"trial/state": state}
    values: dict[str, Any] = {"settings": custom_lineage(facts)}
    if results := objective_values(study, trial):
        values["results"] = eval_lineage(results)
    recorder.log(values, last)
