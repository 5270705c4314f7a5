"""How much each hyperparameter matters for a metric: importance by a forest, and plain correlation beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from toposcope.server.reading.series import Float64s
from toposcope.server.runs.hyper_parameters import Value
from toposcope.server.runs.importance_columns import Column, Kind, Scale, columns_of
from toposcope.server.runs.importance_forest import importances

FEWEST_RUNS = 10
MOST_RUNS = 2_000
"""That the forests are fitted to; of more, so many by chance."""
MOST_PARAMETERS = 200
_FEWEST_CORRELATED = 3
_NO_BETTER = 0.0
_OVERWHELMING = 0.5
"""Share of one run in the variance of all."""
_MOST_NAMED = 3


@dataclass(frozen=True)
class Parameter:
    """What is known of one hyperparameter."""

    name: str
    importance: float | None
    """By how much R2 of the forest falls when the values are shuffled among the runs, for runs that it was not fitted
    to; about 0: of no use, and below it by chance. None: see the problem."""
    spread: float | None
    """Standard error of the importance over the runs."""
    pearson: float | None
    """Correlation with the metric, of numbers alone, on their scale, over the runs that have it."""
    spearman: float | None
    """The same of ranks."""
    distinct: int
    """Different values."""
    kind: Kind
    scale: Scale | None
    """On which it is correlated: log10 for positive numbers that span more than two decades; None for a category."""
    missing: int
    """Runs that have no value of it."""
    problem: str | None
    """Why it has no importance, or what to mind, a sentence."""


class Importance(NamedTuple):
    """What hyperparameters tell of a metric."""

    enough: bool
    """Whether there was enough for importances."""
    problem: str | None
    """Why there was not, or what to mind, in sentences."""
    score: float | None
    """R2 of a forest for runs that it was not fitted to: 1 is perfect, 0 no better than their mean."""
    parameters: list[Parameter]
    """The most important first."""


def importance(rows: Sequence[Mapping[str, Value]], metric: Sequence[float], seed: int = 0) -> Importance:
    """Return how much each hyperparameter matters.

    Args:
        rows: of each run its hyperparameters.
        metric: of each run a finite number.
        seed: the same gives the same answer.

    Raises:
        MissingExtraError: there is enough, but scikit-learn is not installed.
    """
    target = _standard(np.array(metric, np.float64))
    columns = columns_of(rows)
    parameters = [_described(column, target) for column in columns]
    problem = _too_little(target, columns)
    if problem:
        return Importance(False, problem, None, sorted(parameters, key=_by_correlation))
    problems = []
    sample = np.arange(len(target))
    if len(target) > MOST_RUNS:
        problems.append(f"It is of {MOST_RUNS} of the {len(target)} runs, chosen by chance.")
        sample = np.sort(np.random.default_rng(seed).choice(len(target), MOST_RUNS, replace=False))
    groups = _groups(columns)
    blocks = [columns[group[0]].features()[sample] for group in groups[:MOST_PARAMETERS]]
    found = importances(blocks, _standard(target[sample]), seed)
    for group, worth, spread in zip(groups, found.importance.tolist(), found.spread.tolist(), strict=False):
        for at in group:
            others = [columns[other].name for other in group if other != at]
            problem = _tied(others) if others else None
            parameters[at] = replace(parameters[at], importance=worth, spread=spread, problem=problem)
    for at in (at for group in groups[MOST_PARAMETERS:] for at in group):
        reason = f"More than {MOST_PARAMETERS} hyperparameters vary: this one is among those left out."
        parameters[at] = replace(parameters[at], problem=reason)
    if found.score <= _NO_BETTER:
        problems.append(
            "The hyperparameters do not tell what the metric will be: for runs that were held out, the forest "
            "does no better than the mean of the others."
        )
    if (target**2).max() > _OVERWHELMING * len(target):
        problems.append("One run is so far from all others that it alone decides.")
    return Importance(True, " ".join(problems) or None, found.score, sorted(parameters, key=_by_importance))


def _standard(values: Float64s) -> Float64s:
    """Return values of mean 0 and variance 1; zeros when they are all the same."""
    if not len(values) or values.min() == values.max():
        return np.zeros(len(values))
    scaled = values / np.abs(values).max()  # The squares of large ones would be infinite.
    scaled -= scaled.mean()
    standard: Float64s = scaled / scaled.std()
    return standard


def _described(column: Column, target: Float64s) -> Parameter:
    pearson = spearman = None
    present = column.codes >= 0
    is_told = column.kind == "number" and column.distinct > 1 and present.sum() >= _FEWEST_CORRELATED
    if is_told and np.ptp(target[present]):
        pearson = _correlation(column.numbers[present], target[present])
        spearman = _correlation(_ranks(column.codes[present]), _ranks(target[present]))
    return Parameter(
        column.name,
        None,
        None,
        pearson,
        spearman,
        column.distinct,
        column.kind,
        column.scale,
        column.missing,
        column.problem,
    )


def _correlation(one: Float64s, other: Float64s) -> float:
    return float(np.clip((_standard(one) * _standard(other)).mean(), -1, 1))


def _ranks(values: np.ndarray[tuple[int], np.dtype[np.generic]]) -> Float64s:
    """Return the rank of each value; equal ones have the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Float64s = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks


def _too_little(target: Float64s, columns: list[Column]) -> str | None:
    """Return why there is too little for importances, a sentence; None when there is enough."""
    if len(target) < FEWEST_RUNS:
        return (
            f"{len(target) or 'No'} run{' has' if len(target) == 1 else 's have'} both the metric and hyperparameters: "
            f"importance takes at least {FEWEST_RUNS}."
        )
    if not target.any():
        return "All runs have the same value of the metric."
    if all(column.problem for column in columns):
        return "No hyperparameter has values by which the runs could be told apart."
    return None


def _groups(columns: list[Column]) -> list[list[int]]:
    """Return the columns that tell runs apart, those together that do it alike; what most runs have comes first."""
    groups: dict[bytes, list[int]] = {}
    usable = [at for at, column in enumerate(columns) if not column.problem]
    for at in sorted(usable, key=lambda at: columns[at].missing):
        groups.setdefault(columns[at].identity, []).append(at)
    return list(groups.values())


def _tied(names: list[str]) -> str:
    """Return what to mind of a parameter that goes together with others, a sentence."""
    listed = ", ".join(repr(name) for name in names[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"It goes together with {listed}{more} in all runs: which of them matters cannot be told."


def _by_importance(parameter: Parameter) -> tuple[bool, float, str]:
    return parameter.importance is None, -(parameter.importance or 0.0), parameter.name


def _by_correlation(parameter: Parameter) -> tuple[bool, float, str]:
    return parameter.spearman is None, -abs(parameter.spearman or 0.0), parameter.name
