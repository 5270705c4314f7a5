"""The end of a training: finished, failed or interrupted, with the exception that ended it."""

import signal
import traceback
from types import CodeType, TracebackType

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder.secrets.hiding import hide_secrets

FINISHED = RecordingEnd(state=RecordingEnd.STATE_FINISHED)
"""The training reached its end."""

_MAX_TEXT_BYTES, _MAX_TRACEBACK_BYTES = 2048, 8192
# Hiding secrets takes time for each character. What is at this cut is not in the result.
_MAX_HIDDEN_BYTES = 65_536
# The end of a traceback explains more than its beginning.
_HEAD_OF_TRACEBACK = 2048


def interruption(text: str) -> RecordingEnd:
    """Return the end of a training that something outside of it ended early; text names it."""
    return RecordingEnd(state=RecordingEnd.STATE_INTERRUPTED, error_text=_cut(hide_secrets(text), _MAX_TEXT_BYTES))


def ending_of(error: BaseException | None) -> RecordingEnd:
    """Return the end of a training that error has ended; secrets in text and traceback are replaced by "***".

    Finished: without an error, and for SystemExit with the code 0 or None unless a signal handler raised it. Failed:
    for an Exception. Interrupted: for KeyboardInterrupt, every other SystemExit, and all else that is not an Exception,
    such as asyncio.CancelledError.
    """
    if error is None or (is_regular_exit(error) and not is_raised_by_signal(error.__traceback__)):
        return FINISHED
    is_failure = isinstance(error, Exception)
    return RecordingEnd(
        state=RecordingEnd.STATE_FAILED if is_failure else RecordingEnd.STATE_INTERRUPTED,
        error_type=_name_of(type(error)),
        error_text=_text_of(error),
        traceback=_traceback_of(error),
    )


def is_regular_exit(error: BaseException) -> bool:
    """Return whether error is a SystemExit that makes the exit code zero."""
    return isinstance(error, SystemExit) and error.code in (None, 0)


def is_raised_by_signal(trace: TracebackType | None) -> bool:
    """Return whether a traceback contains a call of one of the program's signal handlers."""
    handlers = codes_of_signal_handlers()
    while trace is not None:
        if trace.tb_frame.f_code in handlers:
            return True
        trace = trace.tb_next
    return False


def codes_of_signal_handlers() -> set[CodeType]:
    """Return the code of the functions that are installed as signal handlers at present."""
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    codes = [getattr(getattr(handler, "__func__", handler), "__code__", None) for handler in handlers]
    return {code for code in codes if isinstance(code, CodeType)}


def _name_of(kind: type) -> str:
    return (
        kind.__qualname__ if kind.__module__ in ("builtins", "__main__") else f"{kind.__module__}.{kind.__qualname__}"
    )


def _text_of(error: BaseException) -> str:
    try:
        return _cut(hide_secrets(str(error)[:_MAX_HIDDEN_BYTES]), _MAX_TEXT_BYTES)
    except Exception:  # The user's code.
        return "<the text of the exception cannot be read>"


def _traceback_of(error: BaseException) -> str:
    try:
        text = "".join(traceback.format_exception(error))
        return _cut_middle(hide_secrets(_cut_middle(text, _MAX_HIDDEN_BYTES)), _MAX_TRACEBACK_BYTES)
    except Exception:  # The exception and the loader of its source files are the user's code.
        return ""


def _cut(text: str, size: int) -> str:
    """Return the first bytes of text in UTF-8."""
    return text.encode("utf-8", "backslashreplace")[:size].decode("utf-8", "ignore")


def _cut_middle(text: str, size: int) -> str:
    """Return text without its middle if it is longer than size, in bytes of UTF-8."""
    content = text.encode("utf-8", "backslashreplace")
    if len(content) <= size:
        return content.decode("utf-8")
    note = f"\n... {len(content) - size} bytes or more are left out ...\n"
    head = content[: _HEAD_OF_TRACEBACK * size // _MAX_TRACEBACK_BYTES].decode("utf-8", "ignore")
    rest = size - len(head.encode()) - len(note)
    return head + note + content[-rest:].decode("utf-8", "ignore")
