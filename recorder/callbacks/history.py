"""History: keeps the loss and the metrics of each epoch of a training."""

from toposcope.recorder.training.callback import Callback
from toposcope.recorder.training.loss import loss_in
from toposcope.recorder.training.run_context import RunContext
from toposcope.recorder.values.foreign import UnreadableValueError
from toposcope.recorder.values.scalar import scalar_from


class History(Callback):
    """Keeps what the epochs of a training came to.

        history = History()
        model.train(2, dataset, callbacks=[history])
        history.epoch  # {"epoch": [1, 2]}
        history.history  # {"net_output": [1.607877, 1.6033841]}

    Differences from MindSpore's class: numbers are floats; a training begins with an empty history; an evaluation on
    its own leaves the history of the training as it is.
    """

    runs_in_fit_evaluation: bool = False

    def __init__(self) -> None:
        self.epoch: dict[str, list[int]] = {"epoch": []}
        """The numbers of the epochs that ended, from 1."""
        self.history: dict[str, list[object]] = {}
        """By name, a value for each epoch that had one: "net_output", the loss at its last step (of several outputs
        the first, of a tensor the mean), and in fit() the metrics, those of several classes as arrays."""

    def begin(self, run_context: RunContext) -> None:
        """Begin with an empty history, if it is a training that begins."""
        if run_context.original_args().get("mode") != "eval":
            self.epoch, self.history = {"epoch": []}, {}

    def epoch_end(self, run_context: RunContext) -> None:
        """Keep the loss and the metrics of the epoch of a training."""
        params = run_context.original_args()
        if params.get("mode") == "eval":
            return
        self.epoch["epoch"].append(params.get("cur_epoch_num", 1))
        loss = loss_in(params.get("net_outputs"))
        values = {} if loss is None else {"net_output": loss}
        for name, value in {**values, **params.get("metrics", {})}.items():
            self.history.setdefault(name, []).append(_as_float(value))


def _as_float(value: object) -> object:
    """Return the number that value holds, or value when it does not hold exactly one."""
    try:
        return scalar_from(value).value
    except (TypeError, ValueError, UnreadableValueError):
        return value
