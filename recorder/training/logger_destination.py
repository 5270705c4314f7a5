"""LoggerDestination: a callback that also receives what a Logger logs."""

from toposcope.recorder.training.event_callback import EventCallback
from toposcope.recorder.training.logger import LogReceiver


class LoggerDestination(LogReceiver, EventCallback):
    """Override the methods for what the destination supports, and those of the events that it needs.

    Answers to Composer's `LoggerDestination`.
    """
