"""ReduceLROnPlateau: makes the learning rate smaller when a training no longer gets better."""

from toposcope.recorder.arguments import checked_bool, checked_integer, checked_number
from toposcope.recorder.callbacks.learning_rates import change_learning_rates, check_learning_rates
from toposcope.recorder.callbacks.monitored_value import MonitoredValue, checked_goal
from toposcope.recorder.training.callback import Callback
from toposcope.recorder.training.run_context import RunContext


class ReduceLROnPlateau(Callback):
    """Multiplies the learning rate of each parameter group by a factor after epochs without improvement.

    Differences from MindSpore's class: a monitored value of zero is a value; parameter groups keep their proportions;
    a value that is missing is told once; a learning rate that cannot be set is an error before the first epoch.
    """

    runs_in_fit_evaluation: bool = False
    wait: int
    """Epochs since the last improvement or reduction."""
    cooldown_counter: int
    """Epochs that do not count yet."""
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
        """Say what is watched, for how long it may fail to improve, and what is done then.

        Args:
            monitor: "loss" is the training's; "eval_loss" and the names of metrics are the evaluation's, in fit().
            factor: what the learning rates are multiplied by, between 0 and 1.
            patience: epochs without improvement after which they are reduced.
            verbose: whether to print the new learning rates.
            mode: "min": smaller is better; "max": larger is; "auto": by the name, smaller for losses and errors.
            min_delta: how much better than the best an improvement is, at least; its sign does not matter.
            cooldown: epochs after a reduction that do not count.
            min_lr: no learning rate is reduced below it.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: mode is another one, factor is not between 0 and 1, or a number is negative or not finite.
        """
        self._monitored = MonitoredValue(monitor, "ReduceLROnPlateau")
        self._factor = checked_number("factor", factor)
        if not 0 < self._factor < 1:
            raise ValueError(f"factor is between 0 and 1, not {factor!r}.")
        self._patience = checked_integer("patience", patience, lowest=0)
        self._is_verbose = checked_bool("verbose", verbose)
        self._goal = checked_goal(monitor, mode, min_delta)
        self._cooldown = checked_integer("cooldown", cooldown, lowest=0)
        self._min_lr = checked_number("min_lr", min_lr)
        if self._min_lr < 0:
            raise ValueError(f"min_lr is not negative, as {min_lr!r} is.")
        self._forget()

    def on_train_begin(self, run_context: RunContext) -> None:
        """Forget an earlier training; ValueError when the optimizer shows no learning rate."""
        check_learning_rates(run_context.original_args(), "ReduceLROnPlateau")
        self._forget()

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Judge the epoch, and reduce the learning rates when too many were no better."""
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
                told = ", ".join(str(rate) for rate in sorted(set(rates), reverse=True))
                epoch = params.get("cur_epoch_num", 1)
                print(f"Epoch {epoch:05d}: ReduceLROnPlateau reducing learning rate to {told}.", flush=True)
            self.cooldown_counter, self.wait = self._cooldown, 0

    def _reduced(self, rate: float) -> float:
        """Return the next learning rate; one that is below min_lr already stays."""
        return max(rate * self._factor, self._min_lr) if rate > self._min_lr else rate

    def _forget(self) -> None:
        self.wait, self.cooldown_counter, self.best = 0, 0, self._goal.worst
