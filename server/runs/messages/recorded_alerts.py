"""The alerts that the training of a run recorded."""

from toposcope.server.runs.messages.recorded_messages import RecordedMessage, recorded_messages
from toposcope.server.runs.run import RunView
from toposcope.server.values.alert import Alert, read_alert

_LARGEST_MESSAGE = 64 << 10
MAX_ALERTS = 100
"""A training may record one at every step; of more, the newest count."""


def recorded_alerts(run: RunView, most: int = MAX_ALERTS) -> tuple[list[RecordedMessage[Alert]], list[str]]:
    """Return the newest alerts of all ranks and attempts of a run.

    Returns:
        (the alerts, newest first; sentences about those that are damaged or too large).

    Raises:
        OSError: one cannot be read at present.
    """
    if "alert" not in run.plugins:
        return [], []
    return recorded_messages(run, "alert", read_alert, most, largest=_LARGEST_MESSAGE)
