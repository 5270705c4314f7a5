"""The forms of log lines: text for people, and JSON for programs that collect logs.

What a message quotes is escaped: names of runs come from untrusted files.
"""

import json
import logging
from datetime import UTC, datetime
from types import TracebackType
from typing import Literal

from toposcope.server.text.escaped import escaped

LogFormat = Literal["text", "json"]
_Exception = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class TextFormatter(logging.Formatter):
    """Makes one line of time, level and message, and indents what follows it: no name can forge another line."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s", "%Y-%m-%d %H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the name is that of the base class.
        """Return the line."""
        return escaped(super().formatMessage(record))

    def formatException(self, ei: _Exception) -> str:  # noqa: N802 - likewise.
        """Return the traceback."""
        return "\n".join(f"  {escaped(line)}" for line in super().formatException(ei).splitlines())


class JsonFormatter(logging.Formatter):
    """Makes one object a line, in ASCII: time (ISO 8601, UTC), level, logger, message, and perhaps exception."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)


def formatter(log_format: LogFormat) -> logging.Formatter:
    """Return the formatter of a form."""
    return JsonFormatter() if log_format == "json" else TextFormatter()
