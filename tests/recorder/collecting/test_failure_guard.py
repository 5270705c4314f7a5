"""Collections that fail."""

import logging

import pytest

from toposcope.recorder.collecting.failure_guard import FailureGuard


def test_collection_that_raises_is_not_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    """The log tells once, naming whose it is; others go on."""
    calls = []

    def collect(number: int) -> int:
        calls.append(number)
        return 10 // number

    switches = FailureGuard("runs/first")
    with caplog.at_level(logging.WARNING):
        results = [switches.attempt("quotients", collect, number) for number in (5, 0, 2)]

    assert (results, calls) == ([2, None, None], [5, 0])
    assert switches.attempt("others", collect, 2) == 5
    (record,) = caplog.records
    assert record.getMessage().startswith("runs/first: quotients")
    assert "ZeroDivisionError" in record.getMessage()


def test_end_of_the_program_is_no_failure() -> None:
    """KeyboardInterrupt and SystemExit go through."""

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FailureGuard("run").attempt("anything", interrupt)
