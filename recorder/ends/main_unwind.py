"""The exception that leaves the main program, since Python 3.12, where sys.monitoring reports it.

The interpreter keeps nothing of a SystemExit, however it was raised.
"""

import sys
import threading
from types import CodeType

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder.ends.ending import ending_of

_TOOLS = (3, 4)  # The other tools of sys.monitoring are meant for debuggers, coverage, profilers and optimizers.

_main_code: CodeType | None = None
_ending: RecordingEnd | None = None


def observe_main(code: CodeType) -> bool:
    """Remember the exception that leaves the main program, whose code this is; return False if that is impossible."""
    global _main_code
    if sys.version_info < (3, 12):
        return False
    if _main_code is None:
        monitoring = sys.monitoring
        tool = next((tool for tool in _TOOLS if monitoring.get_tool(tool) is None), None)
        if tool is None:
            return False
        monitoring.use_tool_id(tool, "toposcope-exit")
        monitoring.register_callback(tool, monitoring.events.PY_UNWIND, _remember)
        monitoring.set_events(tool, monitoring.events.PY_UNWIND)
    _main_code = code
    return True


def ending_by_unwinding() -> RecordingEnd | None:
    """Return the end of a training that the exception which has left the main program means; None if none has."""
    return _ending


def _remember(code: CodeType, offset: int, error: BaseException) -> None:
    global _ending
    if code is _main_code and threading.current_thread() is threading.main_thread():
        _ending = ending_of(error)
