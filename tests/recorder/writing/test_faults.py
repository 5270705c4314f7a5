"""Who is told what is wrong with a writer."""

import logging

import pytest

from toposcope.recorder.writing.faults import Faults


def test_a_fault_is_logged_and_returned_once(caplog: pytest.LogCaptureFixture) -> None:
    """A writer that fails again and again says so once to the log, and once to the caller."""
    faults = Faults("the file")
    for _ in range(3):
        faults.note(OSError("disk full"))
        faults.log_new()

    assert faults.count == 3
    assert str(faults.take_unraised()) == "disk full"
    assert faults.take_unraised() is None
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert "the file: cannot be written: OSError('disk full')" in caplog.text


def test_a_second_fault_is_news_again(caplog: pytest.LogCaptureFixture) -> None:
    """After the writer worked again, the next fault is told like the first."""
    faults = Faults("the file")
    for reason in ("disk full", "disk gone"):
        faults.note(OSError(reason))
        assert str(faults.take_unraised()) == reason
        faults.clear()
    faults.log_new()

    assert faults.current is None
    assert [record.getMessage().split(":")[1] for record in caplog.records] == [
        " cannot be written",
        " is written again.",
        " cannot be written",
        " is written again.",
    ]


def test_a_writer_that_works_has_nothing_to_tell(caplog: pytest.LogCaptureFixture) -> None:
    """Success upon success is silent."""
    faults = Faults("the file")
    faults.clear()
    faults.log_new()

    assert faults.take_unraised() is None
    assert caplog.text == ""


def test_losses_are_told_when_the_writer_works_again(caplog: pytest.LogCaptureFixture) -> None:
    """How many events are missing in the file is said once, as one number."""
    faults = Faults("the file")
    faults.note(OSError("disk full"))
    faults.add_lost(2)
    faults.add_lost(3)
    faults.clear()
    faults.clear()
    faults.log_new()

    assert caplog.text.count("events are lost") == 1
    assert "5 recorded events are lost" in caplog.text
