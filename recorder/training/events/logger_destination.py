"""LoggerDestination: a callback that also receives what a Logger logs."""

from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.state.logger import LogReceiver


class LoggerDestination(LogReceiver, EventCallback):
    """Override the log_... methods that the destination supports, and the methods of the events that it needs.

    The class corresponds to Composer's `LoggerDestination`.
    """
