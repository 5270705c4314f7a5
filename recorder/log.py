"""What the recorder has to tell: one logger, whose failures stop neither the training nor the recording."""

import logging
import threading

_logger = logging.getLogger("toposcope.recorder")


def warn(text: str, *arguments: object) -> None:
    """Log something that the user should know."""
    _log(logging.WARNING, text, arguments)


def complain(text: str, *arguments: object) -> None:
    """Log that something is lost, or will be."""
    _log(logging.ERROR, text, arguments)


def _log(level: int, text: str, arguments: tuple[object, ...]) -> None:
    try:
        _logger.log(level, text, *arguments)
    except Exception:  # A handler of the user's may raise.
        return
    except BaseException:  # Even to end the program, which a thread cannot.
        if threading.current_thread() is threading.main_thread():
            raise
