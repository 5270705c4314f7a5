"""How much each hyperparameter matters for a metric: importance by a random forest, and correlation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from toposcope.server.reading.series.series import Float64s
from toposcope.server.runs.importance.columns import Column, Kind, Scale, columns_of
from toposcope.server.runs.importance.forest import importances
from toposcope.server.runs.parameters.hyper_parameters import Value

FEWEST_RUNS = 10
MAX_RUNS = 2_000
"""That a forest is fitted to; if there are more, a random sample of this size."""
MAX_PARAMETERS = 200
_FEWEST_CORRELATED = 3
_NO_BETTER = 0.0
_OVERWHELMING = 0.5
"""Share of one run in the variance of all runs."""
_MAX_NAMED = 3


@dataclass(frozen=True)
class Parameter:
    """Statistics of one hyperparameter."""

    name: str
    importance: float | None
    """Decrease of the forest's out-of-bag R2 when the values are shuffled among the runs; 0 or slightly negative if the
    hyperparameter does not matter. None: see `problem`."""
    spread: float | None
    """Standard error of the importance over the runs."""
    pearson: float | None
    """Correlation with the metric over the runs that have a value, on its scale; numbers only."""
    spearman: float | None
    """The same for ranks."""
    distinct: int
    """Number of different values."""
    kind: Kind
    scale: Scale | None
    """Scale of the correlation: log10 for positive numbers that span more than two decades; None for a category."""
    missing: int
    """Number of runs without a value."""
    problem: str | None
    """Why it has no importance, or a caveat; a sentence."""


class Importance(NamedTuple):
    """How much the hyperparameters of runs matter for a metric."""

    enough: bool
    """Whether there were enough runs and values for importances."""
    problem: str | None
    """Why there were not, or caveats; in sentences."""
    score: float | None
    """Out-of-bag R2 of the forest: 1 is perfect, 0 no better than the mean."""
    parameters: list[Parameter]
    """The most important first."""


def importance(rows: Sequence[Mapping[str, Value]], metric: Sequence[float], seed: int = 0) -> Importance:
    """Return how much each hyperparameter matters.

    Args:
        rows: the hyperparameters of each run.
        metric: a finite number for each run.
        seed: of the random numbers.

    Raises:
        MissingExtraError: there are enough runs, but scikit-learn is not installed.
    """
    target = _standard(np.array(metric, np.float64))
    columns = columns_of(rows)
    parameters = [_parameter(column, target) for column in columns]
    problem = _find_obstacle(target, columns)
    if problem:
        return Importance(False, problem, None, sorted(parameters, key=_by_correlation))
    problems = []
    sample = np.arange(len(target))
    if len(target) > MAX_RUNS:
        problems.append(f"Computed from a random sample of {MAX_RUNS} of the {len(target)} runs.")
        sample = np.sort(np.random.default_rng(seed).choice(len(target), MAX_RUNS, replace=False))
    groups = _groups(columns)
    blocks = [columns[group[0]].features()[sample] for group in groups[:MAX_PARAMETERS]]
    forest = importances(blocks, _standard(target[sample]), seed)
    for group, value, spread in zip(groups, forest.importance.tolist(), forest.spread.tolist(), strict=False):
        for at in group:
            tied = [columns[other].name for other in group if other != at]
            problem = _tied(tied) if tied else None
            parameters[at] = replace(parameters[at], importance=value, spread=spread, problem=problem)
    for at in (at for group in groups[MAX_PARAMETERS:] for at in group):
        reason = f"More than {MAX_PARAMETERS} hyperparameters vary, and this one was left out."
        parameters[at] = replace(parameters[at], problem=reason)
    if forest.score <= _NO_BETTER:
        problems.append(
            "The hyperparameters do not predict the metric: for held-out runs, the forest is no better than the mean "
            "of the other runs."
        )
    if (target**2).max() > _OVERWHELMING * len(target):
        problems.append("One run is so far from all others that it dominates the result.")
    return Importance(True, " ".join(problems) or None, forest.score, sorted(parameters, key=_by_importance))


def _standard(values: Float64s) -> Float64s:
    """Return values standardised to mean 0 and variance 1; zeros if they are all equal."""
    if not len(values) or values.min() == values.max():
        return np.zeros(len(values))
    scaled = values / np.abs(values).max()  # The squares of large values would overflow.
    scaled -= scaled.mean()
    standard: Float64s = scaled / scaled.std()
    return standard


def _parameter(column: Column, target: Float64s) -> Parameter:
    pearson = spearman = None
    present = column.codes >= 0
    is_correlated = column.kind == "number" and column.distinct > 1 and present.sum() >= _FEWEST_CORRELATED
    if is_correlated and np.ptp(target[present]):
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


def _correlation(x: Float64s, y: Float64s) -> float:
    return float(np.clip((_standard(x) * _standard(y)).mean(), -1, 1))


def _ranks(values: np.ndarray[tuple[int], np.dtype[np.generic]]) -> Float64s:
    """Return the rank of each value; equal values have the mean of their ranks."""
    _, positions, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Float64s = (np.cumsum(counts) - (counts - 1) / 2)[positions]
    return ranks


def _find_obstacle(target: Float64s, columns: list[Column]) -> str | None:
    """Return a sentence about why importances cannot be computed; None if they can."""
    if len(target) < FEWEST_RUNS:
        return (
            f"{len(target) or 'No'} run{' has' if len(target) == 1 else 's have'} both the metric and hyperparameters: "
            f"importance requires at least {FEWEST_RUNS}."
        )
    if not target.any():
        return "All runs have the same value of the metric."
    if all(column.problem for column in columns):
        return "No hyperparameter has values that distinguish the runs."
    return None


def _groups(columns: list[Column]) -> list[list[int]]:
    """Return the columns that distinguish runs, those that do so equally in one group; the most complete first."""
    groups: dict[bytes, list[int]] = {}
    usable = [at for at, column in enumerate(columns) if not column.problem]
    for at in sorted(usable, key=lambda at: columns[at].missing):
        groups.setdefault(columns[at].identity, []).append(at)
    return list(groups.values())


def _tied(names: list[str]) -> str:
    """Return a sentence about a parameter that varies together with others."""
    listed = ", ".join(repr(name) for name in names[:_MAX_NAMED])
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return f"It varies together with {listed}{more} in all runs: which of them matters is unknown."


def _by_importance(parameter: Parameter) -> tuple[bool, float, str]:
    return parameter.importance is None, -(parameter.importance or 0.0), parameter.name


def _by_correlation(parameter: Parameter) -> tuple[bool, float, str]:
    return parameter.spearman is None, -abs(parameter.spearman or 0.0), parameter.name
