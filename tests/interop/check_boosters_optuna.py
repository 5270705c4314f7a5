"""Studies of Optuna that ToposcopeCallback records, compared with study.trials_dataframe()."""

import pickle
from pathlib import Path
from typing import Any

import cloudpickle
import optuna
import pytest
from support.documentation import examples, run_examples

from toposcope import server
from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.frameworks.optuna import ToposcopeCallback

optuna.logging.set_verbosity(optuna.logging.ERROR)


def objective(trial: Any) -> float:
    """Return a value after reporting some; the second of four trials is pruned, the fourth fails."""
    rate = trial.suggest_float("rate", 1e-3, 1e-1, log=True)
    kind = trial.suggest_categorical("kind", ["adam", None])
    units = trial.suggest_int("units", 2, 8, step=2)
    trial.set_user_attr("note", "first")
    trial.set_user_attr("api_token", "abc")
    for step in range(3):
        trial.report(rate * units / (step + 1), step * 10)
        if trial.number % 4 == 1 and step == 1:
            raise optuna.TrialPruned
        if trial.number % 4 == 3:
            raise ValueError("a full disk")
    return rate * units + (kind is None)


def new_study(**settings: Any) -> Any:
    """Return a study whose trials are always the same."""
    return optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0), **settings)


def runs_of(directory: Path) -> dict[int, Any]:
    """Return the runs by the number of their trial."""
    return {int(name.removeprefix("trial-")): run for name, run in server.open(directory).runs.items()}


def test_trials_are_those_of_the_dataframe(tmp_path: Path) -> None:
    """Each trial is a run with its parameters, its value and its state."""
    study = new_study()
    study.optimize(objective, n_trials=8, callbacks=[ToposcopeCallback(tmp_path)], catch=ValueError)

    runs, table = runs_of(tmp_path), study.trials_dataframe()
    assert sorted(runs) == list(table["number"])
    states = {"COMPLETE": "finished", "PRUNED": "interrupted", "FAIL": "failed"}
    for row in table.to_dict("records"):
        run = runs[row["number"]]
        lineage = run.lineage()
        assert lineage.custom["params/rate"] == row["params_rate"]
        assert lineage.custom["params/units"] == row["params_units"]
        assert lineage.custom["params/kind"] == (row["params_kind"] if row["params_kind"] == "adam" else "None")
        assert lineage.custom["trial/state"] == row["state"]
        assert lineage.custom["trial/seconds"] == pytest.approx(row["duration"].total_seconds())
        assert run.state.state == states[row["state"]]
        if row["state"] != "FAIL":
            assert lineage.metrics == {"value": row["value"]}
        else:
            assert not lineage.metrics
        points = run.scalars("intermediate_value")
        assert dict(zip(points.step.tolist(), points.value.tolist(), strict=True)) == (
            study.trials[row["number"]].intermediate_values
        )
    assert runs[3].state.error.text == "Trial 3 failed."


