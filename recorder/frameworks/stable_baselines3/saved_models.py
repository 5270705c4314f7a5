"""SavedModels: reports the models that callbacks of Stable-Baselines3 save during a training."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback, CallbackList, CheckpointCallback, EvalCallback

Report = Callable[[str, str | None], None]
"""Called with the path of a model, and its score as a text or None."""


class SavedModels:
    """Observes the CheckpointCallbacks and EvalCallbacks of a training, until stop()."""

    def __init__(self, callback: Any, report: Report) -> None:
        """Observe the callbacks of a training; *callback* is the one that contains them."""
        self._observed = [each for each in _contained(callback) if isinstance(each, CheckpointCallback | EvalCallback)]
        for each in self._observed:
            step = _step_of_checkpoints if isinstance(each, CheckpointCallback) else _step_of_evaluations
            vars(each)["_on_step"] = partial(step, each, each._on_step, report)

    def stop(self) -> None:
        """Leave the callbacks as they were."""
        for each in self._observed:
            vars(each).pop("_on_step", None)
        self._observed = []


def _contained(callback: Any) -> Iterator[BaseCallback]:
    if isinstance(callback, CallbackList):
        for each in callback.callbacks:
            yield from _contained(each)
    elif isinstance(callback, BaseCallback):
        yield callback
        for name in ("callback", "callback_on_new_best"):
            yield from _contained(getattr(callback, name, None))


def _step_of_checkpoints(callback: Any, on_step: Callable[[], bool], report: Report) -> bool:
    is_going_on = on_step()
    if callback.n_calls % callback.save_freq == 0:
        report(callback._checkpoint_path(extension="zip"), None)
    return is_going_on


def _step_of_evaluations(callback: Any, on_step: Callable[[], bool], report: Report) -> bool:
    best = callback.best_mean_reward
    is_going_on = on_step()
    if callback.best_mean_reward != best and callback.best_model_save_path is not None:
        path = os.path.join(callback.best_model_save_path, "best_model.zip")
        report(path, f"eval/mean_reward: {callback.best_mean_reward:g}")
    return is_going_on
