"""The exit of threads: the exceptions that ended them, for recorders that their threads have not closed."""

import functools
import threading
from typing import Any
from weakref import WeakKeyDictionary

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder.ends.ending import ending_of

_endings: WeakKeyDictionary[threading.Thread, RecordingEnd] = WeakKeyDictionary()


def observe_threads() -> None:
    """Remember the exceptions that threading.excepthook reports from now on."""
    if not hasattr(threading.excepthook, "_toposcope"):
        threading.excepthook = _remembering(threading.excepthook)


def ending_of_thread(thread: threading.Thread | None) -> RecordingEnd | None:
    """Return how a training ended in a thread that an exception has ended; None if none has."""
    return None if thread is None else _endings.get(thread)


def _remembering(original: Any) -> Any:
    @functools.wraps(original)
    def excepthook(arguments: Any, /) -> Any:
        if arguments.thread is not None and arguments.exc_value is not None:
            _endings[arguments.thread] = ending_of(arguments.exc_value)
        return original(arguments)

    excepthook._toposcope = True  # type: ignore[attr-defined]
    return excepthook
