"""What the callbacks of boosters have in common: which metrics are better when they are larger, and their summary."""

from collections.abc import Mapping
from typing import Any

from toposcope.recorder.wandb.active_run import define_metric, log
from toposcope.recorder.wandb.media.table import Table
from toposcope.recorder.wandb.plot import bar

_LOWER = {"rmse", "rmsle", "mae", "mape", "mphe", "error", "merror", "l1", "l2", "huber", "fair", "poisson", "gamma"}
_HIGHER = {"auc", "aucpr", "ndcg", "map", "average_precision", "ndcg@n", "map@n"}


def define_best(name: str, metric: str) -> None:
    """Let the summary of a metric contain its best value, if it is known what that is."""
    if "loss" in metric.lower() or metric.lower() in _LOWER:
        define_metric(name, summary="min")
    elif metric.lower() in _HIGHER:
        define_metric(name, summary="max")


def log_feature_importance(importance: Mapping[str, Any], *, commit: bool = True) -> None:
    """Log the importance of each feature as a table."""
    table = Table(columns=["Feature", "Importance"], data=[list(item) for item in importance.items()])
    log({"Feature Importance": bar(table, "Feature", "Importance")}, commit=commit)
