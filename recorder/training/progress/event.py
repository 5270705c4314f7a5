"""Event: the forty moments of a training at which callbacks are called, as in Composer."""

from enum import StrEnum


class Event(StrEnum):
    """A moment of a training; members are listed in the order in which they occur.

    Names and values are those of `composer.core.Event`; `Event("EPOCH_START")` ignores case.
    """

    INIT = "init"
    BEFORE_LOAD = "before_load"
    AFTER_LOAD = "after_load"
    FIT_START = "fit_start"
    ITERATION_START = "iteration_start"
    EPOCH_START = "epoch_start"
    BEFORE_DATALOADER = "before_dataloader"
    AFTER_DATALOADER = "after_dataloader"
    BATCH_START = "batch_start"
    BEFORE_TRAIN_BATCH = "before_train_batch"
    BEFORE_FORWARD = "before_forward"
    AFTER_FORWARD = "after_forward"
    BEFORE_LOSS = "before_loss"
    AFTER_LOSS = "after_loss"
    BEFORE_BACKWARD = "before_backward"
    AFTER_BACKWARD = "after_backward"
    AFTER_TRAIN_BATCH = "after_train_batch"
    BATCH_END = "batch_end"
    BATCH_CHECKPOINT = "batch_checkpoint"
    EPOCH_END = "epoch_end"
    EPOCH_CHECKPOINT = "epoch_checkpoint"
    ITERATION_END = "iteration_end"
    ITERATION_CHECKPOINT = "iteration_checkpoint"
    FIT_END = "fit_end"
    EVAL_BEFORE_ALL = "eval_before_all"
    EVAL_START = "eval_start"
    EVAL_BATCH_START = "eval_batch_start"
    EVAL_BEFORE_FORWARD = "eval_before_forward"
    EVAL_AFTER_FORWARD = "eval_after_forward"
    EVAL_BATCH_END = "eval_batch_end"
    EVAL_END = "eval_end"
    EVAL_AFTER_ALL = "eval_after_all"
    EVAL_STANDALONE_START = "eval_standalone_start"
    EVAL_STANDALONE_END = "eval_standalone_end"
    PREDICT_START = "predict_start"
    PREDICT_BATCH_START = "predict_batch_start"
    PREDICT_BEFORE_FORWARD = "predict_before_forward"
    PREDICT_AFTER_FORWARD = "predict_after_forward"
    PREDICT_BATCH_END = "predict_batch_end"
    PREDICT_END = "predict_end"

    @classmethod
    def _missing_(cls, value: object) -> "Event | None":
        return next((event for event in cls if isinstance(value, str) and value.lower() == event.value), None)

    @property
    def is_before_event(self) -> bool:
        """Whether the event marks the beginning of something whose end is another event."""
        return self.value.startswith("before_") or "_before_" in self.value or self.value.endswith("_start")

    @property
    def is_after_event(self) -> bool:
        """Whether the event marks the end of something whose beginning is another event."""
        return self.value.startswith("after_") or "_after_" in self.value or self.value.endswith("_end")

    @property
    def canonical_name(self) -> str:
        """What begins or ends, the same for both events of a pair: "epoch" for EPOCH_START and EPOCH_END."""
        name = self.value.removesuffix("_start").removesuffix("_end")
        return name.replace("before_", "").replace("after_", "")

    @property
    def is_eval(self) -> bool:
        """Whether this is an event of an evaluation."""
        return self.value.startswith("eval")

    @property
    def is_predict(self) -> bool:
        """Whether this is an event of a prediction."""
        return self.value.startswith("predict")
