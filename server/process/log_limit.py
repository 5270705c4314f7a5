"""Bounds the log: of each kind of message one line a minute, which says how many others there were."""

import logging
import sys
import threading
import time

from toposcope.server.process.log_format import LogFormat, formatter

_SECONDS = 60.0
_MAX_KINDS = 1000
_MAX_CHARACTERS = 4000


class LogLimit(logging.Filter):
    """Passes one record of a kind in a minute. The kind is the message without its arguments, and the exception."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        super().__init__()
        self._seconds = seconds
        self._lock = threading.Lock()
        self._kinds: dict[tuple[object, ...], tuple[float, int]] = {}
        """For each kind: when it was passed last, and how many were not passed since."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log a record; adds to its message how many like it were not logged."""
        error = record.exc_info[0] if record.exc_info else None
        kind = (record.name, record.levelno, str(record.msg)[:100], error)
        now = time.monotonic()
        with self._lock:
            passed, dropped = self._kinds.get(kind, (-self._seconds, 0))
            if now - passed < self._seconds:
                self._kinds[kind] = (passed, dropped + 1)
                return False
            self._kinds.pop(kind, None)
            if len(self._kinds) >= _MAX_KINDS:
                del self._kinds[next(iter(self._kinds))]
            self._kinds[kind] = (now, 0)
        self._shorten(record, dropped)
        return True

    def _shorten(self, record: logging.LogRecord, dropped: int) -> None:
        message = record.getMessage()
        if len(message) > _MAX_CHARACTERS:
            message = message[:_MAX_CHARACTERS] + "..."
        if dropped:
            message += f" ({dropped} more like this were not logged)"
        record.msg, record.args = message, ()


def limit_log(log_format: LogFormat) -> None:
    """Log to standard error, at most one line of each kind a minute; the libraries, and warnings of Python, too."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(LogLimit())
    handler.setFormatter(formatter(log_format))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logging.captureWarnings(True)
