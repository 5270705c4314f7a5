"""LearningRateScheduler: sets the learning rate with a function of the current learning rate and the step."""

from collections.abc import Callable

from toposcope.recorder.arguments import checked_number
from toposcope.recorder.callbacks.learning_rates import change_learning_rates, check_learning_rates
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.values.arrays.foreign_values import short_repr


class LearningRateScheduler(Callback):
    """Sets the learning rate of each parameter group after every step of a training.

        def decay(lr, cur_step_num):
            return lr * 0.1 if cur_step_num % 1000 == 0 else lr

        model.train(1, dataset, callbacks=[LearningRateScheduler(decay)])

    A relative change of less than 1e-10 is ignored, as in MindSpore's class.
    """

    runs_in_fit_evaluation: bool = False

    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        """Set the function of a group's learning rate and cur_step_num that returns its next learning rate.

        Raises:
            TypeError: learning_rate_function is not callable.
        """
        if not callable(learning_rate_function):
            raise TypeError(
                f"learning_rate_function must be a function of lr and step, not {short_repr(learning_rate_function)}."
            )
        self._function = learning_rate_function

    def on_train_begin(self, run_context: RunContext) -> None:
        """Check that there is a learning rate; ValueError if the optimizer provides none."""
        check_learning_rates(run_context.original_args(), "LearningRateScheduler")

    def step_end(self, run_context: RunContext) -> None:
        """Set the learning rates for the next step of a training.

        Raises:
            TypeError: the function did not return a number.
            ValueError: the function returned a number that is negative or not finite.
        """
        params = run_context.original_args()
        if params.get("mode") != "eval":
            change_learning_rates(params, lambda rate: self._next(rate, params.cur_step_num))

    def _next(self, rate: float, step: int) -> float:
        next_rate = checked_number("The result of learning_rate_function", self._function(rate, step))
        if next_rate < 0:
            raise ValueError(f"learning_rate_function({rate}, {step}) must not be negative, but is {next_rate}.")
        return next_rate
