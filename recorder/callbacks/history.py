"""History: stores the loss and the metrics of each epoch of a training."""

from toposcope.recorder.training.data.loss import loss_in
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError
from toposcope.recorder.values.scalar import scalar_from


class History(Callback):
    """Stores the results of the epochs of a training.

        history = History()
        model.train(2, dataset, callbacks=[history])
        history.epoch  # {"epoch": [1, 2]}
        history.history  # {"net_output": [1.607877, 1.6033841]}

    Differences from MindSpore's class: numbers are floats; each training starts with an empty history; a separate
    evaluation does not change the history.
    """

    runs_in_fit_evaluation: bool = False

    def __init__(self) -> None:
        self.epoch: dict[str, list[int]] = {"epoch": []}
        """The numbers of the finished epochs, from 1."""
        self.history: dict[str, list[object]] = {}
        """The values of the epochs, by name: "net_output", the loss at the last step (the mean of the first output),
        and in fit() the metrics; metrics with a value per class are arrays."""

    def begin(self, run_context: RunContext) -> None:
        """Clear the history when a training begins."""
        if run_context.original_args().get("mode") != "eval":
            self.epoch, self.history = {"epoch": []}, {}

    def epoch_end(self, run_context: RunContext) -> None:
        """Store the loss and the metrics of an epoch of a training."""
        params = run_context.original_args()
        if params.get("mode") == "eval":
            return
        self.epoch["epoch"].append(params.get("cur_epoch_num", 1))
        loss = loss_in(params.get("net_outputs"))
        values = {} if loss is None else {"net_output": loss}
        for name, value in {**values, **params.get("metrics", {})}.items():
            self.history.setdefault(name, []).append(_as_float(value))


def _as_float(value: object) -> object:
    """Return value as a float if it contains exactly one number, else unchanged."""
    try:
        return scalar_from(value).value
    except (TypeError, ValueError, UnreadableValueError):
        return value
