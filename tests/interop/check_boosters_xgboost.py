"""Trainings of XGBoost that ToposcopeCallback records, compared with what XGBoost reports itself."""

import pickle
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xgboost
from sklearn.base import clone
from support.documentation import examples, run_examples
from support.recorded_run import run_in, scalars_of, tags_of, texts_of
from xgboost.callback import LearningRateScheduler, TrainingCallback

from toposcope.recorder.callbacks import Callback, EarlyStopping, LambdaCallback
from toposcope.recorder.frameworks.xgboost import ToposcopeCallback

PARAMETERS = {"objective": "binary:logistic", "max_depth": 2, "eta": 0.3, "nthread": 1}
QUIET = {"collect_specified_data": {"collect_machine": False, "collect_code": False}}


def arrays() -> tuple[Any, Any]:
    """Return samples and labels, which are noisy."""
    random = np.random.default_rng(0)
    x = random.normal(size=(300, 4))
    return x, (x[:, 0] + random.normal(size=300) > 0).astype(int)


def data() -> dict[str, Any]:
    """Return the arguments of xgboost.train() that are data."""
    x, y = arrays()
    train, valid = xgboost.DMatrix(x[:200], y[:200]), xgboost.DMatrix(x[200:], y[200:])
    return {"dtrain": train, "evals": [(train, "train"), (valid, "valid")], "verbose_eval": False}


def recording(directory: Path, **settings: Any) -> ToposcopeCallback:
    """Return a callback that records what is cheap."""
    return ToposcopeCallback(directory, **(QUIET | settings))


class Raising(TrainingCallback):
    """Raises an error in an iteration."""

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        if epoch == 3:
            raise ValueError("a full disk")
        return False


class StopAt3(Callback):
    """Requests a stop after the third step."""

    def on_train_step_end(self, run_context: Any) -> None:
        if run_context.original_args().cur_step_num == 3:
            run_context.request_stop()


def test_values_are_those_of_evals_result(tmp_path: Path) -> None:
    """Each metric of each data set is recorded once an iteration; the loss is that of the training data."""
    results: dict[str, Any] = {}
    parameters = PARAMETERS | {"eval_metric": ["auc", "logloss"]}
    xgboost.train(parameters, num_boost_round=7, evals_result=results, callbacks=[recording(tmp_path)], **data())

    for name in ("train", "valid"):
        for metric in ("auc", "logloss"):
            points = run_in(tmp_path).scalars(f"eval/{name}/{metric}", attempt="all")
            assert points.step.tolist() == [1, 2, 3, 4, 5, 6, 7]
            assert points.value.tolist() == results[name][metric]
    assert list(scalars_of(tmp_path, "loss/auto").values()) == results["train"]["logloss"]
    lineage = run_in(tmp_path).lineage()
    assert lineage.metrics["valid/auc"] == results["valid"]["auc"][-1]
    assert (lineage.hyper_parameters["epoch"], lineage.model["network"]) == (7, "Booster")
    assert run_in(tmp_path).state.state == "finished"


