"""WandbCallback of wandb.integration.xgboost: it records into the active run of the wandb-shaped front."""

import json
from typing import Any

import xgboost

from toposcope.recorder import wandb
from toposcope.recorder.wandb.evaluated_metrics import define_best, log_feature_importance
from toposcope.recorder.wandb.reports import guarded


class WandbCallback(xgboost.callback.TrainingCallback):
    """Logs the metrics of each iteration as "<data>-<metric>", the configuration and the importance of features."""

    def __init__(
        self,
        log_model: bool = False,
        log_feature_importance: bool = True,
        importance_type: str = "gain",
        define_metric: bool = True,
    ) -> None:
        """Set what to log.

        Args:
            log_model: whether the model is saved in the directory of the run.
            log_feature_importance: whether a table of the importance of each feature is logged.
            importance_type: see Booster.get_score().
            define_metric: whether the summary contains the best value of each metric, not the last one.
        """
        super().__init__()
        self._saves, self._importance = log_model, importance_type if log_feature_importance else None
        self._defines = define_metric

    def before_training(self, model: Any) -> Any:
        """Record the configuration, in a cross-validation that of the first fold."""
        self._record_config(model)
        return model

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        """Log the metrics of an iteration; never end the training."""
        self._log(epoch, evals_log)
        return False

    def after_training(self, model: Any) -> Any:
        """Log the importance of features and the best iteration, and save the model; not of a cross-validation."""
        if not hasattr(model, "cvfolds"):
            self._log_model(model)
        return model

    @guarded
    def _record_config(self, model: Any) -> None:
        booster = model.cvfolds[0].bst if hasattr(model, "cvfolds") else model
        wandb.config.update(json.loads(booster.save_config()), allow_val_change=True)

    @guarded
    def _log(self, epoch: int, evals_log: Any) -> None:
        values: dict[str, float] = {}
        for data, metrics in evals_log.items():
            for metric, series in metrics.items():
                name = f"{data}-{metric}"
                if isinstance(series[-1], tuple):  # The mean and the deviation of a cross-validation.
                    values[f"{name}-mean"], values[f"{name}-std"] = series[-1]
                    name = f"{name}-mean"
                else:
                    values[name] = series[-1]
                if self._defines:
                    define_best(name, metric)
        self._defines = False
        wandb.log({**values, "epoch": epoch})

    @guarded
    def _log_model(self, model: Any) -> None:
        if self._saves and wandb.run is not None:
            model.save_model(f"{wandb.run.dir}/{wandb.run.id}_model.json")
        if self._importance is not None:
            log_feature_importance(model.get_score(importance_type=self._importance))
        if (score := model.attr("best_score")) is not None:
            wandb.log({"best_score": float(score), "best_iteration": int(model.attr("best_iteration"))})
