"""Callback: hooks at the beginning and the end of trainings, evaluations, epochs and steps; MindSpore's style."""

from types import TracebackType
from typing import Any

from toposcope.recorder.training.run_context import RunContext

LEGACY_HOOKS = ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")


class Callback:
    """Override what you need of the methods on_train_... and on_eval_..., all of which take a RunContext.

        class PrintInfo(Callback):
            def on_train_step_end(self, run_context):
                print("step", run_context.original_args().cur_step_num)

    A callback is a context manager around each training and each evaluation: __enter__ may return another Callback to
    be used in its place, and __exit__ is told the exception, if there was one. The six legacy hooks (begin,
    epoch_begin, ..., end) are called by the others in training and evaluation alike; fit() refuses a callback that
    overrides one.
    """

    runs_in_fit_evaluation: bool = True
    """Whether the evaluations inside fit() call it, and enter it, too. Few of ours want that; a class of the user's own
    does, and one that is made from ours as soon as it has a hook on_eval_... of its own."""

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if not cls.__module__.startswith("toposcope.") and "runs_in_fit_evaluation" not in vars(cls):
            cls.runs_in_fit_evaluation |= any(name.startswith("on_eval_") for name in vars(cls))

    def __enter__(self) -> "Callback":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Act last, also when the training raised."""

    def begin(self, run_context: RunContext) -> None:
        """Legacy: called by on_train_begin() and on_eval_begin()."""

    def epoch_begin(self, run_context: RunContext) -> None:
        """Legacy: called by on_train_epoch_begin() and on_eval_epoch_begin()."""

    def step_begin(self, run_context: RunContext) -> None:
        """Legacy: called by on_train_step_begin() and on_eval_step_begin()."""

    def step_end(self, run_context: RunContext) -> None:
        """Legacy: called by on_train_step_end() and on_eval_step_end()."""

    def epoch_end(self, run_context: RunContext) -> None:
        """Legacy: called by on_train_epoch_end() and on_eval_epoch_end()."""

    def end(self, run_context: RunContext) -> None:
        """Legacy: called by on_train_end() and on_eval_end()."""

    def on_train_begin(self, run_context: RunContext) -> None:
        """Act once before a training."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Act before each epoch."""
        self.epoch_begin(run_context)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Act before each step; cur_step_num counts it already."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Act after each step, with net_outputs."""
        self.step_end(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Act after each epoch, and in fit() after its evaluation, with metrics and eval_results."""
        self.epoch_end(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        """Act once after a training that raised nothing."""
        self.end(run_context)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Act once before an evaluation."""
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        """Act once after on_eval_begin()."""
        self.epoch_begin(run_context)

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        """Act before each step of an evaluation."""
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Act after each step of an evaluation, with net_outputs."""
        self.step_end(run_context)

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        """Act once before on_eval_end(), when no metrics are known yet."""
        self.epoch_end(run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        """Act once after an evaluation, with metrics."""
        self.end(run_context)


def legacy_hooks_of(callback: Callback) -> list[str]:
    """Return the legacy hooks that a class of the user's own defines; ours may, as users call those by name."""
    own = [kind for kind in type(callback).__mro__ if not kind.__module__.startswith("toposcope.")]
    return [hook for hook in LEGACY_HOOKS if any(hook in vars(kind) for kind in own)]
