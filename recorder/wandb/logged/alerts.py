"""Alerts: the messages of wandb.alert(), which are logged, each title not more often than the script wants."""

import time
from datetime import timedelta
from typing import Any

from toposcope.recorder import log

_LEVELS = ("INFO", "WARN", "ERROR")


class Alerts:
    """The times of the latest alerts by title."""

    def __init__(self) -> None:
        """Start without alerts."""
        self._times: dict[str, float] = {}

    def add(self, title: str, text: str, level: Any, wait_duration: Any) -> str | None:
        """Log an alert and return its level; None if one of the same title was shorter ago than wait_duration.

        Args:
            title: of the message.
            text: the message.
            level: "INFO", "WARN" or "ERROR", or an AlertLevel.
            wait_duration: in seconds, or a timedelta.
        """
        seconds = wait_duration.total_seconds() if isinstance(wait_duration, timedelta) else float(wait_duration or 0)
        now = time.monotonic()
        if now - self._times.get(title, -float("inf")) < seconds:
            return None
        self._times[title] = now
        named = str(getattr(level, "value", level) or "INFO").upper()
        kind = named if named in _LEVELS else "INFO"
        (log.error if kind == "ERROR" else log.warn)("wandb: alert %s: %s: %s", kind, title, text)
        return kind
