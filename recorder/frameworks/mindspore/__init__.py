"""MindSpore: its networks, optimizers, data pipelines and summary operators, and the bridge into its trainings."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toposcope.recorder.training.callback import Callback
    from toposcope.recorder.training.event_callback import EventCallback

__all__ = ["bridge"]


def bridge(*callbacks: "Callback | EventCallback") -> Any:
    """Return a mindspore.train.Callback that runs callbacks inside mindspore.Model's train, fit and eval.

        model.train(10, dataset, callbacks=[bridge(SummaryCollector("runs/first"), LossMonitor()), TimeMonitor()])

    They are called as by our own Model: cb_params are MindSpore's own facts, which they may change; request_stop() and
    State.stop_training() stop MindSpore's training; what they raise is raised by mindspore.Model. In the
    evaluations of fit those take part that Callback.runs_in_fit_evaluation says. Legacy hooks in a class of the
    user's own are a ValueError in fit and a warning else, which MindSpore itself raises and logs.

    Raises:
        TypeError: no callbacks are given, or one of them is none of ours; MindSpore's own need no bridge.
        ImportError: MindSpore is not installed.
    """
    from toposcope.recorder.frameworks.mindspore.training.model_bridge import model_bridge

    return model_bridge(*callbacks)