def test_loss_can_be_named_or_unknown(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Without an evaluation that is the loss, none is recorded."""
    results: dict[str, Any] = {}
    callbacks = [recording(tmp_path / "named", loss="valid/auc")]
    parameters = PARAMETERS | {"eval_metric": "auc"}
    xgboost.train(parameters, num_boost_round=3, evals_result=results, callbacks=callbacks, **data())
    assert list(scalars_of(tmp_path / "named", "loss/auto").values()) == results["valid"]["auc"]

    xgboost.train(PARAMETERS, data()["dtrain"], 3, callbacks=[recording(tmp_path / "none")])
    assert tags_of(tmp_path / "none", "scalar") == ["learning_rate", "throughput/steps_per_second"]
    assert not caplog.records


def test_parameters_are_lineage(tmp_path: Path) -> None:
    """They are those that the booster has, with its defaults; none of them is a metric."""
    settings = {"custom_lineage_data": {"params/max_depth": 9}}
    xgboost.train(PARAMETERS, num_boost_round=2, callbacks=[recording(tmp_path, **settings)], **data())

    custom = run_in(tmp_path).lineage().custom
    assert custom["params/learning_rate"] == 0.3
    assert custom["params/objective"] == "binary:logistic"
    assert custom["params/min_child_weight"] == 1
    assert custom["params/max_depth"] == 9
    assert "params/eta" not in custom
    assert {tag.split("/")[0] for tag in tags_of(tmp_path, "scalar")} == {
        "eval",
        "learning_rate",
        "loss",
        "throughput",
    }


def test_learning_rate_is_the_one_that_the_iteration_used(tmp_path: Path) -> None:
    """A scheduler of XGBoost changes that of the next iteration."""
    rates = [0.2, 0.1, 0.05, 0.025]
    callbacks = [LearningRateScheduler(rates), recording(tmp_path)]
    xgboost.train(PARAMETERS, num_boost_round=4, callbacks=callbacks, **data())

    assert list(scalars_of(tmp_path, "learning_rate").values()) == pytest.approx([0.3, 0.2, 0.1, 0.05])
    assert run_in(tmp_path).lineage().hyper_parameters["learning_rate"] == pytest.approx(0.3)


@pytest.mark.parametrize("is_first", [True, False], ids=["before early stopping", "after early stopping"])
def test_early_stopping_is_an_end(tmp_path: Path, is_first: bool) -> None:
    """The last iteration is recorded in any order of the callbacks, also those that save_best removes."""
    results: dict[str, Any] = {}
    callbacks: list[Any] = [xgboost.callback.EarlyStopping(rounds=2, data_name="valid", save_best=True)]
    callbacks.insert(0 if is_first else 1, recording(tmp_path))
    model = xgboost.train(PARAMETERS, num_boost_round=500, evals_result=results, callbacks=callbacks, **data())

    assert model.num_boosted_rounds() < len(results["valid"]["logloss"]) < 500
    assert list(scalars_of(tmp_path, "eval/valid/logloss").values()) == results["valid"]["logloss"]
    assert run_in(tmp_path).state.state == "finished"


def test_cross_validation_records_means_and_deviations(tmp_path: Path) -> None:
    """They are those of the table that cv() returns."""
    parameters = PARAMETERS | {"eval_metric": "logloss"}
    table = xgboost.cv(parameters, data()["dtrain"], 5, nfold=4, callbacks=[recording(tmp_path)])

    for name in ("train", "test"):
        assert list(scalars_of(tmp_path, f"eval/{name}/logloss").values()) == list(table[f"{name}-logloss-mean"])
        assert list(scalars_of(tmp_path, f"eval/{name}/logloss_std").values()) == list(table[f"{name}-logloss-std"])
    assert list(scalars_of(tmp_path, "loss/auto").values()) == list(table["train-logloss-mean"])
    assert run_in(tmp_path).lineage().custom["params/folds"] == 4


def test_continued_training_continues_the_steps(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With xgb_model the steps follow the iterations of the model; without, an earlier run is named."""
    first, second = {}, {}  # type: dict[str, Any], dict[str, Any]
    callback = recording(tmp_path)
    model = xgboost.train(PARAMETERS, num_boost_round=4, evals_result=first, callbacks=[callback], **data())
    xgboost.train(PARAMETERS, num_boost_round=3, evals_result=second, callbacks=[callback], xgb_model=model, **data())

    losses = scalars_of(tmp_path, "loss/auto")
    assert list(losses) == [1, 2, 3, 4, 5, 6, 7]
    assert list(losses.values()) == first["train"]["logloss"] + second["train"]["logloss"]
    assert not caplog.records
    xgboost.train(PARAMETERS, num_boost_round=2, callbacks=[callback], **data())
    assert "contains an earlier training, up to step 7" in caplog.text


def test_checkpoints_are_recorded_at_their_steps(tmp_path: Path) -> None:
    """Of a TrainingCheckPoint in any order, also of a model that is trained further."""
    saving = xgboost.callback.TrainingCheckPoint(tmp_path, name="saved", interval=3)
    callback = recording(tmp_path / "run")
    model = xgboost.train(PARAMETERS, num_boost_round=7, callbacks=[callback, saving], **data())
    saving = xgboost.callback.TrainingCheckPoint(tmp_path, name="saved", interval=1, as_pickle=True)
    xgboost.train(PARAMETERS, num_boost_round=2, callbacks=[saving, callback], xgb_model=model, **data())

    saved = {4: ["saved_3.ubj"], 7: ["saved_6.ubj"], 9: ["saved_8.pkl"]}
    assert texts_of(tmp_path / "run", "checkpoint") == saved
    steps = [xgboost.Booster(model_file=tmp_path / f"saved_{i}.ubj").num_boosted_rounds() for i in (3, 6)]
    assert steps == [4, 7]


def test_handled_exception_is_a_failure(tmp_path: Path) -> None:
    """Its text is recorded in a with statement; without one the run counts as failed when the training is gone."""
    with pytest.raises(ValueError, match="a full disk"), recording(tmp_path / "with") as callback:
        xgboost.train(PARAMETERS, num_boost_round=9, callbacks=[callback, Raising()], **data())
    state = run_in(tmp_path / "with").state
    assert (state.state, state.error.type, state.error.text) == ("failed", "ValueError", "a full disk")
    assert list(scalars_of(tmp_path / "with", "loss/auto")) == [1, 2, 3, 4]

    callback = recording(tmp_path / "without")
    with suppress(ValueError):
        xgboost.train(PARAMETERS, num_boost_round=9, callbacks=[callback, Raising()], **data())
    state = run_in(tmp_path / "without").state
    assert state.state == "failed"
    assert "with an exception that the program handled" in state.error.text


@pytest.mark.parametrize(
    ("statement", "state", "error"),
    [
        ("raise ValueError('a full disk')", "failed", "ValueError"),
        ("raise KeyboardInterrupt", "interrupted", "KeyboardInterrupt"),
        ("sys.exit(3)", "interrupted", "SystemExit"),
    ],
)
def test_what_ends_the_program_is_recorded(tmp_path: Path, statement: str, state: str, error: str) -> None:
    """It is found although callbacks are not called."""
    program = f"""
import sys; sys.path[:0] = ['tests', 'tests/interop']
from check_boosters_xgboost import *
class Ending(TrainingCallback):
    def before_iteration(self, model, epoch, evals_log):
        if epoch == 3:
            {statement}
def main():
    xgboost.train(PARAMETERS, num_boost_round=9, callbacks=[recording(Path(sys.argv[1])), Ending()], **data())
main()
"""
    subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, check=False)
    run = run_in(tmp_path)
    assert (run.state.state, run.state.error.type) == (state, error)
    assert list(scalars_of(tmp_path, "loss/auto")) == [1, 2, 3]


