"""The callbacks of wandb.integration for XGBoost and LightGBM record what the libraries themselves report."""

from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import pytest
import xgboost
from support.recorded_run import run_in, scalars_of, text_of

from toposcope.recorder import wandb


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """Return samples and classes; runs are in the directory of the test."""
    monkeypatch.chdir(tmp_path)
    samples = np.random.default_rng(0).normal(size=(200, 4))
    return samples, (samples[:, 0] > 0).astype(int)


def test_xgboost(data: tuple[Any, Any], tmp_path: Path) -> None:
    """The metrics of each iteration, the best one, the configuration, the importance of features and the model."""
    results: dict[str, Any] = {}
    train = xgboost.DMatrix(*data)
    with wandb.init() as run:
        xgboost.train(
            {"objective": "binary:logistic", "eval_metric": ["logloss", "auc"], "max_depth": 2},
            train,
            num_boost_round=6,
            evals=[(train, "train")],
            evals_result=results,
            early_stopping_rounds=3,
            verbose_eval=False,
            callbacks=[wandb.xgboost.WandbCallback(log_model=True)],
        )
    for metric in ("logloss", "auc"):
        assert scalars_of(tmp_path, f"train-{metric}") == dict(enumerate(results["train"][metric]))
    assert list(scalars_of(tmp_path, "epoch").values()) == list(range(len(results["train"]["auc"])))
    lineage = run_in(tmp_path).lineage()
    assert lineage.metrics["train-auc.max"] == max(results["train"]["auc"])
    assert lineage.metrics["train-logloss.min"] == min(results["train"]["logloss"])
    assert lineage.custom["learner.objective.name"] == "binary:logistic"
    assert "| f0 |" in text_of(tmp_path, "Feature Importance")
    assert (Path(run.dir) / f"{run.id}_model.json").is_file()


def test_cross_validation_of_xgboost(data: tuple[Any, Any], tmp_path: Path) -> None:
    """Means and deviations of each iteration are those that cv() returns; the configuration is that of a fold."""
    with wandb.init():
        results = xgboost.cv(
            {"objective": "binary:logistic", "eval_metric": ["logloss", "auc"], "max_depth": 2},
            xgboost.DMatrix(*data),
            num_boost_round=4,
            nfold=3,
            as_pandas=False,
            callbacks=[wandb.xgboost.WandbCallback()],
        )
    for name in ("test-logloss-mean", "test-logloss-std", "train-auc-mean"):
        assert list(scalars_of(tmp_path, name).values()) == results[name]
    lineage = run_in(tmp_path).lineage()
    assert lineage.metrics["test-logloss-mean.min"] == min(results["test-logloss-mean"])
    assert lineage.custom["learner.objective.name"] == "binary:logistic"


def test_errors_of_recording_end_no_training(data: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A model without a configuration that can be read is trained all the same."""
    monkeypatch.delattr(xgboost.Booster, "save_config")
    with wandb.init():
        model = xgboost.train({}, xgboost.DMatrix(*data), 3, callbacks=[wandb.xgboost.WandbCallback()])
    assert model.num_boosted_rounds() == 3


def test_lightgbm(data: tuple[Any, Any], tmp_path: Path) -> None:
    """The metrics of each iteration and of a cross-validation; log_summary() of the trained model."""
    results: dict[str, Any] = {}
    train = lightgbm.Dataset(*data)
    parameters = {"objective": "binary", "metric": ["binary_logloss", "auc"], "verbosity": -1, "num_leaves": 4}
    callbacks = [wandb.lightgbm.wandb_callback(), lightgbm.record_evaluation(results)]
    with wandb.init() as run:
        model = lightgbm.train(parameters, train, 5, valid_sets=[train], valid_names=["own set"], callbacks=callbacks)
        wandb.lightgbm.log_summary(model, save_model_checkpoint=True)
        folds = lightgbm.cv(parameters, train, 2, nfold=2, callbacks=[wandb.lightgbm.wandb_callback(log_params=False)])
    for metric in ("binary_logloss", "auc"):
        assert scalars_of(tmp_path, f"own set_{metric}") == dict(enumerate(results["own set"][metric]))
        assert list(scalars_of(tmp_path, f"valid_{metric}-mean").values()) == folds[f"valid {metric}-mean"]
    lineage = run_in(tmp_path).lineage()
    assert lineage.metrics["own set_auc.max"] == max(results["own set"]["auc"])
    assert lineage.custom["num_leaves"] == 4
    assert (Path(run.dir) / f"model_ckpt_{model.best_iteration}.txt").is_file()
    assert "| Column_0 |" in text_of(tmp_path, "Feature Importance")