def test_distributions_attributes_and_study_are_lineage(tmp_path: Path) -> None:
    """They are texts that can be read; secrets are left out."""
    study = new_study(study_name="tuning", direction="maximize")
    study.optimize(objective, n_trials=1, callbacks=[ToposcopeCallback(tmp_path)])

    custom = runs_of(tmp_path)[0].lineage().custom
    assert custom["distributions/rate"] == "0.001 .. 0.1, log"
    assert custom["distributions/units"] == "2 .. 8, step 2"
    assert custom["distributions/kind"] == "adam | None"
    assert custom["user_attrs/note"] == "first"
    assert (custom["study/name"], custom["study/directions"]) == ("tuning", "maximize")
    assert custom["study/sampler"] == "RandomSampler"
    assert not [name for name in custom if "token" in name]
    assert not any(b"abc" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.parametrize("is_caught", [True, False], ids=["caught", "ends the study"])
def test_observed_failures_have_their_exception(tmp_path: Path, is_caught: bool) -> None:
    """A failed trial is recorded once, with what it had reported."""
    study, callback = new_study(), ToposcopeCallback(tmp_path)
    settings: dict[str, Any] = {"catch": ValueError} if is_caught else {}
    try:
        study.optimize(callback.observed(objective), n_trials=5, callbacks=[callback], **settings)
    except ValueError:
        assert not is_caught

    runs = runs_of(tmp_path)
    assert sorted(runs) == list(range(5 if is_caught else 4))
    state = runs[3].state
    assert (state.state, state.error.type, state.error.text) == ("failed", "ValueError", "a full disk")
    assert len(state.recordings) == 1
    assert runs[3].lineage().custom["trial/state"] == "FAIL"
    assert runs[3].lineage().custom["params/rate"] == study.trials[3].params["rate"]
    assert runs[3].scalars("intermediate_value").step.tolist() == [0]
    assert runs[1].state.state == "interrupted"


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
@pytest.mark.parametrize("names", [None, ["loss", "seconds"]])
def test_several_objectives_have_names(tmp_path: Path, names: list[str] | None) -> None:
    """Those of the study, otherwise numbers."""
    study = new_study(directions=["minimize", "maximize"])
    if names:
        study.set_metric_names(names)
    study.optimize(lambda trial: (0.5, trial.suggest_float("x", 2, 3)), 2, callbacks=[ToposcopeCallback(tmp_path)])

    first, second = names or ["value/0", "value/1"]
    for trial in study.trials:
        assert runs_of(tmp_path)[trial.number].lineage().metrics == {first: 0.5, second: trial.values[1]}


def test_continued_study_continues_the_runs(tmp_path: Path) -> None:
    """A study that is loaded numbers its trials on; a pickled callback records them."""
    storage = f"sqlite:///{tmp_path}/study.db"
    callback = ToposcopeCallback(tmp_path / "runs")
    for _ in range(2):
        study = new_study(storage=storage, study_name="tuning", load_if_exists=True)
        study.optimize(objective, n_trials=2, callbacks=[callback], catch=ValueError)
        callback = pickle.loads(pickle.dumps(callback))
    assert sorted(runs_of(tmp_path / "runs")) == [0, 1, 2, 3]


def test_threads_record_their_trials(tmp_path: Path) -> None:
    """With n_jobs each trial is a run of its own."""
    study, callback = new_study(), ToposcopeCallback(tmp_path)
    study.optimize(callback.observed(objective), n_trials=12, n_jobs=3, callbacks=[callback], catch=ValueError)

    runs = runs_of(tmp_path)
    assert sorted(runs) == list(range(12))
    for trial in study.trials:
        assert runs[trial.number].lineage().custom["params/rate"] == trial.params["rate"]


def test_training_and_trial_are_one_run(tmp_path: Path) -> None:
    """An objective records its training in the directory of the trial."""
    callback = ToposcopeCallback(tmp_path)

    def training(trial: Any) -> float:
        rate = trial.suggest_float("rate", 0.1, 0.2)
        quiet = {"collect_machine": False, "collect_code": False}
        directory = callback.directory_of(trial)
        with SummaryCollector(directory, collect_specified_data=quiet).watch(learning_rate=rate) as run:
            for step in range(4):
                run.step(rate / (step + 1))
                trial.report(rate / (step + 1), step + 1)
        return rate / 4

    study = new_study()
    study.optimize(training, n_trials=2, callbacks=[callback])
    for number, run in runs_of(tmp_path).items():
        assert run.scalars("loss/auto").value.tolist() == run.scalars("intermediate_value").value.tolist()
        assert run.lineage().custom["params/rate"] == study.trials[number].params["rate"]
        assert run.state.state == "finished"


@pytest.mark.parametrize("module", [pickle, cloudpickle])
def test_a_copy_records(tmp_path: Path, module: Any) -> None:
    """As an objective that other processes run is pickled."""
    callback = module.loads(module.dumps(ToposcopeCallback(tmp_path)))
    observed = module.loads(module.dumps(callback.observed(objective)))
    new_study().optimize(observed, n_trials=2, callbacks=[callback])
    assert sorted(runs_of(tmp_path)) == [0, 1]


def test_failure_to_record_does_not_end_the_study(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is logged for each trial."""
    callback = ToposcopeCallback(tmp_path)
    (tmp_path / "trial-0").write_text("a file in the place of a directory")
    study = new_study()
    study.optimize(objective, n_trials=3, callbacks=[callback])
    assert "Trial 0 is not recorded: NotADirectoryError" in caplog.text
    assert len(study.trials) == 3


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They record what the page says."""
    run_examples(examples("optuna.md"), "optuna.md", tmp_path, monkeypatch)
    assert sorted(runs_of(tmp_path / "runs/study")) == list(range(20))
    assert runs_of(tmp_path / "runs/trainings")[2].scalars("loss/auto").step.tolist() == list(range(1, 11))
