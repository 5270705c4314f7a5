"""RunningTraining: the training of CatBoost that calls a callback, found in the frames of the call."""

import sys
from types import FrameType
from typing import Any, NamedTuple

from toposcope.recorder.frameworks.boosting.recording_callback import RecordingCallback

_TRAIN = "_train"


class RunningTraining(NamedTuple):
    """What a callback does not receive; None or empty where unknown."""

    model: Any
    parameters: dict[str, Any]
    initial_model: Any
    """The model that is trained further."""
    result_before: Any
    """An object that the end of a training replaces by another one."""

    @property
    def has_ended(self) -> bool:
        """Whether the training has reached its end, also by early stopping: not by an exception."""
        return _result_of(self.model) is not self.result_before

    @property
    def initial_trees(self) -> int:
        """The trees of the model that is trained further."""
        return int(getattr(self.initial_model, "tree_count_", None) or 0)

    @property
    def loss_name(self) -> str | None:
        """The name of the metric that is the loss of the training data; None for a function of the user."""
        name = self.parameters.get("loss_function")
        return f"learn/{name}" if isinstance(name, str) else None


def calling_training() -> tuple[Any, RunningTraining]:
    """Return what calls the caller of this function, an object that lives as long as the training, and the training."""
    frame: FrameType | None = sys._getframe(1)
    caller = None
    while frame is not None and frame.f_code.co_name != _TRAIN:
        if caller is None and not isinstance(found := frame.f_locals.get("self"), RecordingCallback):
            caller = found
        frame = frame.f_back
    values = {} if frame is None else frame.f_locals
    model, parameters = values.get("self"), values.get("params")
    parameters = dict(parameters) if isinstance(parameters, dict) else {}
    parameters.pop("callbacks", None)
    return caller, RunningTraining(model, parameters, values.get("init_model"), _result_of(model))


def _result_of(model: Any) -> Any:
    # A float, which is another object after each training.
    return getattr(model, "_learning_rate", None)
