"""EndObserver: finds out how a training ended whose recorder is closed outside of a with statement."""

import sys
import threading
import weakref

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder.child_exit import observe_child
from toposcope.recorder.ending import FINISHED, ending_of
from toposcope.recorder.program_exit import ending_by_exit, is_exiting, observe_exit, unhandled_exception
from toposcope.recorder.thread_exit import ending_of_thread, observe_threads


class EndObserver:
    """Remembers which exceptions were there when the recorder was created: they did not end its training."""

    def __init__(self) -> None:
        observe_child()
        observe_exit()
        observe_threads()
        self._thread = weakref.ref(threading.current_thread())
        # Not the exceptions themselves, which would keep the variables of their tracebacks alive.
        self._handled, self._unhandled = id(sys.exception()), id(unhandled_exception())

    def handled_exception(self) -> BaseException | None:
        """Return the exception that this thread handles; None if it was there when the recorder was created."""
        error = sys.exception()
        return None if id(error) == self._handled else error

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
        # An interactive session reports unhandled exceptions without exiting.
        return self._ending_by_unhandled() or (ending_by_exit() if is_exiting() else FINISHED)

    def _ending_by_unhandled(self) -> RecordingEnd | None:
        error = unhandled_exception()
        return ending_of(error) if error is not None and id(error) != self._unhandled else None
