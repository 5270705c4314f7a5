"""ReduceLROnPlateau: reduces the learning rate when a training no longer improves."""

from toposcope.recorder.arguments import checked_bool, checked_integer, checked_number
from toposcope.recorder.callbacks.learning_rates import change_learning_rates, check_learning_rates
from toposcope.recorder.callbacks.monitored_value import MonitoredValue, checked_goal
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext


class ReduceLROnPlateau(Callback):
    """Multiplies the learning rate of each parameter group by a factor after epochs without improvement.

    Differences from MindSpore's class: "loss" is that of the whole epoch, not of its last step; a monitored value of
    zero is valid; parameter groups keep their proportions; a missing value is logged once; a missing learning rate is
    an error before the first epoch.
    """

    runs_in_fit_evaluation: bool = False
    wait: int
    """Epochs since the last improvement or reduction."""
    cooldown_counter: int
    """Remaining epochs of the cooldown."""
    best: float
    """The best value so far."""

    def __init__(
        self,
        monitor: str = "eval_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        """Set the monitored value, the patience and the reduction.

        Args:
            monitor: "loss" is the mean training loss of the epoch, "last_loss" that of its last step; "eval_loss" and
                metric names are results of the evaluation in fit().
            factor: factor of a reduction, between 0 and 1.
            patience: epochs without improvement after which the learning rates are reduced.
            verbose: whether to print the new learning rates.
            mode: "min": smaller is better; "max": larger is better; "auto": by the words of
                the name; with a warning and "max" if they do not say.
            min_delta: minimum change that is an improvement; its sign is ignored.
            cooldown: epochs after a reduction in which no epoch without improvement is counted.
            min_lr: lower bound of reduced learning rates.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: mode is another str, factor is not between 0 and 1, or a number is negative or not finite.
        """
        self._monitored = MonitoredValue(monitor, "ReduceLROnPlateau")
        self._factor = checked_number("factor", factor)
        if not 0 < self._factor < 1:
            raise ValueError(f"factor must be between 0 and 1, not {factor!r}.")
        self._patience = checked_integer("patience", patience, lowest=0)
        self._is_verbose = checked_bool("verbose", verbose)
        self._goal = checked_goal(monitor, mode, min_delta)
        self._cooldown = checked_integer("cooldown", cooldown, lowest=0)
        self._min_lr = checked_number("min_lr", min_lr)
        if self._min_lr < 0:
            raise ValueError(f"min_lr must not be negative, but is {min_lr!r}.")
        self._reset()

    def on_train_begin(self, run_context: RunContext) -> None:
        """Reset the state of an earlier training; ValueError if the optimizer provides no learning rate."""
        check_learning_rates(run_context.original_args(), "ReduceLROnPlateau")
        self._reset()

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Add the loss of the step, if the training loss is monitored."""
        self._monitored.add_step(run_context.original_args())

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Compare the value with the best one, and reduce the learning rates after too many without improvement."""
        params = run_context.original_args()
        value = self._monitored.value(params)
        if value is None:
            return
        if self.cooldown_counter:
            self.cooldown_counter -= 1
            self.wait = 0
        if self._goal.is_better(value, self.best):
            self.best, self.wait = value, 0
            return
        if self.cooldown_counter:
            return
        self.wait += 1
        if self.wait >= self._patience:
            rates = change_learning_rates(params, self._reduced)
            if rates and self._is_verbose:
                distinct_rates = ", ".join(str(rate) for rate in sorted(set(rates), reverse=True))
                epoch = params.get("cur_epoch_num", 1)
                print(f"Epoch {epoch:05d}: ReduceLROnPlateau reducing learning rate to {distinct_rates}.", flush=True)
            self.cooldown_counter, self.wait = self._cooldown, 0

    def _reduced(self, rate: float) -> float:
        """Return the next learning rate; one that is already below min_lr is unchanged."""
        return max(rate * self._factor, self._min_lr) if rate > self._min_lr else rate

    def _reset(self) -> None:
        self._monitored.begin()
        self.wait, self.cooldown_counter, self.best = 0, 0, self._goal.worst
