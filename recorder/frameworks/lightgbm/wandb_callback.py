"""wandb_callback() of wandb.integration.lightgbm: it records into the active run of the wandb-shaped front."""

from collections.abc import Callable
from typing import Any

from toposcope.recorder import wandb
from toposcope.recorder.wandb.evaluated_metrics import define_best, log_feature_importance
from toposcope.recorder.wandb.reports import guarded


def wandb_callback(log_params: bool = True, define_metric: bool = True) -> Callable[[Any], None]:
    """Return a callback that logs the metrics of each iteration as "<data>_<metric>".

    Args:
        log_params: whether the parameters are recorded as configuration.
        define_metric: whether the summary contains the best value of each metric, not the last one.
    """

    @guarded
    def callback(environment: Any) -> None:
        values: dict[str, Any] = {}
        for data, metric, value, *others in environment.evaluation_result_list:
            if len(others) < 2:
                values[f"{data}_{metric}"] = value
            else:  # A cross-validation, whose metric contains the name of the data before LightGBM 4.
                name = "_".join(metric.split() if " " in metric else (data, metric))
                values |= {f"{name}-mean": value, f"{name}-stdv": others[1]}
        if environment.iteration == environment.begin_iteration:
            if log_params:
                wandb.config.update(environment.params, allow_val_change=True)
            for name in values if define_metric else ():
                define_best(name, name.partition("_")[2])
        wandb.log({**values, "iteration": environment.iteration})

    callback.order = 20  # type: ignore[attr-defined]  # After the evaluations are collected.
    return callback


@guarded
def log_summary(model: Any, feature_importance: bool = True, save_model_checkpoint: bool = False) -> None:
    """Record the best iteration and score in the summary, and the importance of each feature as a table.

    save_model_checkpoint saves the model in the directory of the run.
    """
    if wandb.run is None:
        return
    wandb.run.summary["best_iteration"] = model.best_iteration
    wandb.run.summary["best_score"] = model.best_score
    if feature_importance:
        importance = dict(zip(model.feature_name(), model.feature_importance(), strict=True))
        log_feature_importance(importance, commit=False)
    if save_model_checkpoint:
        model.save_model(f"{wandb.run.dir}/model_ckpt_{model.best_iteration}.txt")
