"""ConsoleLogger in a watched loop."""

import io
from typing import Any

import pytest

from toposcope.recorder.loggers import ConsoleLogger
from toposcope.recorder.training.engine import Engine
from toposcope.recorder.training.logger import Logger
from toposcope.recorder.training.state import State
from toposcope.recorder.training.time import Time
from toposcope.recorder.training.timestamp import Timestamp
from toposcope.recorder.training.watch import watch


def printed(log_interval: str | int, epochs: int = 2, batches: int = 4, **options: Any) -> list[str]:
    """Train with a console logger; return the lines that it printed."""
    stream = io.StringIO()
    logger = ConsoleLogger(log_interval, stream, **options)
    with watch([], loader=range(batches), epochs=epochs, loggers=logger) as run:
        for epoch in range(epochs):
            for batch in range(batches):
                run.step(float(10 * epoch + batch))
    return stream.getvalue().splitlines()


def test_metrics_are_printed_at_the_interval_of_batches() -> None:
    """The first batch, every third batch, and the remaining ones at the end."""
    assert printed("3ba") == [
        "[epoch=1/2][batch=1/4]:",
        "    Train loss/train/total: 0",
        "[epoch=1/2][batch=3/4]:",
        "    Train loss/train/total: 2",
        "[epoch=2/2][batch=2/4]:",
        "    Train loss/train/total: 11",
        "[epoch=2/2][batch=4/4]:",
        "    Train loss/train/total: 13",
    ]


def test_number_without_unit_is_an_interval_of_epochs() -> None:
    """The line names the finished epoch."""
    assert printed(1) == [
        "[epoch=1/2][batch=4/4]:",
        "    Train loss/train/total: 3",
        "[epoch=2/2][batch=4/4]:",
        "    Train loss/train/total: 13",
    ]


def test_evaluation_is_printed_and_does_not_discard_metrics_of_the_training() -> None:
    """Metrics of the training are printed at their own interval."""
    stream = io.StringIO()
    with watch([], loggers=ConsoleLogger("10ba", stream)) as run:
        run.step(3.0)
        run.step(2.0)
        run.eval({"accuracy": 0.5}, label="digits")

    assert stream.getvalue().splitlines()[2:] == [
        "[digits]:",
        "    Eval metrics/digits/accuracy: 0.5",
        "[epoch=1][batch=2]:",
        "    Train loss/train/total: 2",
    ]


def test_progress_of_a_long_evaluation_is_printed() -> None:
    """At most ten times, the end included."""
    stream = io.StringIO()
    logger = ConsoleLogger(stream=stream)
    state = State(callbacks=[logger])
    state.set_dataloader(range(25), "eval")
    engine = Engine(state, Logger(state, logger))
    for event in ("init", "eval_standalone_start", "eval_start"):
        engine.run_event(event)
    for batch in range(1, 26):
        state.eval_timestamp = Timestamp(batch=Time.from_batch(batch))
        engine.run_event("eval_batch_end")
    engine.run_event("eval_end")
    engine.close()

    lines = stream.getvalue().splitlines()
    assert lines[:2] == ["[eval][batch=3/25]", "[eval][batch=5/25]"]
    assert len(lines) == 10
    assert lines[-1] == "[eval]"


def test_hyperparameters_are_printed_once() -> None:
    """Before the training; new ones before the next output."""
    stream = io.StringIO()
    logger = ConsoleLogger(stream=stream)
    logger.log_hyperparameters({"optimizer": {"lr": 0.1}})
    with watch([], loggers=logger) as run:
        run.logger.log_hyperparameters({"late": [1, 2]})
        run.step(1.0)

    assert stream.getvalue().splitlines()[:5] == [
        "Hyperparameters:",
        "    optimizer/lr: 0.1",
        "Hyperparameters:",
        "    late: [1, 2]",
        "[epoch=1][batch=1]:",
    ]
    assert stream.getvalue().count("optimizer/lr") == 1


def test_table_is_printed_once() -> None:
    """Together with the next metrics."""
    stream = io.StringIO()
    with watch([], loggers=ConsoleLogger(stream=stream)) as run:
        run.logger.log_table(["a"], [[1]], "mine")
        run.step(1.0)
        run.step(1.0)

    assert stream.getvalue().count('Train mine: {"columns": ["a"], "data": [[1]]}') == 1


def test_traces_are_printed_if_enabled() -> None:
    """They are disabled by default."""
    for logs_traces in (False, True):
        stream = io.StringIO()
        ConsoleLogger(stream=stream, log_traces=logs_traces).log_traces({"algorithm_traces/Alg": 1})

        assert stream.getvalue() == ("[trace]: algorithm_traces/Alg: 1\n" if logs_traces else "")


def test_stream_is_looked_up_at_each_print(capsys: pytest.CaptureFixture[str]) -> None:
    """sys.stdout may be replaced after the logger is created."""
    with watch([], loggers=ConsoleLogger(stream="stdout")) as run:
        run.step(0.5)

    assert capsys.readouterr().out == "[epoch=1][batch=1]:\n    Train loss/train/total: 0.5\n"


def test_other_ranks_are_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only rank 0 prints."""
    monkeypatch.setenv("RANK", "1")

    assert printed("1ba") == []


def test_closed_stream_does_not_stop_the_training(caplog: pytest.LogCaptureFixture) -> None:
    """It is logged once."""
    stream = io.StringIO()
    stream.close()
    with watch([], loggers=ConsoleLogger(stream=stream)) as run:
        run.step(0.5)
        run.step(0.5)

    assert caplog.text.count("stops printing") == 1


def test_last_metrics_of_a_failing_training_are_printed() -> None:
    """Before the end of their interval."""
    stream = io.StringIO()

    def train() -> None:
        with watch([], loggers=ConsoleLogger("100ba", stream)) as run:
            run.step(1.0)
            run.step(0.25)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        train()
    assert stream.getvalue().splitlines()[-1] == "    Train loss/train/total: 0.25"


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"log_interval": "1h"}, ValueError, "log_interval"),
        ({"log_interval": 0}, ValueError, "log_interval"),
        ({"log_interval": "often"}, ValueError, "often"),
        ({"log_interval": None}, TypeError, "None"),
        ({"stream": "stdin"}, ValueError, "stream"),
        ({"stream": 1}, TypeError, "stream"),
        ({"log_traces": 1}, TypeError, "log_traces"),
    ],
)
def test_errors_name_the_invalid_argument(arguments: dict[str, Any], error: type[Exception], named: str) -> None:
    """They are raised at construction."""
    with pytest.raises(error, match=named):
        ConsoleLogger(**arguments)
