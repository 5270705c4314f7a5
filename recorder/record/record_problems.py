"""Logs or raises what a recorder could not record, once each."""

from toposcope.recorder import log
from toposcope.recorder.ends.fork import FirstTime
from toposcope.recorder.stores.spool import shown_path
from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError
from toposcope.recorder.writing.recording import Recording


class RecordProblems:
    """What was logged and raised of one recording.

    Args:
        recording: the queue and the files.
        raises: whether errors are raised instead of logged.
    """

    def __init__(self, recording: Recording, raises: bool) -> None:
        self._recording = recording
        self._raises = raises
        self._warned: set[tuple[str, str]] = set()
        self._is_first_report = FirstTime()
        self._is_loss_raised = False

    def warn_once(self, reason: str, tag: str, text: str) -> None:
        """Log what happened to a tag, unless that was logged for the same reason."""
        if (reason, tag) not in self._warned:
            self._warned.add((reason, tag))
            log.warn("%s: %s %s", shown_path(self._recording.summaries.path), tag, text)

    def warn_of_duplicate(self, tag: str) -> None:
        """Log that a tag was added twice."""
        self.warn_once("duplicate", tag, "added twice before record(): the newest value is recorded.")

    def warn_of_rounding(self, tag: str) -> None:
        """Log that a number was rounded."""
        self.warn_once("inexact", tag, "rounded to the nearest double: no double represents it exactly.")

    def skip_unreadable(self, tag: str, error: UnreadableValueError) -> None:
        """Log or raise why a value is skipped."""
        self.skip(tag, f"skipped, its value cannot be read: {error}", error)

    def skip(self, tag: str, text: str, error: UnreadableValueError) -> None:
        """Log that a value is skipped, or raise the error that its own methods raised."""
        if self._raises and error.__cause__ is not None:
            raise error.__cause__
        self.warn_once("unreadable", tag, text)

    def report_failure(self) -> bool:
        """Log or raise the reason why record() returns False; return False."""
        if self._recording.queue.closed and self._is_first_report.take():  # Of all workers that a DataLoader forks.
            text = "dropped values: the recorder is closed or belongs to the parent process."
            self.warn_once("closed", "record()", text)
        self.raise_fault()
        return False

    def raise_fault(self) -> None:
        """Raise the fault of a file, if errors are raised and it was not raised before."""
        if self._raises and (error := self._recording.take_unraised_fault()) is not None:
            raise error

    def raise_loss(self) -> None:
        """Raise a fault of a closed recording or else what it lost, if errors are raised and none was before."""
        fault = self._recording.take_unraised_fault()
        if self._raises and not self._is_loss_raised and (error := fault or self._recording.loss()) is not None:
            self._is_loss_raised = True
            raise error
