"""ToposcopeCallback: records the trainings of CatBoost."""

import weakref
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from toposcope.recorder.frameworks.adapter_guard import guarded
from toposcope.recorder.frameworks.boosting.evaluations import Evaluation
from toposcope.recorder.frameworks.boosting.recording_callback import RecordingCallback
from toposcope.recorder.frameworks.catboost.running_training import RunningTraining, calling_training


class ToposcopeCallback(RecordingCallback):
    """Records the trainings of CatBoost and its estimators; see RecordingCallback.

        CatBoostClassifier().fit(x, y, eval_set=(x_valid, y_valid), callbacks=[ToposcopeCallback("runs/first")])

    The loss is that of the data "learn". With `metric_period` an iteration without evaluations has none of them. Of a
    model that is trained further (`init_model`), or from a snapshot, the steps continue after its iterations.

    CatBoost first calls its callbacks after the first iteration: a training that fails in it leaves a run only in a
    with statement. The lineage has the parameters that were passed, and at the end all of them.
    """

    _caller: "weakref.ref[Any] | None" = None
    """What calls the callbacks of the training that runs."""

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"_caller": None}

    def after_iteration(self, info: Any) -> bool:
        """Record an iteration; return whether the training goes on."""
        self._is_called = True
        return not self._record(info)

    @guarded
    def _record(self, info: Any) -> bool:
        """Record an iteration; return whether a callback requested the training to stop."""
        caller, training = calling_training()
        if self._caller is None or self._caller() is not caller:
            self._begin_run(training, info.iteration)
            self._caller = weakref.ref(caller)
            if training.model is not None:
                self._observe(caller, partial(self._end_or_fail, training))
        return self._end_iteration(self._new_evaluations(info.metrics), training.loss_name)

    def _begin_run(self, training: RunningTraining, iteration: int) -> None:
        iterations, rate = training.parameters.get("iterations"), training.parameters.get("learning_rate")
        self._lengths: dict[tuple[str, str], int] = {}
        self._begin(
            training.model,
            lambda: training.parameters,
            initial_step=training.initial_trees + iteration - 1,
            steps=training.initial_trees + iterations if isinstance(iterations, int) else None,
            learning_rate=None if rate is None else lambda: rate,
        )

    def _new_evaluations(self, metrics: Mapping[str, Mapping[str, Sequence[float]]]) -> Iterator[Evaluation]:
        """Yield the last values of the metrics that have been evaluated since the last iteration."""
        for data, values_of_metrics in metrics.items():
            for metric, values in values_of_metrics.items():
                if len(values) > self._lengths.get((data, metric), 0):
                    self._lengths[data, metric] = len(values)
                    yield Evaluation(data, metric, values[-1])

    def _end_or_fail(self, training: RunningTraining) -> None:
        if training.has_ended:
            self._record_parameters(lambda: _in_short(training.model.get_all_params()))
            self._end()
        else:
            self._fail_without_exception()


def _in_short(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters whose numbers of float32 are the shortest ones, 0.8 for 0.800000011920929."""
    return {
        name: float(str(np.float32(value))) if isinstance(value, float) and np.float32(value) == value else value
        for name, value in parameters.items()
    }
