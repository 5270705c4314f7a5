"""FailureGuard: collections that raise."""

import logging

import pytest

from toposcope.recorder.collecting.failure_guard import FailureGuard


def test_collection_that_raises_is_not_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    """One log line names the owner and the collection; other collections continue."""
    calls = []

    def collect(number: int) -> int:
        calls.append(number)
        return 10 // number

    guard = FailureGuard("runs/first")
    with caplog.at_level(logging.WARNING):
        results = [guard.attempt("quotients", collect, number) for number in (5, 0, 2)]

    assert (results, calls) == ([2, None, None], [5, 0])
    assert guard.attempt("others", collect, 2) == 5
    (record,) = caplog.records
    assert record.getMessage().startswith("runs/first: quotients")
    assert "ZeroDivisionError" in record.getMessage()


def test_exceptions_that_end_the_program_propagate() -> None:
    """KeyboardInterrupt and SystemExit are not failures of a collection."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FailureGuard("run").attempt("anything", interrupt)
