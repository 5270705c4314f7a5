"""Training: one engine that calls callbacks of both styles at every event, and the loops that drive it."""

from typing import TYPE_CHECKING

from toposcope.recorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from toposcope.recorder.training.callback import Callback
    from toposcope.recorder.training.engine import Engine
    from toposcope.recorder.training.evaluator import Evaluator
    from toposcope.recorder.training.event import Event
    from toposcope.recorder.training.event_callback import EventCallback
    from toposcope.recorder.training.logger import Logger
    from toposcope.recorder.training.logger_destination import LoggerDestination
    from toposcope.recorder.training.loss_scale import DynamicLossScaleManager, FixedLossScaleManager
    from toposcope.recorder.training.model import Model
    from toposcope.recorder.training.network import TrainableNetwork
    from toposcope.recorder.training.run_context import CallbackParams, RunContext
    from toposcope.recorder.training.state import State
    from toposcope.recorder.training.time import Time, TimeUnit
    from toposcope.recorder.training.timestamp import Timestamp
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
        "Callback": "toposcope.recorder.training.callback",
        "CallbackParams": "toposcope.recorder.training.run_context",
        "DynamicLossScaleManager": "toposcope.recorder.training.loss_scale",
        "Engine": "toposcope.recorder.training.engine",
        "Evaluator": "toposcope.recorder.training.evaluator",
        "Event": "toposcope.recorder.training.event",
        "EventCallback": "toposcope.recorder.training.event_callback",
        "FixedLossScaleManager": "toposcope.recorder.training.loss_scale",
        "Logger": "toposcope.recorder.training.logger",
        "LoggerDestination": "toposcope.recorder.training.logger_destination",
        "Model": "toposcope.recorder.training.model",
        "RunContext": "toposcope.recorder.training.run_context",
        "State": "toposcope.recorder.training.state",
        "Time": "toposcope.recorder.training.time",
        "TimeUnit": "toposcope.recorder.training.time",
        "Timestamp": "toposcope.recorder.training.timestamp",
        "TrainableNetwork": "toposcope.recorder.training.network",
        "Trainer": "toposcope.recorder.training.trainer",
    },
)
