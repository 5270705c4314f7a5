"""Permutation importance by a random forest, computed out of bag."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from toposcope.server.reading.series.series import Float64s
from toposcope.server.runs.importance.columns import Floats

_MAX_TREES, _FEWEST_TREES = 200, 100
_RUNS_AND_TREES = 100_000
"""Runs times trees; fewer trees suffice if there are many runs."""
_FEWEST_SHUFFLES, _MAX_SHUFFLES = 1, 10
_RUNS_AND_SHUFFLES = 2000
"""Runs times shuffles; the fewer runs there are, the more the result depends on the permutation."""


class MissingExtraError(Exception):
    """scikit-learn is not installed."""


class Importances(NamedTuple):
    """Importance of each block of features."""

    score: float
    """R2 of the predictions, each by the trees that were not fitted to the run: 1 is perfect, 0 as good as the mean."""
    importance: Float64s
    """Decrease of R2 when the values of a block are shuffled among the runs; about 0 if it does not matter."""
    spread: Float64s
    """Standard error of each importance over the runs."""


def importances(blocks: Sequence[Floats], target: Float64s, seed: int) -> Importances:
    """Return how important each block of features is for a target.

    Every run is predicted only by the trees that were not fitted to it (out of bag; Breiman, Random Forests, 2001):
    once as it is, and once with the values of one block replaced by those of another run.

    Args:
        blocks: one or more, each of shape (runs, features).
        target: of variance 1, at least ten values.
        seed: of the random numbers.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    try:
        from sklearn.ensemble import RandomForestRegressor
    except ImportError as error:
        raise MissingExtraError from error
    features, count = np.hstack(blocks), len(target)
    ends = np.cumsum([block.shape[1] for block in blocks])
    columns = [slice(end - block.shape[1], end) for block, end in zip(blocks, ends, strict=True)]
    random = np.random.default_rng(seed)
    forest = RandomForestRegressor(
        _within(_FEWEST_TREES, _RUNS_AND_TREES // count, _MAX_TREES),
        min_samples_leaf=2,
        max_features=1 / 3,
        random_state=int(random.integers(2**31)),
    ).fit(features, target)
    shuffles = _within(_FEWEST_SHUFFLES, _RUNS_AND_SHUFFLES // count, _MAX_SHUFFLES)
    permutations = random.permuted(np.tile(np.arange(count), (len(blocks), shuffles, 1)), axis=2)
    trees, as_is = np.zeros(count), np.zeros(count)
    shuffled = np.zeros((len(blocks), shuffles, count))
    for tree, fitted in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        held_out = np.setdiff1d(np.arange(count), fitted)
        trees[held_out] += 1
        as_is[held_out] += tree.predict(features[held_out], check_input=False)
        changed = np.tile(features[held_out], (shuffles, 1))
        for block, where in enumerate(columns):
            before = changed[:, where].copy()
            changed[:, where] = features[permutations[block][:, held_out].ravel(), where]
            shuffled[block][:, held_out] += tree.predict(changed, check_input=False).reshape(shuffles, -1)
            changed[:, where] = before
    trees = np.maximum(trees, 1)
    loss = (as_is / trees - target) ** 2
    raised = ((shuffled / trees - target) ** 2).mean(1) - loss
    return Importances(1 - float(loss.mean()), raised.mean(1), raised.std(1, ddof=1) / np.sqrt(count))


def _within(least: int, value: int, most: int) -> int:
    return max(least, min(value, most))
