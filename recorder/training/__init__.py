"""Training: one engine that calls callbacks of both styles at every event, and the loops that drive it."""

from toposcope.recorder.training.callback import Callback
from toposcope.recorder.training.engine import Engine
from toposcope.recorder.training.evaluator import Evaluator
from toposcope.recorder.training.event import Event
from toposcope.recorder.training.event_callback import EventCallback
from toposcope.recorder.training.logger import Logger
from toposcope.recorder.training.logger_destination import LoggerDestination
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
    "Engine",
    "Evaluator",
    "Event",
    "EventCallback",
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
