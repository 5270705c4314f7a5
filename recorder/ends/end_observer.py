"""EndObserver: finds out how a training ended whose recorder is closed outside of a with statement."""

import itertools
import os
import sys
import threading
import weakref

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder.ends.child_exit import observe_child
from toposcope.recorder.ends.ending import FINISHED, ending_of
from toposcope.recorder.ends.program_exit import ending_by_exit, is_exiting, observe_exit, unhandled_exception
from toposcope.recorder.ends.thread_exit import ending_of_thread, observe_threads

_numbers = itertools.count(1)


class EndObserver:
    """Knows which exceptions were there when the recorder was created: they did not end its training."""

    def __init__(self) -> None:
        observe_child()
        observe_exit()
        observe_threads()
        self._thread = weakref.ref(threading.current_thread())
        self._number = next(_numbers)
        for error in (sys.exception(), unhandled_exception()):
            if error is not None:
                self._mark(error)

    def handled_exception(self) -> BaseException | None:
        """Return the exception that this thread handles; None if it was there when the recorder was created."""
        return self._if_newer(sys.exception())

    def ending_at_close(self) -> RecordingEnd:
        """Return the end of the training for a call of close(), which may be in a finally block."""
        if (error := self.handled_exception()) is not None:
            return ending_of(error)
        return (self._ending_by_unhandled() or ending_by_exit()) if is_exiting() else FINISHED

    def ending_without_close(self) -> RecordingEnd:
        """Return the end of the training if the recorder is dropped, or if the process ends.

        A recorder may be dropped in any thread: exceptions handled in other threads have nothing to do with it.
        """
        thread = self._thread()
        error = self.handled_exception() if threading.current_thread() is thread else None
        if error is not None:
            return ending_of(error)
        if (end := ending_of_thread(thread)) is not None:
            return end
        return self._ending_by_unhandled() or (ending_by_exit() if is_exiting() else FINISHED)

    def _ending_by_unhandled(self) -> RecordingEnd | None:
        error = self._if_newer(unhandled_exception())
        return None if error is None else ending_of(error)

    def _mark(self, error: BaseException) -> None:
        """Note in an exception that it was there when this observer was created, unless an earlier one has.

        References to exceptions would keep the variables of their tracebacks alive.
        """
        if getattr(error, "_toposcope_seen", (0, 0))[0] != os.getpid():
            BaseException.__setattr__(error, "_toposcope_seen", (os.getpid(), self._number))

    def _if_newer(self, error: BaseException | None) -> BaseException | None:
        process, number = getattr(error, "_toposcope_seen", (0, 0))
        return None if process == os.getpid() and number <= self._number else error
