"""Permutation importance by a random forest, told from the runs that each tree was not fitted to."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from toposcope.server.reading.series import Float64s
from toposcope.server.runs.importance_columns import Floats

_MOST_TREES, _FEWEST_TREES = 200, 100
_RUNS_AND_TREES = 100_000
"""A forest has fewer trees when there are many runs: each tree then says more."""
_FEWEST_SHUFFLES, _MOST_SHUFFLES = 1, 10
_RUNS_AND_SHUFFLES = 2000
"""The fewer runs there are, the more it matters which values are exchanged."""


class MissingExtraError(Exception):
    """scikit-learn is not installed."""


class Importances(NamedTuple):
    """What each block of features is worth."""

    score: float
    """R2 of the predictions, each by trees that were not fitted to the run: 1 is perfect, 0 no better than the mean."""
    importance: Float64s
    """By how much R2 falls when the values of a block are shuffled among the runs; about 0: it is of no use."""
    spread: Float64s
    """Standard error of each over the runs."""


def importances(blocks: Sequence[Floats], target: Float64s, seed: int) -> Importances:
    """Return what each block of features tells of a target.

    Every run is predicted by those trees alone that were not fitted to it (out-of-bag): as it is, and with the values
    of one block replaced by those of another run.

    Args:
        blocks: one or more, each a row a run.
        target: of variance 1, ten or more.
        seed: the same gives the same answer.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    try:
        from sklearn.ensemble import RandomForestRegressor
    except ImportError as error:
        raise MissingExtraError from error
    features, count = np.hstack(blocks), len(target)
    ends = np.cumsum([block.shape[1] for block in blocks])
    places = [slice(end - block.shape[1], end) for block, end in zip(blocks, ends, strict=True)]
    random = np.random.default_rng(seed)
    forest = RandomForestRegressor(
        _within(_FEWEST_TREES, _RUNS_AND_TREES // count, _MOST_TREES),
        min_samples_leaf=2,
        max_features=1 / 3,
        random_state=int(random.integers(2**31)),
    ).fit(features, target)
    shuffles = _within(_FEWEST_SHUFFLES, _RUNS_AND_SHUFFLES // count, _MOST_SHUFFLES)
    others = random.permuted(np.tile(np.arange(count), (len(blocks), shuffles, 1)), axis=2)
    trees, as_is = np.zeros(count), np.zeros(count)
    shuffled = np.zeros((len(blocks), shuffles, count))
    for tree, fitted in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        held = np.setdiff1d(np.arange(count), fitted)
        trees[held] += 1
        as_is[held] += tree.predict(features[held], check_input=False)
        changed = np.tile(features[held], (shuffles, 1))
        for block, place in enumerate(places):
            before = changed[:, place].copy()
            changed[:, place] = features[others[block][:, held].ravel(), place]
            shuffled[block][:, held] += tree.predict(changed, check_input=False).reshape(shuffles, -1)
            changed[:, place] = before
    trees = np.maximum(trees, 1)
    loss = (as_is / trees - target) ** 2
    raised = ((shuffled / trees - target) ** 2).mean(1) - loss
    return Importances(1 - float(loss.mean()), raised.mean(1), raised.std(1, ddof=1) / np.sqrt(count))


def _within(least: int, value: int, most: int) -> int:
    return max(least, min(value, most))
