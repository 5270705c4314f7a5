"""Closes the files of a recorder that nobody closes: one that is dropped, or still open when its process ends."""

import functools
import weakref
from typing import Any

from toposcope.recorder.end_observer import EndObserver
from toposcope.recorder.fork import close_at_end_of_child
from toposcope.recorder.writing.recording import Recording


def close_when_dropped(owner: object, recording: Recording, observer: EndObserver) -> "weakref.finalize[Any, Any]":
    """Close a recording when its owner, which it must not reference, is dropped, or when the process ends.

    The result can be detached once the recording is closed.
    """
    close_at_end_of_child(owner, functools.partial(_close_unclosed, recording, observer))
    return weakref.finalize(owner, _close_unclosed, recording, observer)


def _close_unclosed(recording: Recording, observer: EndObserver) -> None:
    """Close the files of a recorder that was dropped, or at exit; wait for a close() that was interrupted."""
    recording.writer.close(None if recording.queue.closed else observer.ending_without_close())
