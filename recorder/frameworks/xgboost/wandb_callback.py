"""WandbCallback of wandb.integration.xgboost: it records into the active run of the wandb-shaped front."""

import json
from collections.abc import Callable
from typing import Any

import xgboost

from toposcope.recorder import wandb
from toposcope.recorder.wandb.evaluated_metrics import define_best, log_feature_importance


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
        """Record the configuration."""
        wandb.config.update(json.loads(model.save_config()), allow_val_change=True)
        return model

    def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:
        """Log the metrics of an iteration; never end the training."""
        values = {
            f"{data}-{metric}": series[-1] for data, metrics in evals_log.items() for metric, series in metrics.items()
        }
        if self._defines:
            self._defines = False
            for name in values:
                define_best(name, name.rpartition("-")[2])
        wandb.log({**values, "epoch": epoch})
        return False

    def after_training(self, model: Any) -> Any:
        """Log the importance of features and the best iteration, and save the model."""
        if self._saves and wandb.run is not None:
            model.save_model(f"{wandb.run.dir}/{wandb.run.id}_model.json")
        if self._importance is not None:
            log_feature_importance(model.get_score(importance_type=self._importance))
        if (score := model.attr("best_score")) is not None:
            wandb.log({"best_score": float(score), "best_iteration": int(model.attr("best_iteration"))})
        return model


def wandb_callback() -> Callable[[Any], None]:
    """Return a callback of XGBoost's old interface."""

    def callback(environment: Any) -> None:
        wandb.log(dict(environment.evaluation_result_list))

    return callback
