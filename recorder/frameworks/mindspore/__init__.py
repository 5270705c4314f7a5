"""Adapters for MindSpore: networks, optimizers, data pipelines and summary operators, and the bridge for callbacks."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toposcope.recorder.training.events.callback import Callback
    from toposcope.recorder.training.events.event_callback import EventCallback

__all__ = ["bridge"]


def bridge(*callbacks: "Callback | EventCallback") -> Any:
    """Return a mindspore.train.Callback that runs callbacks inside mindspore.Model's train, fit and eval.

        model.train(10, dataset, callbacks=[bridge(SummaryCollector("runs/first"), LossMonitor()), TimeMonitor()])

    They are called as by our own Model. Their cb_params are MindSpore's own facts, which they may change;
    request_stop() and State.stop_training() stop MindSpore's training; their exceptions are raised by mindspore.Model.
    In the evaluations of fit, only callbacks with Callback.runs_in_fit_evaluation are called. Legacy hooks in a
    user-defined class are a ValueError in fit and otherwise a warning, which MindSpore itself raises and logs.

    Raises:
        TypeError: there are no callbacks, or one is not a callback of toposcope; MindSpore's own need no bridge.
        ImportError: MindSpore is not installed.
    """
    from toposcope.recorder.frameworks.mindspore.training.model_bridge import model_bridge

    return model_bridge(*callbacks)
