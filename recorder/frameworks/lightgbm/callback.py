"""ToposcopeCallback: records the trainings of LightGBM."""

import os
import sys
from functools import partial
from types import FrameType
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.frameworks.adapter_guard import guarded
from toposcope.recorder.frameworks.boosting.recording_callback import RecordingCallback
from toposcope.recorder.frameworks.lightgbm.environment import (
    evaluations_of,
    is_distributed,
    is_first_machine,
    learning_rate_of,
)
from toposcope.recorder.training.events.callback_list import CallbackList


class ToposcopeCallback(RecordingCallback):
    """Records the trainings of lightgbm.train() and of its estimators, and cross-validations; see RecordingCallback.

        lightgbm.train(parameters, data, valid_sets=[data, valid], callbacks=[ToposcopeCallback("runs/first")])

    If a model is trained further (`init_model`), the steps continue after its iterations. Of several machines only
    the first one records, as all of them have the same evaluations; stops that callbacks of ours request are ignored.

    LightGBM first calls its callbacks after the first iteration: a training that fails in it leaves a run only in a
    with statement.
    """

    def __init__(
        self,
        summary_dir: str | os.PathLike[str],
        *,
        loss: str | None = None,
        callbacks: CallbackList = None,
        **settings: Any,
    ) -> None:
        super().__init__(summary_dir, loss=loss, callbacks=callbacks, **settings)
        # Attributes of the object, as LightGBM sets those that an object does not have. Early stopping has the order 30
        # and raises an exception: an iteration is recorded before that.
        self.order, self.before_iteration = 25, False
        self._rate: float | None = None

    def __call__(self, env: Any) -> None:
        """Record an iteration; the first one begins a run, the last one ends it."""
        self._is_called = True
        if self._record(env):
            from lightgbm.callback import EarlyStopException

            raise EarlyStopException(env.iteration, env.evaluation_result_list or [])

    @guarded
    def _record(self, env: Any) -> bool:
        """Record an iteration; return whether it ends the training early."""
        if not is_first_machine(env.params):
            return False
        self._rate = learning_rate_of(env.params)
        if env.iteration == env.begin_iteration:
            self._begin_run(env)
        is_stopping = self._end_iteration(evaluations_of(env.evaluation_result_list))
        if env.iteration + 1 == env.end_iteration:
            self._end()
        elif is_stopping and is_distributed(env.params):
            log.warn("%s: a callback requested a stop, which several machines ignore.", self._summary_dir)
        elif is_stopping:
            self._end()
            return True
        return False

    def _begin_run(self, env: Any) -> None:
        self._begin(
            env.model,
            lambda: env.params | _folds(env.model),
            initial_step=env.begin_iteration,
            steps=env.end_iteration,
            learning_rate=None if self._rate is None else lambda: self._rate,
        )
        if (callbacks := self._callbacks_of_training()) is not None:
            self._observe(callbacks, partial(self._end_or_fail, env.model))

    def _callbacks_of_training(self) -> Any:
        """Return the set of callbacks that the training has as a local variable; None if there is none."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            for each in list(frame.f_locals.values()):
                if type(each) is set and self in each:
                    return each
            frame = frame.f_back
        return None

    def _end_or_fail(self, model: Any) -> None:
        """End the run of a training that did not reach its last iteration: by early stopping or an exception."""
        if model.best_iteration > 0:
            self._end()
        else:
            self._fail_without_exception()


def _folds(model: Any) -> dict[str, int]:
    boosters = getattr(model, "boosters", None)
    return {"folds": len(boosters)} if isinstance(boosters, list) else {}
