"""EarlyStopping: stops a training that no longer improves."""

import copy
from collections.abc import Mapping
from typing import Any

from toposcope.recorder.arguments import checked_bool, checked_integer, checked_number
from toposcope.recorder.callbacks.monitored_value import MonitoredValue, checked_goal
from toposcope.recorder.framework import framework_of
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import CallbackParams, RunContext


class EarlyStopping(Callback):
    """Requests a stop after a number of epochs without improvement.

    Differences from MindSpore's class: "loss" is that of the whole epoch, not of its last step; a monitored value of
    zero and a baseline of zero are valid; patience=0 stops after the first epoch without improvement, not after the
    first epoch; a missing value is logged once; the best weights are also restored if the training ends before a stop.
    """

    runs_in_fit_evaluation: bool = False
    wait: int
    """Epochs since the last improvement."""
    stopped_epoch: int
    """The epoch after which a stop was requested; 0: none."""
    best: float
    """The best value so far."""
    _best_weights: Mapping[str, Any] | None
    _is_at_best: bool

    def __init__(
        self,
        monitor: str = "eval_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: bool = False,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        """Set the monitored value and the patience.

        Args:
            monitor: "loss" is the mean training loss of the epoch, "last_loss" that of its last step; "eval_loss" and
                metric names are results of the evaluation in fit().
            min_delta: minimum change that is an improvement; its sign is ignored.
            patience: epochs without improvement after which the training stops.
            verbose: whether to print messages.
            mode: "min": smaller is better; "max": larger is better; "auto": by the words of
                the name; with a warning and "max" if they do not say.
            baseline: value that must also be improved on; None: no baseline.
            restore_best_weights: whether the weights of the best epoch, of which a copy is stored, are restored.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: mode is another str, patience is negative, or a number is not finite.
        """
        self._monitored = MonitoredValue(monitor, "EarlyStopping")
        self._goal = checked_goal(monitor, mode, min_delta)
        self._patience = checked_integer("patience", patience, lowest=0)
        self._is_verbose = checked_bool("verbose", verbose)
        self._baseline = None if baseline is None else checked_number("baseline", baseline)
        self._restores = checked_bool("restore_best_weights", restore_best_weights)
        self._reset()

    def on_train_begin(self, run_context: RunContext) -> None:
        """Reset the state of an earlier training."""
        self._reset()

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Add the loss of the step, if the training loss is monitored."""
        self._monitored.add_step(run_context.original_args())

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Compare the value with the best one, and request a stop after too many epochs without improvement."""
        params = run_context.original_args()
        value = self._monitored.value(params)
        if value is None:
            return
        self.wait += 1
        is_best = self._goal.is_better(value, self.best)
        if is_best:
            self.best = value
            if self._baseline is None or self._goal.is_better(value, self._baseline):
                self.wait = 0
        # Also of the first epoch, as no epoch may be the best if all values are NaN.
        if self._restores and (is_best or self._best_weights is None):
            self._best_weights = copy.deepcopy(framework_of(params.network).network_state(params.network))
        self._is_at_best = is_best
        if self.wait >= max(1, self._patience):
            self.stopped_epoch = params.get("cur_epoch_num", 1)
            run_context.request_stop()
            self._restore(params)

    def on_train_end(self, run_context: RunContext) -> None:
        """Restore the best weights unless this has been done, and print the epoch of an early stop."""
        self._restore(run_context.original_args())
        if self.stopped_epoch and self._is_verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping", flush=True)

    def _reset(self) -> None:
        self._monitored.begin()
        self.wait, self.stopped_epoch, self.best = 0, 0, self._goal.worst
        self._best_weights, self._is_at_best = None, False

    def _restore(self, params: CallbackParams) -> None:
        if self._best_weights is not None and not self._is_at_best:
            if self._is_verbose:
                print("Restoring model weights from the end of the best epoch.", flush=True)
            framework_of(params.network).load_network_state(params.network, self._best_weights)
        self._best_weights = None
