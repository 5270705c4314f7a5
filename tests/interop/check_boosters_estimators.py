"""Estimators of boosters with several classes, data sets and metrics, compared with what they report themselves."""

from pathlib import Path
from typing import Any

import catboost
import lightgbm
import numpy as np
import pytest
import xgboost
from sklearn.model_selection import cross_val_score
from support.recorded_run import run_in, scalars_of, tags_of

from toposcope.recorder.frameworks.catboost import ToposcopeCallback as CatBoostCallback
from toposcope.recorder.frameworks.lightgbm import ToposcopeCallback as LightGBMCallback
from toposcope.recorder.frameworks.xgboost import ToposcopeCallback as XGBoostCallback

pytestmark = pytest.mark.filterwarnings("ignore")
QUIET: dict[str, Any] = {"collect_specified_data": {"collect_machine": False, "collect_code": False}}
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(300, 4))
Y = (X[:, 0] + RANDOM.normal(size=300) > 0).astype(int) + (X[:, 1] > 0)
SETS = [(X[:200], Y[:200]), (X[200:], Y[200:])]


def check(directory: Path, reported: dict[str, dict[str, list[float]]]) -> None:
    """Check that the scalars are the reported metrics of each data set, and that the run ended."""
    tags = {tag for tag in tags_of(directory, "scalar") if tag.startswith("eval/")}
    assert tags == {f"eval/{data}/{metric}" for data, metrics in reported.items() for metric in metrics}
    for data, metrics in reported.items():
        for metric, values in metrics.items():
            recorded = scalars_of(directory, f"eval/{data}/{metric}")
            assert recorded == pytest.approx(dict(enumerate(map(float, values), 1)))
    assert run_in(directory).state.state == "finished"


def accuracy(labels: Any, predictions: Any) -> float:
    """Return a metric of the user."""
    return float((predictions.reshape(len(labels), -1).argmax(1) == labels).mean())


def test_xgboost(tmp_path: Path) -> None:
    """A classifier of three classes that stops early, with metrics of XGBoost, and one with a function."""
    metrics: list[Any] = [["mlogloss", "merror"], accuracy]
    for number, metric in enumerate(metrics):
        directory = tmp_path / str(number)
        model = xgboost.XGBClassifier(
            n_estimators=30,
            n_jobs=1,
            eval_metric=metric,
            early_stopping_rounds=2,
            callbacks=[XGBoostCallback(directory, **QUIET)],
        )
        model.fit(*SETS[0], eval_set=SETS, verbose=False)
        assert model.best_iteration < 29
        check(directory, model.evals_result())
        assert run_in(directory).lineage().custom["params/num_class"] == 3


def test_xgboost_cross_validation_with_early_stopping(tmp_path: Path) -> None:
    """Its table has the iterations up to the best one, the run all."""
    parameters = {"objective": "multi:softprob", "num_class": 3, "nthread": 1, "eta": 1}
    callback = XGBoostCallback(tmp_path, **QUIET)
    table = xgboost.cv(parameters, xgboost.DMatrix(X, Y), 50, 3, early_stopping_rounds=2, callbacks=[callback])

    recorded = list(scalars_of(tmp_path, "eval/test/mlogloss").values())
    assert len(recorded) < 50
    assert recorded[: len(table)] == list(table["test-mlogloss-mean"])
    assert run_in(tmp_path).state.state == "finished"


def test_an_estimator_that_is_fitted_for_each_fold_has_an_attempt_for_each(tmp_path: Path) -> None:
    """As scikit-learn's cross_val_score() fits it, with a warning."""
    model = xgboost.XGBClassifier(n_estimators=3, n_jobs=1, callbacks=[XGBoostCallback(tmp_path, **QUIET)])
    assert len(cross_val_score(model, X, Y, cv=3)) == 3
    assert run_in(tmp_path).attempts == 3


def test_lightgbm(tmp_path: Path) -> None:
    """A classifier of three classes that stops early, with named data sets and a metric of the user."""
    model = lightgbm.LGBMClassifier(n_estimators=50, learning_rate=1.0, verbosity=-1, n_jobs=1)
    callbacks = [LightGBMCallback(tmp_path, **QUIET), lightgbm.early_stopping(2, verbose=False)]
    metrics = ["multi_error", lambda labels, predictions: ("accuracy", accuracy(labels, predictions), True)]
    model.fit(*SETS[0], eval_set=SETS, eval_names=["train", "held out"], eval_metric=metrics, callbacks=callbacks)

    check(tmp_path, model.evals_result_)
    assert model.best_iteration_ < 50
    assert list(scalars_of(tmp_path, "loss/auto").values()) == model.evals_result_["train"]["multi_logloss"]


def test_catboost(tmp_path: Path) -> None:
    """A classifier of three classes that stops early, with further metrics, whose names have parameters."""
    model = catboost.CatBoostClassifier(
        iterations=50,
        learning_rate=0.8,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
        custom_metric=["AUC", "Accuracy"],
        early_stopping_rounds=2,
    )
    model.fit(*SETS[0], eval_set=SETS, callbacks=[CatBoostCallback(tmp_path, **QUIET)])

    check(tmp_path, model.get_evals_result())
    assert model.tree_count_ < 50
    assert list(scalars_of(tmp_path, "loss/auto").values()) == model.get_evals_result()["learn"]["MultiClass"]
    assert run_in(tmp_path).lineage().custom["params/learning_rate"] == 0.8


class Metric:
    """A metric of the user for CatBoost."""

    def is_max_optimal(self) -> bool:
        return True

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:
        return float(np.mean((np.asarray(approxes[0]) > 0) == np.asarray(target))), 1

    def get_final_error(self, error: float, weight: float) -> float:
        return error / weight


def test_catboost_with_a_metric_of_the_user(tmp_path: Path) -> None:
    """It has the name of its class."""
    model = catboost.CatBoostClassifier(iterations=4, verbose=False, allow_writing_files=False, eval_metric=Metric())
    model.fit(X, Y > 0, eval_set=(X, Y > 0), callbacks=[CatBoostCallback(tmp_path, **QUIET)])
    check(tmp_path, model.get_evals_result())
    assert "eval/validation/Metric" in tags_of(tmp_path, "scalar")


@pytest.mark.parametrize("library", ["xgboost", "lightgbm", "catboost"])
def test_a_training_that_fails_before_its_first_iteration_is_a_failed_run(tmp_path: Path, library: str) -> None:
    """If the callback is used in a with statement, as the libraries have not called it yet."""
    callbacks: dict[str, Any] = {"xgboost": XGBoostCallback, "lightgbm": LightGBMCallback, "catboost": CatBoostCallback}
    models: dict[str, Any] = {
        "xgboost": lambda callback: xgboost.XGBClassifier(tree_method="nothing", callbacks=[callback]).fit(X, Y),
        "lightgbm": lambda callback: lightgbm.LGBMClassifier(objective="nothing").fit(X, Y, callbacks=[callback]),
        "catboost": lambda callback: catboost.CatBoostClassifier(loss_function="no").fit(X, Y, callbacks=[callback]),
    }
    errors = (ValueError, lightgbm.basic.LightGBMError, catboost.CatBoostError)
    with pytest.raises(errors) as raised, callbacks[library](tmp_path, **QUIET) as callback:
        models[library](callback)
    state = run_in(tmp_path).state
    assert (state.state, state.error.type.split(".")[-1]) == ("failed", raised.type.__name__)
