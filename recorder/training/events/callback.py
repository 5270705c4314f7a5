"""Callback: hooks at the start and end of trainings, evaluations, epochs and steps, in the style of MindSpore."""

from types import TracebackType
from typing import TYPE_CHECKING, Any

from toposcope.recorder.training.events.run_context import RunContext

if TYPE_CHECKING:
    from toposcope.recorder.training.state.state import State

LEGACY_HOOKS = ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")


class Callback:
    """Override the on_train_... and on_eval_... methods that you need; each takes a RunContext.

        class PrintInfo(Callback):
            def on_train_step_end(self, run_context):
                print("step", run_context.original_args().cur_step_num)

    A callback is a context manager around each training and each evaluation: __enter__ may return another Callback to
    be used in its place, and __exit__ receives the exception, if one was raised. The six legacy hooks (begin,
    epoch_begin, ..., end) are called by the corresponding on_train_... and on_eval_... methods, in training and
    evaluation alike; fit() rejects a callback that overrides one of them.
    """

    runs_in_fit_evaluation: bool = True
    """Whether the callback also takes part in (is entered and called for) the evaluations inside fit(). Most built-in
    callbacks set it to False; a user's subclass of one takes part as soon as it defines an on_eval_... hook."""

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if not cls.__module__.startswith("toposcope.") and "runs_in_fit_evaluation" not in vars(cls):
            cls.runs_in_fit_evaluation |= any(name.startswith("on_eval_") for name in vars(cls))

    def __enter__(self) -> "Callback":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Run last, also after an exception."""

    def restore_training(self, state: "State") -> None:
        """Restore an interrupted training, before its first hook and before its steps are counted.

        MindSpore's class does not have this method. It may load the state of the model and the optimizers of *state*,
        and set its initial_epoch.
        """

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
        """Run once before training."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Run before each epoch."""
        self.epoch_begin(run_context)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Run before each step; cur_step_num already counts it."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Run after each step; net_outputs is set."""
        self.step_end(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Run after each epoch, in fit() after its evaluation, with metrics and eval_results set."""
        self.epoch_end(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        """Run once after training, unless an exception was raised."""
        self.end(run_context)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Run once before evaluation."""
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        """Run once after on_eval_begin()."""
        self.epoch_begin(run_context)

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        """Run before each step of an evaluation."""
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Run after each step of an evaluation; net_outputs is set."""
        self.step_end(run_context)

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        """Run once before on_eval_end(); the metrics are not set yet."""
        self.epoch_end(run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        """Run once after an evaluation; metrics is set."""
        self.end(run_context)


def legacy_hooks_of(callback: Callback) -> list[str]:
    """Return the legacy hooks that the user's classes define; built-in callbacks may define them."""
    user_classes = [kind for kind in type(callback).__mro__ if not kind.__module__.startswith("toposcope.")]
    return [hook for hook in LEGACY_HOOKS if any(hook in vars(kind) for kind in user_classes)]
