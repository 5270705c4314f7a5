"""The exit of a child of multiprocessing: exceptions that end its run() or a task of its pool, for unclosed recorders.

multiprocessing handles these exceptions, and no hook sees them. Until Python 3.12 it ends the child while it handles
that of run(); since 3.13 it does so afterwards. Therefore the lines that follow run() are observed.
"""

import functools
import sys
from types import CodeType
from typing import Any

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder.ends.ending import FINISHED, ending_of
from toposcope.recorder.imported import imported

_TOOLS = (4, 3)  # The other tools of sys.monitoring are meant for debuggers, coverage, profilers and optimizers.

_is_observed = False
_ending: RecordingEnd | None = None


def ending_of_child() -> RecordingEnd | None:
    """Return how run() of this child ended; None while it runs, in other processes, and before Python 3.13."""
    return _ending


def observe_child() -> None:
    """Remember how run() ends, and observe the tasks of a pool, if multiprocessing has started this process."""
    process = imported("multiprocessing.process")
    if process is None or process.parent_process() is None:
        return
    _observe_run(process.BaseProcess._bootstrap.__code__)
    if pool := imported("multiprocessing.pool"):
        _observe_tasks(pool)


def _observe_run(caller: CodeType) -> None:
    global _is_observed, _ending
    _ending = None  # A child of a child inherits the observation, which has seen the lines before run().
    if sys.version_info < (3, 13) or _is_observed:
        return
    monitoring = sys.monitoring
    if tool := next((tool for tool in _TOOLS if monitoring.get_tool(tool) is None), None):
        monitoring.use_tool_id(tool, "toposcope")
        monitoring.register_callback(tool, monitoring.events.LINE, _remember)
        monitoring.set_local_events(tool, caller, monitoring.events.LINE)
        _is_observed = True


def _remember(caller: CodeType, line: int) -> None:
    """Remember the exception that the caller of run() handles at its first line after that."""
    global _ending
    if _ending is None:
        error = sys.exception()
        # A forked child may inherit an exception that its parent handles.
        trace = None if error is None else error.__traceback__
        _ending = ending_of(error) if trace is not None and trace.tb_frame.f_code is caller else FINISHED


def _observe_tasks(pool: Any) -> None:
    if hasattr(pool, "ExceptionWithTraceback") and not hasattr(pool.ExceptionWithTraceback, "_toposcope"):
        pool.ExceptionWithTraceback = _releasing(pool.ExceptionWithTraceback)


def _releasing(original: Any) -> Any:
    """Release what a failed task refers to while its exception is handled, as concurrent.futures does."""

    @functools.wraps(original)
    def with_traceback(error: BaseException, trace: object) -> Any:
        formatted = original(error, trace)
        error.__traceback__ = None
        return formatted

    with_traceback._toposcope = True  # type: ignore[attr-defined]
    return with_traceback
