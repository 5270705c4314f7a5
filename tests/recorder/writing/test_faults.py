"""Faults of a writer: what is logged, and what is returned to the caller."""

import logging

import pytest

from toposcope.recorder.writing.faults import Faults


def test_a_fault_is_logged_and_returned_once(caplog: pytest.LogCaptureFixture) -> None:
    """A repeated failure is logged once, and returned once to the caller."""
    faults = Faults("the file")
    for _ in range(3):
        faults.note(OSError("disk full"))
        faults.log_new()

    assert faults.count == 3
    assert str(faults.take_unraised()) == "disk full"
    assert faults.take_unraised() is None
    assert [record.levelno for record in caplog.records] == [logging.ERROR]
    assert "the file: cannot be written: OSError('disk full')" in caplog.text


def test_a_second_fault_is_logged_again(caplog: pytest.LogCaptureFixture) -> None:
    """After a recovery, the next fault is reported like the first."""
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


def test_a_healthy_writer_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Repeated success logs nothing."""
    faults = Faults("the file")
    faults.clear()
    faults.log_new()

    assert faults.take_unraised() is None
    assert caplog.text == ""


def test_losses_are_logged_after_a_recovery(caplog: pytest.LogCaptureFixture) -> None:
    """The number of lost events is logged once, as a total."""
    faults = Faults("the file")
    faults.note(OSError("disk full"))
    faults.add_lost(2)
    faults.add_lost(3)
    faults.clear()
    faults.clear()
    faults.log_new()

    assert caplog.text.count("events are lost") == 1
    assert "5 recorded events are lost" in caplog.text
