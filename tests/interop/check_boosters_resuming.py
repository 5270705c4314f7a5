"""Trainings of boosters, and a study of Optuna, that kill -9 ends and the same program continues in their runs."""

from pathlib import Path

import optuna
import pytest
from support.killed_training import check_attempts, expected_values, kill_and_resume
from support.recorded_run import scalars_of

from toposcope import server

_XGBOOST = """
from check_boosters_xgboost import *
class Killing(TrainingCallback):
    def after_iteration(self, model, epoch, evals_log):
        if model.num_boosted_rounds() == 5:
            model.save_model(directory / "model.ubj")
        elif model.num_boosted_rounds() == 8 and is_first:
            kill_when_recorded(run, 7)
model = None if is_first else directory / "model.ubj"
callbacks = [recording(run), Killing()]
xgboost.train(PARAMETERS, num_boost_round=10 if is_first else 5, callbacks=callbacks, xgb_model=model, **data())
results = {}
xgboost.train(PARAMETERS, num_boost_round=10, evals_result=results, **data())
expect(results)
"""

_LIGHTGBM = """
from check_boosters_lightgbm import *
def killing(env):
    if env.iteration == 4:
        env.model.save_model(directory / "model.txt")
    elif env.iteration == 7 and is_first:
        kill_when_recorded(run, 7)
model = None if is_first else directory / "model.txt"
rounds = 10 if is_first else 5
lightgbm.train(PARAMETERS, num_boost_round=rounds, callbacks=[recording(run), killing], init_model=model, **data())
results = {}
lightgbm.train(PARAMETERS, num_boost_round=10, callbacks=[lightgbm.record_evaluation(results)], **data())
expect(results)
"""

_CATBOOST = """
from check_boosters_catboost import *
class Killing:
    def after_iteration(self, info):
        if info.iteration == 8 and is_first:
            kill_when_recorded(run, 7)
        return True
snapshot = {"save_snapshot": True, "snapshot_file": "snapshot", "snapshot_interval": 0}
trained = model(iterations=10, allow_writing_files=True, train_dir=str(directory / "info"), **snapshot)
trained.fit(callbacks=[recording(run), Killing()], **data())
uninterrupted = model(iterations=10)
uninterrupted.fit(**data())
expect(uninterrupted.get_evals_result())
"""

_OPTUNA = """
import os, signal, optuna
from toposcope.recorder.frameworks.optuna import ToposcopeCallback
from check_boosters_optuna import *
callback = ToposcopeCallback(directory / "study")
url = f"sqlite:///{directory / 'study.db'}"
stale = {"heartbeat_interval": 1, "grace_period": 1, "heartbeat_stale_trial_callback": callback}
storage = optuna.storages.RDBStorage(url, **stale)
study = optuna.create_study(storage=storage, study_name="killed", load_if_exists=True)
def reported(trial):
    x = trial.suggest_float("x", 0, 1)
    trial.report(x, 1)
    if trial.number == 2 and is_first:
        os.kill(os.getpid(), signal.SIGKILL)
    return x
while not is_first and study.trials[2].state.name == "RUNNING":
    optuna.storages.fail_stale_trials(study)
study.optimize(callback.observed(reported), n_trials=5 if is_first else 2, callbacks=[callback])
"""


def test_xgboost_goes_on_from_a_saved_model(tmp_path: Path) -> None:
    """With xgb_model; the values are those of a training that was not killed."""
    kill_and_resume(tmp_path, _XGBOOST)

    results = expected_values(tmp_path)
    points = check_attempts(tmp_path / "run", "eval/valid/logloss", list(range(1, 11)), 6)
    assert points.value.tolist() == pytest.approx(results["valid"]["logloss"])
    check_attempts(tmp_path / "run", "learning_rate", list(range(1, 11)), 6)


def test_lightgbm_goes_on_from_a_saved_model(tmp_path: Path) -> None:
    """With init_model."""
    kill_and_resume(tmp_path, _LIGHTGBM)

    for name, metrics in expected_values(tmp_path).items():
        for metric, values in metrics.items():
            points = check_attempts(tmp_path / "run", f"eval/{name}/{metric}", list(range(1, 11)), 6)
            assert points.value.tolist() == pytest.approx(values, rel=1e-3)


def test_catboost_goes_on_from_its_snapshot(tmp_path: Path) -> None:
    """The snapshot contains the iteration that was killed, or the one before."""
    kill_and_resume(tmp_path, _CATBOOST)

    expected = expected_values(tmp_path)["validation"]["Logloss"]
    assert scalars_of(tmp_path / "run", "eval/validation/Logloss") == pytest.approx(dict(enumerate(expected, 1)))


def test_a_study_goes_on_from_its_storage(tmp_path: Path) -> None:
    """Finished trials are recorded once, the killed one as failed by the callback of the storage."""
    kill_and_resume(tmp_path, _OPTUNA)

    runs = server.open(tmp_path / "study").runs
    states = {name: run.state.state for name, run in runs.items()}
    assert states == {f"trial-{i}": "failed" if i == 2 else "finished" for i in range(5)}
    assert {run.attempts for run in runs.values()} == {1}
    study = optuna.load_study(study_name="killed", storage=f"sqlite:///{tmp_path / 'study.db'}")
    for trial in study.trials:
        assert runs[f"trial-{trial.number}"].scalars("intermediate_value").value.tolist() == [trial.params["x"]]
