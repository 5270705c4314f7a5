"""Alerts: messages of a training for the people who watch it."""

from typing import Literal, NamedTuple

from toposcope.proto import summary_pb2

Level = Literal["info", "warn", "error"]
_LEVELS: dict[int, Level] = {
    summary_pb2.Alert.LEVEL_INFO: "info",
    summary_pb2.Alert.LEVEL_WARN: "warn",
    summary_pb2.Alert.LEVEL_ERROR: "error",
}


class Alert(NamedTuple):
    """What an alert says."""

    title: str
    text: str
    """In Markdown."""
    level: Level


def read_alert(payload: bytes) -> Alert:
    """Decode an alert; one of an unknown level is a warning.

    Raises:
        DecodeError: it is malformed.
        UnicodeDecodeError: a ValueError; a text is not UTF-8.
    """
    message = summary_pb2.Alert.FromString(payload)
    return Alert(str(message.title), str(message.text), _LEVELS.get(message.level, "warn"))
