"""EarlyStopping: ends a training that no longer gets better."""

import copy
from collections.abc import Mapping
from typing import Any

from toposcope.recorder.arguments import checked_bool, checked_integer, checked_number
from toposcope.recorder.callbacks.monitored_value import MonitoredValue, checked_goal
from toposcope.recorder.framework import framework_of
from toposcope.recorder.training.callback import Callback
from toposcope.recorder.training.run_context import CallbackParams, RunContext


class EarlyStopping(Callback):
    """Asks the training to stop after epochs without improvement.

    Differences from MindSpore's class: a monitored value of zero is a value, and so is a baseline of zero; patience=0
    stops at the first epoch that is not better, not after the first epoch of all; a value that is missing is told
    once; the best weights are restored, too, when the training ends before the patience does.
    """

    runs_in_fit_evaluation: bool = False
    wait: int
    """Epochs since the last improvement."""
    stopped_epoch: int
    """The epoch after which a stop was asked for; 0: none."""
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
        """Say what is watched, and for how long it may fail to improve.

        Args:
            monitor: "loss" is the training's; "eval_loss" and the names of metrics are the evaluation's, in fit().
            min_delta: how much better than the best an improvement is, at least; its sign does not matter.
            patience: epochs without improvement after which the training stops.
            verbose: whether to print what is done.
            mode: "min": smaller is better; "max": larger is; "auto": by the name, smaller for losses and errors.
            baseline: what an improvement has to be better than, besides the best; None: nothing.
            restore_best_weights: whether the network gets back its weights of the best epoch, of which a copy is kept.

        Raises:
            TypeError: an argument is of the wrong type.
            ValueError: mode is another one, patience is negative, or a number is not finite.
        """
        self._monitored = MonitoredValue(monitor, "EarlyStopping")
        self._goal = checked_goal(monitor, mode, min_delta)
        self._patience = checked_integer("patience", patience, lowest=0)
        self._is_verbose = checked_bool("verbose", verbose)
        self._baseline = None if baseline is None else checked_number("baseline", baseline)
        self._restores = checked_bool("restore_best_weights", restore_best_weights)
        self._forget()

    def on_train_begin(self, run_context: RunContext) -> None:
        """Forget an earlier training."""
        self._forget()

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Judge the epoch, and ask for a stop when too many were no better."""
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
        # Of the first epoch in any case: none may be better than a NaN.
        if self._restores and (is_best or self._best_weights is None):
            self._best_weights = copy.deepcopy(framework_of(params.network).network_state(params.network))
        self._is_at_best = is_best
        if self.wait >= max(1, self._patience):
            self.stopped_epoch = params.get("cur_epoch_num", 1)
            run_context.request_stop()
            self._restore(params)

    def on_train_end(self, run_context: RunContext) -> None:
        """Restore the best weights if that is still to be done, and print the epoch of an early stop."""
        self._restore(run_context.original_args())
        if self.stopped_epoch and self._is_verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping", flush=True)

    def _forget(self) -> None:
        self.wait, self.stopped_epoch, self.best = 0, 0, self._goal.worst
        self._best_weights, self._is_at_best = None, False

    def _restore(self, params: CallbackParams) -> None:
        if self._best_weights is not None and not self._is_at_best:
            if self._is_verbose:
                print("Restoring model weights from the end of the best epoch.", flush=True)
            framework_of(params.network).load_network_state(params.network, self._best_weights)
        self._best_weights = None
