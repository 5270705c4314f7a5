"""Evaluations of a boosting iteration: the metrics of each data set, by the names under which they are recorded."""

from collections.abc import Iterable
from typing import NamedTuple

_TRAINING_DATA = frozenset(("train", "training", "learn"))
_LOSSES = frozenset(
    (
        # XGBoost
        *("logloss", "mlogloss", "rmse", "rmsle", "mae", "mape", "mphe", "quantile", "expectile"),
        *("poisson-nloglik", "gamma-nloglik", "gamma-deviance", "cox-nloglik", "aft-nloglik"),
        # LightGBM
        *("l1", "l2", "huber", "fair", "poisson", "gamma", "gamma_deviance", "tweedie", "binary_logloss"),
        *("multi_logloss", "cross_entropy", "cross_entropy_lambda", "kullback_leibler"),
    )
)
"""Metrics that are losses, unlike the accuracy or the area under a curve."""


class Evaluation(NamedTuple):
    """One metric of one data set after an iteration; in a cross-validation its mean over the folds."""

    data: str
    metric: str
    value: float
    deviation: float | None = None
    """The standard deviation over the folds of a cross-validation."""


def named_results(evaluations: Iterable[Evaluation]) -> dict[str, float]:
    """Return the values by "<data>/<metric>", and the deviations by "<data>/<metric>_std"."""
    results: dict[str, float] = {}
    for each in evaluations:
        name = f"{each.data}/{each.metric}"
        results[name] = float(each.value)
        if each.deviation is not None:
            results[f"{name}_std"] = float(each.deviation)
    return results


def training_loss(evaluations: Iterable[Evaluation], name: str | None) -> float | None:
    """Return the loss of an iteration; None if it is unknown.

    Args:
        evaluations: of the iteration.
        name: "<data>/<metric>" of the loss. None: the first metric of the data "train", "training" or "learn" that is
            known to be a loss; a metric of the user is not.
    """
    for each in evaluations:
        if name == f"{each.data}/{each.metric}":
            return float(each.value)
        if name is None and each.data in _TRAINING_DATA and _is_loss(each.metric):
            return float(each.value)
    return None


def _is_loss(metric: str) -> bool:
    # Parameters follow: "tweedie-nloglik@1.5".
    return metric in _LOSSES or metric.startswith("tweedie-nloglik")
