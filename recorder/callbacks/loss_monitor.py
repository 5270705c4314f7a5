"""LossMonitor: prints the loss, and ends a training whose loss is not finite."""

import math

from toposcope.recorder.arguments import checked_integer
from toposcope.recorder.training.data.loss import loss_in
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext, step_in_epoch


class LossMonitor(Callback):
    """Prints losses, and in fit() the metrics of each evaluation; ends a training whose loss is NaN or infinite.

    Differences from MindSpore's class: the loss in a tuple of outputs is also checked, and printed as a number; without
    batch_num, steps are counted from the beginning of the epoch; an evaluation whose loss is NaN continues.
    """

    runs_in_fit_evaluation: bool = False

    def __init__(self, per_print_times: int = 1) -> None:
        """Print every per_print_times steps; 0: never.

        The loss is read at every step nevertheless, which synchronizes with its device.

        Raises:
            ValueError: per_print_times is not an integer, or is negative.
        """
        try:
            self._per_print_times = checked_integer("per_print_times", per_print_times, lowest=0)
        except TypeError as error:  # MindSpore documents ValueError for all invalid values.
            raise ValueError(str(error)) from None
        self._printed_step = 0
        self._steps_before_epoch = 0

    def epoch_begin(self, run_context: RunContext) -> None:
        """Remember the first step of the epoch."""
        self._steps_before_epoch = int(run_context.original_args().get("cur_step_num", 0))

    def step_end(self, run_context: RunContext) -> None:
        """Print the loss of this step if it is due.

        Raises:
            ValueError: the loss of a training is NaN or infinite; the message contains epoch and step.
        """
        params = run_context.original_args()
        loss = loss_in(params.get("net_outputs"))
        if loss is None:
            return
        epoch, step = params.get("cur_epoch_num", 1), step_in_epoch(params, self._steps_before_epoch)
        if not math.isfinite(loss) and params.get("mode") != "eval":
            raise ValueError(f"In epoch: {epoch} step: {step}, loss is {loss}: the training is terminated.")
        if self._is_due(params["cur_step_num"]):
            print(f"epoch: {epoch} step: {step}, loss is {loss}", flush=True)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Print the metrics of the evaluation in this epoch, if fit() ran one."""
        params = run_context.original_args()
        if metrics := params.get("metrics"):
            print(f"Eval result: epoch {params.get('cur_epoch_num', 1)}, metrics: {metrics}", flush=True)

    def _is_due(self, step: int) -> bool:
        """Return whether enough steps have passed since the last print; in sink mode step numbers skip."""
        if not self._per_print_times:
            return False
        if step <= self._printed_step:  # A new training, or one that was reset to an earlier step.
            self._printed_step = (step - 1) // self._per_print_times * self._per_print_times
        if step - self._printed_step < self._per_print_times:
            return False
        self._printed_step = step
        return True
