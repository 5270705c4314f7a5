"""Closes the files of a recorder that nobody closes: one that is dropped, or still open when its process ends."""

import functools
import weakref
from typing import Any

from toposcope.recorder.ends.end_observer import EndObserver
from toposcope.recorder.ends.ending import FINISHED
from toposcope.recorder.ends.fork import close_at_end_of_child
from toposcope.recorder.record.added.pending_values import UnrecordedValues
from toposcope.recorder.stores.spool import shown_path
from toposcope.recorder.writing.recording import Recording


def close_when_dropped(
    owner: object, recording: Recording, observer: EndObserver, unrecorded: UnrecordedValues | None = None
) -> "weakref.finalize[Any, Any]":
    """Close a recording when its owner, which it must not reference, is dropped, or when the process ends.

    The result can be detached once the recording is closed. Of a training that has finished, unrecorded names what was
    never recorded.
    """
    close_at_end_of_child(owner, functools.partial(_close_unclosed, recording, observer, unrecorded))
    return weakref.finalize(owner, _close_unclosed, recording, observer, unrecorded)


def _close_unclosed(recording: Recording, observer: EndObserver, unrecorded: UnrecordedValues | None) -> None:
    """Close the files of a recorder that was dropped, or at exit; wait for a close() that was interrupted."""
    end = None if recording.queue.closed else observer.ending_without_close()
    if end == FINISHED and unrecorded is not None:
        unrecorded.warn(shown_path(recording.summaries.path))
    recording.writer.close(end)
