"""Alerts: messages of a training for the people who watch it."""

from toposcope.proto.summary_pb2 import Alert
from toposcope.proto.wire import text_bytes
from toposcope.recorder.arguments import checked_name, checked_text
from toposcope.recorder.record.logged_values import LoggedValues
from toposcope.recorder.writing.snapshot import Snapshot

_LEVELS = {"info": Alert.LEVEL_INFO, "warn": Alert.LEVEL_WARN, "error": Alert.LEVEL_ERROR}
_LONGEST_TITLE, _LONGEST_TEXT = 200, 10_000


def logged_alert(title: str, text: str, level: str) -> LoggedValues:
    """Return an alert as logged values.

    Args:
        title: cut after 200 characters.
        text: in Markdown; cut after 10,000 characters.
        level: "info", "warn" or "error", in upper or lower case.

    Raises:
        TypeError: title is empty, or an argument is not a str.
        ValueError: level is unknown.
    """
    name = checked_text("level", level).lower()
    if name not in _LEVELS:
        raise ValueError(f"level must be one of {', '.join(map(repr, _LEVELS))}, not {level!r}.")
    alert = Alert(
        title=text_bytes(checked_name(title, "title")).decode()[:_LONGEST_TITLE],
        text=text_bytes(checked_text("text", text)).decode()[:_LONGEST_TEXT],
        level=_LEVELS[name],
    )
    return LoggedValues({}, {("alert", ""): Snapshot("alert", alert, alert.ByteSize())}, set(), {})
