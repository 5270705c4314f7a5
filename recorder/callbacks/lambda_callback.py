"""LambdaCallback: a callback composed of functions."""

from collections.abc import Callable

from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.values.arrays.foreign_values import short_repr

Hook = Callable[[RunContext], object]
"""A function of the RunContext; its return value is ignored."""


class LambdaCallback(Callback):
    """Calls its functions, each with the RunContext.

        LambdaCallback(epoch_end=lambda run_context: print("loss:", run_context.original_args().net_outputs))

    The first six are called in training and evaluation alike, like the legacy hooks of a Callback. A function for a
    specific hook, such as on_train_epoch_end, is called there in place of the legacy one.
    """

    runs_in_fit_evaluation: bool = False

    def __init__(
        self,
        epoch_begin: Hook | None = None,
        epoch_end: Hook | None = None,
        step_begin: Hook | None = None,
        step_end: Hook | None = None,
        begin: Hook | None = None,
        end: Hook | None = None,
        *,
        on_train_epoch_begin: Hook | None = None,
        on_train_epoch_end: Hook | None = None,
        on_train_step_begin: Hook | None = None,
        on_train_step_end: Hook | None = None,
        on_train_begin: Hook | None = None,
        on_train_end: Hook | None = None,
        on_eval_epoch_begin: Hook | None = None,
        on_eval_epoch_end: Hook | None = None,
        on_eval_step_begin: Hook | None = None,
        on_eval_step_end: Hook | None = None,
        on_eval_begin: Hook | None = None,
        on_eval_end: Hook | None = None,
    ) -> None:
        """Set the functions, each for the hook of its name; None: no function.

        Raises:
            TypeError: an argument is neither None nor callable.
        """
        # The arguments have the names of the hooks.
        hooks = {name: hook for name, hook in locals().items() if name != "self" and not name.startswith("_")}
        for name, hook in hooks.items():
            if hook is not None and not callable(hook):
                raise TypeError(f"{name} must be a function of the run_context or None, not {short_repr(hook)}.")
            if hook is not None:
                setattr(self, name, hook)
        self.runs_in_fit_evaluation = any(hook and name.startswith("on_eval_") for name, hook in hooks.items())
