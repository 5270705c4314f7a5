"""The recorder's logger. A log handler that fails stops neither the training nor the recording."""

import logging
import threading

_logger = logging.getLogger("toposcope.recorder")


def warn(text: str, *arguments: object) -> None:
    """Log a warning: something unexpected, without loss of data."""
    _log(logging.WARNING, text, arguments)


def error(text: str, *arguments: object) -> None:
    """Log an error: data is lost, or may be lost."""
    _log(logging.ERROR, text, arguments)


def _log(level: int, text: str, arguments: tuple[object, ...]) -> None:
    try:
        _logger.log(level, text, *arguments)
    except Exception:  # Handlers are the user's code and may raise anything.
        return
    except BaseException:  # SystemExit, for instance, which has no effect in a background thread.
        if threading.current_thread() is threading.main_thread():
            raise