def test_our_callbacks_work(tmp_path: Path) -> None:
    """An iteration is a step and an epoch; a callback that requests a stop ends the training."""
    epochs: list[int] = []
    ours = [
        LambdaCallback(on_train_epoch_end=lambda context: epochs.append(context.original_args().cur_epoch_num)),
        EarlyStopping("valid/logloss", mode="min", patience=2),
    ]
    results: dict[str, Any] = {}
    callbacks = [recording(tmp_path, callbacks=ours)]
    xgboost.train(PARAMETERS, num_boost_round=500, evals_result=results, callbacks=callbacks, **data())

    losses = results["valid"]["logloss"]
    assert len(losses) < 500
    assert losses.index(min(losses)) == len(losses) - 3
    assert epochs == list(range(1, len(losses) + 1))
    assert len(scalars_of(tmp_path, "loss/auto")) == len(losses)


def test_estimators_are_recorded_and_cloned(tmp_path: Path) -> None:
    """A clone of an estimator, and a pickled callback, have the settings."""
    x, y = arrays()
    classifier = xgboost.XGBClassifier(n_estimators=5, n_jobs=1, callbacks=[recording(tmp_path / "first")])
    classifier.fit(x, y, eval_set=[(x, y)], verbose=False)
    losses = classifier.evals_result()["validation_0"]["logloss"]
    assert list(scalars_of(tmp_path / "first", "eval/validation_0/logloss").values()) == losses

    clone(classifier).fit(x, y, eval_set=[(x, y)], verbose=False)
    assert run_in(tmp_path / "first").attempts == 2
    copy = pickle.loads(pickle.dumps(recording(tmp_path / "second")))
    xgboost.train(PARAMETERS, num_boost_round=3, callbacks=[copy], **data())
    assert len(scalars_of(tmp_path / "second", "loss/auto")) == 3


def test_only_rank_0_records(tmp_path: Path) -> None:
    """All processes of a distributed training have the same evaluations, and stop at the same iteration."""
    tracker = xgboost.tracker.RabitTracker(n_workers=2, host_ip="127.0.0.1")
    tracker.start()
    program = (
        "import sys; sys.path[:0] = ['tests', 'tests/interop']; from check_boosters_xgboost import *\n"
        "with xgboost.collective.CommunicatorContext(**eval(sys.argv[2])):\n"
        "    callbacks = [recording(Path(sys.argv[1]), callbacks=[StopAt3()])]\n"
        "    model = xgboost.train(PARAMETERS, num_boost_round=9, callbacks=callbacks, **data())\n"
        "assert model.num_boosted_rounds() == 3"
    )
    arguments = [sys.executable, "-c", program, str(tmp_path), repr(tracker.worker_args())]
    processes = [subprocess.Popen(arguments) for _ in range(2)]
    assert [process.wait(60) for process in processes] == [0, 0]

    run = run_in(tmp_path)
    assert len(run.state.recordings) == 1
    assert list(scalars_of(tmp_path, "loss/auto")) == [1, 2, 3]


def test_wrong_settings_are_rejected(tmp_path: Path) -> None:
    """They name what was expected, before the training."""
    with pytest.raises(TypeError, match="colect_freq"):
        ToposcopeCallback(tmp_path, colect_freq=3)
    with pytest.raises(TypeError, match="loss must be"):
        ToposcopeCallback(tmp_path, loss=3)  # type: ignore[arg-type]


def test_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They record what the page says."""
    run_examples(examples("xgboost.md"), "xgboost.md", tmp_path, monkeypatch)
    assert len(scalars_of(tmp_path / "runs/first", "eval/valid/logloss")) == 150
