"""ConsoleLogger in a watched loop."""

import io
from typing import Any

import pytest
from support.tiny_training import tiny_trainer

from toposcope.recorder.loggers import ConsoleLogger
from toposcope.recorder.metrics import Loss
from toposcope.recorder.training.events.engine import Engine
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.progress.time import Time
from toposcope.recorder.training.progress.timestamp import Timestamp
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State
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


@pytest.mark.parametrize("log_interval", ["1ba", "2ba", "1ep", "2ep"])
def test_metrics_are_printed_once_when_the_training_ends(log_interval: str) -> None:
    """What the Trainer logs after the last print, for the same batch, is only what has been printed for it."""
    stream = io.StringIO()
    logger = ConsoleLogger(log_interval, stream)
    with tiny_trainer([], [logger], batches=2, max_duration="2ep", train_metrics={"loss": Loss()}) as trainer:
        trainer.fit()

    headings = [line for line in stream.getvalue().splitlines() if line.startswith("[")]
    every = {"1ba": ["1/2][batch=1", "1/2][batch=2", "2/2][batch=1", "2/2][batch=2"]}
    every["2ba"] = [every["1ba"][place] for place in (0, 1, 3)]
    every["1ep"] = every["2ep"] = [every["1ba"][place] for place in (1, 3)]
    assert headings == [f"[epoch={each}/2]:" for each in every[log_interval]]
    assert stream.getvalue().count("Train metrics/train/loss") == len(headings)


def test_what_is_new_after_the_last_batch_is_printed_at_the_end() -> None:
    """Metrics that a callback logs at the end of the last epoch."""

    class AtEpochEnd(EventCallback):
        def epoch_end(self, state: State, logger: Logger) -> None:
            logger.log_metrics({"mine": int(state.timestamp.epoch)})

    stream = io.StringIO()
    with tiny_trainer([AtEpochEnd()], [ConsoleLogger("1ba", stream)], batches=1, max_duration="2ep") as trainer:
        trainer.fit()

    assert stream.getvalue().splitlines()[-2:] == ["[epoch=2/2][batch=1/1]:", "    Train mine: 2"]


def test_values_are_printed_immediately_on_request() -> None:
    """With the progress, and with tables that have not been printed; tables stay readable."""
    stream = io.StringIO()
    logger = ConsoleLogger("100ba", stream)
    with watch([], loader=range(3), loggers=logger) as run:
        run.step(1.0)
        run.logger.log_table(["a"], [[1]], "mine")
        logger.log_to_console({"lr": 0.5}, run.state, prefix="Own ")
        logger.log_to_console({}, run.state, is_train=False)

    assert stream.getvalue().splitlines()[2:6] == [
        "[epoch=1][batch=1/3]:",
        "    Own lr: 0.5",
        '    Own mine: {"columns": ["a"], "data": [[1]]}',
        "[Eval train][batch=0/3]",
    ]
    assert logger.tables == {"mine": '{"columns": ["a"], "data": [[1]]}'}


def test_evaluation_is_printed_and_does_not_discard_metrics_of_the_training() -> None:
    """Metrics of the training are printed at their own interval."""
    stream = io.StringIO()
    with watch([], loggers=ConsoleLogger("10ba", stream)) as run:
        run.step(3.0)
        run.step(2.0)
        run.eval({"accuracy": 0.5}, label="digits")

    assert stream.getvalue().splitlines()[2:] == [
        "[Eval digits]:",
        "    Eval metrics/digits/accuracy: 0.5",
        "[epoch=1][batch=2]:",
        "    Train loss/train/total: 2",
    ]


def test_progress_of_a_long_evaluation_is_printed() -> None:
    """For the first batch, and ten times, the end included."""
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
    assert lines[:3] == ["[Eval eval][batch=1/25]", "[Eval eval][batch=3/25]", "[Eval eval][batch=5/25]"]
    assert len(lines) == 11
    assert lines[-1] == "[Eval eval]"


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
