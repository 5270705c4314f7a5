"""The exit of the program: whether the interpreter is exiting, and because of what.

Recorders that are never closed are closed at exit. The interpreter keeps an exception that nothing handled; of a
SystemExit it keeps nothing. Since Python 3.12 it is observed when it leaves the main program. Before, sys.exit(),
exit() and quit() are wrapped to remember their argument until the exception is caught, and the frame of the main
program is kept to see whether it has returned, or has raised SystemExit with a constant.
"""

import builtins
import functools
import gc
import opcode
import sys
import threading
import weakref
from types import FrameType
from typing import Any

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder.ends.child_exit import ending_of_child
from toposcope.recorder.ends.constant_exit import constant_exit
from toposcope.recorder.ends.ending import FINISHED, codes_of_signal_handlers, ending_of, interruption
from toposcope.recorder.ends.main_unwind import ending_by_unwinding, observe_main

_RETURNS = {opcode.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST") if name in opcode.opmap}

_main_frame: FrameType | None = None
_exit_call: RecordingEnd | None = None
"""The end of a training that the latest call of sys.exit() means, unless its exception was caught."""
_exit_mark: "weakref.ref[_Mark] | None" = None


class _Mark:
    """An attribute of the exception of sys.exit(), which builtin exceptions need to be observed."""


def observe_exit() -> None:
    """Remember the main program and how it will exit."""
    global _main_frame
    _main_frame = _bottom_of_main_thread()
    is_observed = _main_frame is not None and observe_main(_main_frame.f_code)
    if not is_observed and not hasattr(sys.exit, "_toposcope"):
        _wrap_exits()


def unhandled_exception() -> BaseException | None:
    """Return the exception that the interpreter has reported as unhandled.

    None in an interactive session or a notebook, where an exception ends a statement, not the program.
    """
    if hasattr(sys, "ps1"):
        return None
    error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)  # last_exc: since Python 3.12.
    return error if isinstance(error, BaseException) else None


def is_exiting() -> bool:
    """Return whether the main program has ended, or what multiprocessing runs in this child."""
    if ending_of_child() is not None:
        return True
    if threading.main_thread().is_alive():
        # In an interactive session each statement is a main program.
        return _main_frame is not None and not hasattr(sys, "ps1") and _has_ended(_main_frame)
    return True


def ending_by_exit() -> RecordingEnd:
    """Return how a training ended whose program exits without an unhandled exception.

    Before Python 3.12 the exit code is unknown if SystemExit was raised in a function without sys.exit(), and the
    training counts as interrupted.
    """
    if (end := ending_of_child() or ending_by_unwinding()) is not None:
        return end
    if _main_frame is None or _has_returned(_main_frame):
        return FINISHED
    # What ended the program is gone now: an exception that is still there was caught and kept.
    has_ended = _exit_mark is not None and _exit_mark() is None
    call = _exit_call if has_ended else None
    error = constant_exit(_main_frame)
    return call or (error and ending_of(error)) or interruption("SystemExit, whose code is unknown")


def _wrap_exits() -> None:
    """Wrap the functions that exit, also where modules have imported sys.exit by its name."""
    original, sys.exit = sys.exit, _remembering(sys.exit)
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", {})
        for name in [name for name, value in list(names.items()) if value is original]:
            names[name] = sys.exit
    for name in "exit", "quit":  # Of the module site, which may be absent.
        if (function := getattr(builtins, name, None)) is not None:
            setattr(builtins, name, _remembering(function))


def _remembering(original: Any) -> Any:
    @functools.wraps(original)
    def exit(status: Any = None, /) -> None:
        try:
            original(status)
        except SystemExit as error:
            if threading.current_thread() is threading.main_thread():
                _remember(error)
            raise

    exit._toposcope = True  # type: ignore[attr-defined]
    return exit


def _remember(error: SystemExit) -> None:
    global _exit_call, _exit_mark
    _exit_call = _ending_by_call(error, sys._getframe())
    mark = error._toposcope_mark = _Mark()  # type: ignore[attr-defined]
    _exit_mark = weakref.ref(mark, _forget_if_caught)


def _forget_if_caught(mark: "weakref.ref[_Mark]") -> None:
    """Forget a call of sys.exit() whose exception is dropped while the main program runs."""
    global _exit_call
    if mark is _exit_mark and not is_exiting():
        _exit_call = None


def _ending_by_call(error: SystemExit, frame: FrameType | None) -> RecordingEnd:
    handlers = codes_of_signal_handlers()
    while frame is not None:
        if frame.f_code in handlers:
            return interruption(f"SystemExit({error.code!r}) in a signal handler")
        frame = frame.f_back
    return ending_of(error)


def _has_ended(frame: FrameType) -> bool:
    try:
        frame.clear()
    except RuntimeError:  # It is executing.
        return False
    return True


def _has_returned(frame: FrameType) -> bool:
    """Return whether the last instruction of a frame that has ended was a return."""
    return 0 <= frame.f_lasti < len(code := frame.f_code.co_code) and code[frame.f_lasti] in _RETURNS


def _bottom_of_main_thread() -> FrameType | None:
    frame = _frames_of_threads().get(threading.main_thread().ident or 0)
    while frame is not None and frame.f_back is not None:
        frame = frame.f_back
    return frame


def _frames_of_threads() -> dict[int, FrameType]:
    # A collection in that call would run finalizers while the interpreter's lock of threads is held: one that waits for
    # another thread would wait forever (https://github.com/python/cpython/issues/106883).
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        return sys._current_frames()
    finally:
        if is_enabled:
            gc.enable()
