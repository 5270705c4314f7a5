"""ToposcopeCallback: records the trainings of XGBoost."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

from xgboost import collective
from xgboost.callback import CallbackContainer, EarlyStopping, EvaluationMonitor, TrainingCallback, TrainingCheckPoint

from toposcope.recorder.frameworks.adapter_guard import guarded, guarded_hooks
from toposcope.recorder.frameworks.boosting.evaluations import Evaluation
from toposcope.recorder.frameworks.boosting.recording_callback import RecordingCallback
from toposcope.recorder.frameworks.xgboost.booster_settings import booster_settings, learning_rate_of
from toposcope.recorder.frameworks.xgboost.checkpoints import Checkpoints


@guarded_hooks("before_iteration", "after_iteration")
class ToposcopeCallback(RecordingCallback, TrainingCallback):
    """Records the trainings of xgboost.train() and of its estimators, and cross-validations; see RecordingCallback.

        xgboost.train(params, data, evals=[(data, "train"), (valid, "valid")], callbacks=[ToposcopeCallback("runs/x")])

    If a model is trained further (`xgb_model`), the steps continue after its iterations. In a distributed training
    only the process of rank 0 records, as all of them have the same evaluations. The position among the callbacks does
    not matter: an iteration whose callbacks were not all called, because another one ended the training, is recorded at
    the end.

    `checkpoint` is the name of each file that a TrainingCheckPoint saves, at its last iteration.
    """

    _checkpoints = Checkpoints(())
    """Those of the training that runs."""

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_checkpoints": Checkpoints(())}

    def before_training(self, model: Any) -> Any:
        """Begin a run."""
        self._iterations = 0
        self._checkpoints = Checkpoints(())
        self._begin_run(model)
        self._is_called = True
        return model

    @guarded
    def _begin_run(self, model: Any) -> None:
        if collective.get_rank() != 0:
            return
        folds = getattr(model, "cvfolds", None)
        booster = model if folds is None else folds[0].bst
        container, rounds = _trainer()
        initial_step = booster.num_boosted_rounds()
        rate = learning_rate_of(booster)
        is_constant = all(type(each) in _KEEP_RATE for each in getattr(container, "callbacks", [None]))
        self._begin(
            booster,
            lambda: booster_settings(booster) | ({} if folds is None else {"folds": len(folds)}),
            initial_step=initial_step,
            steps=None if rounds is None else initial_step + rounds,
            learning_rate=None if rate is None else lambda: rate if is_constant else learning_rate_of(booster),
        )
        if container is not None:
            self._checkpoints = Checkpoints(container.callbacks)
            self._observe(container, self._fail_without_exception)

    def before_iteration(self, model: Any, epoch: int, evals_log: Mapping[str, Any]) -> bool:
        """Begin an iteration, when all callbacks of the last one have been called."""
        self._record_checkpoints(self._checkpoints.saved_in(epoch - 1))
        self._begin_iteration()
        return False

    def after_iteration(self, model: Any, epoch: int, evals_log: Mapping[str, Any]) -> bool:
        """Record an iteration; return whether a callback requested the training to stop."""
        self._iterations += 1
        is_stopping = self._end_iteration(_evaluations(evals_log, -1))
        if (
            self._settings.callbacks and collective.is_distributed()
        ):  # All processes have to stop at the same iteration.
            return bool(collective.broadcast(is_stopping, 0))
        return is_stopping

    def after_training(self, model: Any) -> Any:
        """End the run."""
        self._end_run()
        return model

    @guarded
    def _end_run(self) -> None:
        container, _ = _trainer()
        for number in range(self._iterations, _length(getattr(container, "history", {}))):
            self._end_iteration(_evaluations(container.history, number))
        iterations = max(self._iterations, _length(getattr(container, "history", {})))
        self._record_checkpoints(self._checkpoints.saved_in(iterations - 1))
        self._end()


_KEEP_RATE = (ToposcopeCallback, EarlyStopping, EvaluationMonitor, TrainingCheckPoint)
"""The callbacks that do not change the learning rate, which takes a tenth of a millisecond to read."""


def _trainer() -> tuple[Any, int | None]:
    """Return what calls the callbacks of a training, and the planned iterations; None where unknown."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not isinstance(container := frame.f_locals.get("self"), CallbackContainer):
        frame = frame.f_back
    if frame is None or frame.f_back is None:
        return None, None
    rounds = frame.f_back.f_locals.get("num_boost_round")
    return container, rounds if type(rounds) is int else None


def _evaluations(log: Mapping[str, Mapping[str, Sequence[Any]]], number: int) -> Iterator[Evaluation]:
    """Yield the evaluations of an iteration, which are pairs of a mean and a deviation in a cross-validation."""
    for data, metrics in log.items():
        for metric, values in metrics.items():
            value, deviation = values[number] if isinstance(values[number], tuple) else (values[number], None)
            yield Evaluation(data, metric, value, deviation)


def _length(log: Mapping[str, Mapping[str, Sequence[Any]]]) -> int:
    return max((len(values) for metrics in log.values() for values in metrics.values()), default=0)
