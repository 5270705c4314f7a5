"""Training: one engine that calls callbacks of both styles at every event, and the loops that drive it."""

from typing import TYPE_CHECKING

from toposcope.recorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from toposcope.recorder.training.events.callback import Callback
    from toposcope.recorder.training.events.engine import Engine
    from toposcope.recorder.training.events.event_callback import EventCallback
    from toposcope.recorder.training.events.logger_destination import LoggerDestination
    from toposcope.recorder.training.events.run_context import CallbackParams, RunContext
    from toposcope.recorder.training.loops.network import TrainableNetwork
    from toposcope.recorder.training.loss_scale import DynamicLossScaleManager, FixedLossScaleManager
    from toposcope.recorder.training.model import Model
    from toposcope.recorder.training.progress.event import Event
    from toposcope.recorder.training.progress.time import Time, TimeUnit
    from toposcope.recorder.training.progress.timestamp import Timestamp
    from toposcope.recorder.training.state.evaluator import Evaluator
    from toposcope.recorder.training.state.logger import Logger
    from toposcope.recorder.training.state.state import State
    from toposcope.recorder.training.trainer import Trainer

__all__ = [
    "Callback",
    "CallbackParams",
    "DynamicLossScaleManager",
    "Engine",
    "Evaluator",
    "Event",
    "EventCallback",
    "FixedLossScaleManager",
    "Logger",
    "LoggerDestination",
    "Model",
    "RunContext",
    "State",
    "Time",
    "TimeUnit",
    "Timestamp",
    "TrainableNetwork",
    "Trainer",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Callback": "toposcope.recorder.training.events.callback",
        "CallbackParams": "toposcope.recorder.training.events.run_context",
        "DynamicLossScaleManager": "toposcope.recorder.training.loss_scale",
        "Engine": "toposcope.recorder.training.events.engine",
        "Evaluator": "toposcope.recorder.training.state.evaluator",
        "Event": "toposcope.recorder.training.progress.event",
        "EventCallback": "toposcope.recorder.training.events.event_callback",
        "FixedLossScaleManager": "toposcope.recorder.training.loss_scale",
        "Logger": "toposcope.recorder.training.state.logger",
        "LoggerDestination": "toposcope.recorder.training.events.logger_destination",
        "Model": "toposcope.recorder.training.model",
        "RunContext": "toposcope.recorder.training.events.run_context",
        "State": "toposcope.recorder.training.state.state",
        "Time": "toposcope.recorder.training.progress.time",
        "TimeUnit": "toposcope.recorder.training.progress.time",
        "Timestamp": "toposcope.recorder.training.progress.timestamp",
        "TrainableNetwork": "toposcope.recorder.training.loops.network",
        "Trainer": "toposcope.recorder.training.trainer",
    },
)
