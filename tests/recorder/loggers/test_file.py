"""FileLogger in a watched loop."""

import contextlib
import gc
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from support.pytorch import needs_torch
from support.tiny_training import tiny_trainer
from support.trainings import run_training

from toposcope.recorder.loggers import FileLogger
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.events.logger_destination import LoggerDestination
from toposcope.recorder.training.state.logger import Logger
from toposcope.recorder.training.state.state import State
from toposcope.recorder.training.watch import watch


class LogsWhenClosed(EventCallback):
    """A callback that logs when it is closed."""

    def close(self, state: State, logger: Logger) -> None:
        """Log after the destinations were closed."""
        logger.log_metrics({"at/close": 1.0})


def test_each_logged_item_is_a_line(tmp_path: Path) -> None:
    """Also items logged before the file has a name."""
    logger = FileLogger(str(tmp_path / "{run_name}" / "rank{rank}.txt"))
    logger.log_hyperparameters({"name": "two\nlines"})
    with watch([], loggers=logger) as run:
        run.step(0.5)
        run.logger.log_table(["a"], [[1]], "mine")
        run.logger.log_traces({"trace": 1})

    assert logger.filename == str(tmp_path / "run" / "rank0.txt")
    assert Path(logger.filename).read_text().splitlines() == [
        "[hyperparameter]: name: two lines",
        "[metric][batch=0]: loss/train/total: 0.5",
        '[table][batch=1]: mine: {"columns": ["a"], "data": [[1]]}',
        "[trace]: trace: 1",
    ]


def test_lines_are_written_at_the_flush_interval(tmp_path: Path) -> None:
    """Another process can read them every second batch if they are kept in a buffer."""
    path = tmp_path / "log.txt"
    logger = FileLogger(str(path), buffer_size=-1, flush_interval=2, log_traces=False)
    with watch([], loggers=logger) as run:
        counts = []
        for _ in range(4):
            run.step(0.5)
            counts.append(len(path.read_text().splitlines()))
        run.logger.log_traces({"trace": 1})

    assert counts == [0, 2, 2, 4]
    assert "trace" not in path.read_text()


@pytest.mark.parametrize(("buffer_size", "expected"), [(1, [1, 2, 3]), (100, [0, 0, 3])])
def test_lines_are_written_when_the_buffer_is_full(buffer_size: int, expected: list[int], tmp_path: Path) -> None:
    """A line has 42 characters; by default each is written at once."""
    path = tmp_path / "log.txt"
    with watch([], loggers=FileLogger(str(path), buffer_size=buffer_size)) as run:
        counts = []
        for _ in range(3):
            run.step(0.5)
            counts.append(len(path.read_text().splitlines()))

    assert counts == expected


def test_output_of_the_program_is_written(tmp_path: Path) -> None:
    """From the construction to the end of the training, in the order in which lines end."""
    path = tmp_path / "log.txt"
    out, err = sys.stdout.write, sys.stderr.write
    logger = FileLogger(str(path))
    print("early\n\nlines")
    print("one ", end="")
    with watch([], loggers=logger) as run:
        run.step(0.5)
        print("error", file=sys.stderr)
        print("line")
        sys.stdout.write("50 %\r100 %\n")
        print("unfinished", end="")
    print("late")

    assert path.read_text().splitlines() == [
        "[stdout]: early",
        "[stdout]:",
        "[stdout]: lines",
        "[metric][batch=0]: loss/train/total: 0.5",
        "[stderr]: error",
        "[stdout]: one line",
        "[stdout]: 100 %",
        "[stdout]: unfinished",
    ]
    assert (sys.stdout.write, sys.stderr.write) == (out, err)


def test_logger_that_is_dropped_captures_nothing(tmp_path: Path) -> None:
    """A logger that no trainer has used, and one whose trainer was dropped after an exception."""

    class Fails(EventCallback):
        def fit_start(self, state: State, logger: Logger) -> None:
            raise ZeroDivisionError

    out, err = sys.stdout.write, sys.stderr.write
    logger = FileLogger(str(tmp_path / "unused.txt"))
    assert sys.stdout.write != out
    del logger
    gc.collect()
    assert (sys.stdout.write, sys.stderr.write) == (out, err)

    trainer = tiny_trainer([Fails()], [FileLogger(str(tmp_path / "log.txt"))])
    with contextlib.suppress(ZeroDivisionError):
        trainer.fit()
    print("after the exception")
    assert sys.stdout.write != out
    del trainer
    gc.collect()
    assert (sys.stdout.write, sys.stderr.write) == (out, err)
    assert "[stdout]: after the exception" in (tmp_path / "log.txt").read_text()


def test_each_stream_can_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is captured is still printed."""
    for name in ("stdout", "stderr"):
        path = tmp_path / name
        options: dict[str, Any] = {f"capture_{name}": False}
        with watch([], loggers=FileLogger(str(path), **options)):
            print("out")
            print("err", file=sys.stderr)
        assert path.read_text() == ("[stderr]: err\n" if name == "stdout" else "[stdout]: out\n")
    assert capsys.readouterr() == ("out\nout\n", "err\nerr\n")


@needs_torch
def test_traceback_of_a_failing_training_is_written(tmp_path: Path) -> None:
    """The program ends with an exception in a callback; the trainer is closed at the exit of the interpreter."""
    path = tmp_path / "log.txt"
    script = f"""
    import torch
    from toposcope.recorder.loggers import FileLogger
    from toposcope.recorder.training import EventCallback, Trainer

    class Fails(EventCallback):
        def fit_start(self, state, logger):
            raise ZeroDivisionError("in a callback")

    network = torch.nn.Linear(1, 1)
    trainer = Trainer(model=network, train_dataloader=[torch.ones(1, 1)], max_duration=1, callbacks=[Fails()],
                      loggers=[FileLogger({str(path)!r})])
    trainer.fit()
    """
    run_training(tmp_path, script, expected=1)

    assert path.read_text().splitlines()[0] == "[stderr]: Traceback (most recent call last):"
    assert path.read_text().splitlines()[-1] == "[stderr]: ZeroDivisionError: in a callback"


def test_output_of_forked_processes_is_left_out(tmp_path: Path) -> None:
    """Two processes must not write one file."""
    path = tmp_path / "log.txt"
    with watch([], loggers=FileLogger(str(path))):
        if not (child := os.fork()):
            print("child")
            os._exit(0)
        os.waitpid(child, 0)
        print("parent")

    assert path.read_text() == "[stdout]: parent\n"


def test_file_is_passed_to_destinations_that_upload_it(tmp_path: Path) -> None:
    """At each flush after which it is longer."""

    class Uploads(LoggerDestination):
        def __init__(self) -> None:
            self.uploads: list[Any] = []

        def upload_file(self, state: State, remote_file_name: str, file_path: Any, *, overwrite: bool) -> None:
            self.uploads.append((remote_file_name, file_path, len(file_path.read_text().splitlines()), overwrite))

    path, uploads = tmp_path / "log.txt", Uploads()
    logger = FileLogger(str(path), "/{run_name}/{rank}.txt", flush_interval=2)
    with watch([], loggers=[logger, uploads]) as run:
        for _ in range(4):
            run.step(0.5)

    assert uploads.uploads == [("run/0.txt", path, 2, True), ("run/0.txt", path, 4, True)]
    assert logger.remote_file_name == "run/0.txt"


def test_output_before_the_file_exists_is_bounded(tmp_path: Path) -> None:
    """The newest lines are kept."""
    logger = FileLogger(str(tmp_path / "log.txt"))
    for number in range(10_010):
        print(number)
    with watch([], loggers=logger):
        pass

    lines = (tmp_path / "log.txt").read_text().splitlines()
    assert (len(lines), lines[0]) == (10_000, "[stdout]: 10")


def test_metrics_logged_by_a_closing_callback_are_written(tmp_path: Path) -> None:
    """Destinations are closed before the callback."""
    path = tmp_path / "log.txt"
    with watch([LogsWhenClosed()], loggers=FileLogger(str(path))) as run:
        run.step(0.5)

    assert path.read_text().splitlines()[-1] == "[metric][batch=1]: at/close: 1"


def test_second_training_appends_to_the_file(tmp_path: Path) -> None:
    """A file of another logger is an error unless overwrite is True."""
    path = tmp_path / "log.txt"
    logger = FileLogger(str(path))
    for loss in (1.0, 2.0):
        with watch([], loggers=logger) as run:
            run.step(loss)

    assert [line.split()[-1] for line in path.read_text().splitlines()] == ["1", "2"]
    with pytest.raises(FileExistsError), watch([], loggers=FileLogger(str(path))):
        pass
    with watch([], loggers=FileLogger(str(path), overwrite=True)) as run:
        run.step(3.0)
    assert [line.split()[-1] for line in path.read_text().splitlines()] == ["3"]


def test_file_name_contains_the_rank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each process writes a separate file."""
    monkeypatch.setenv("RANK", "3")
    with watch([], loggers=FileLogger(str(tmp_path / "log{rank}.txt"))) as run:
        run.step(0.5)

    assert [path.name for path in tmp_path.iterdir()] == ["log3.txt"]


def test_unwritable_file_does_not_stop_the_training(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is logged once."""
    folder = tmp_path / "logs"
    with watch([], loggers=FileLogger(str(folder / "log.txt"), flush_interval=1)) as run:
        folder.rename(tmp_path / "gone")
        run.step(0.5)
        run.step(0.5)

    assert caplog.text.count("cannot be written") == 1


def test_file_name_is_unknown_before_init() -> None:
    """It depends on the name of the run."""
    with pytest.raises(RuntimeError, match="INIT"):
        _ = FileLogger().filename


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"filename": 1}, TypeError),
        ({"filename": "{host}.txt"}, ValueError),
        ({"filename": "{}.txt"}, ValueError),
        ({"remote_file_name": "{host}.txt"}, ValueError),
        ({"remote_file_name": 1}, TypeError),
        ({"capture_stdout": 1}, TypeError),
        ({"capture_stderr": None}, TypeError),
        ({"buffer_size": 0}, ValueError),
        ({"buffer_size": -2}, ValueError),
        ({"log_traces": "yes"}, TypeError),
        ({"flush_interval": 0}, ValueError),
        ({"overwrite": 1}, TypeError),
    ],
)
def test_errors_name_the_invalid_argument(arguments: dict[str, Any], error: type[Exception]) -> None:
    """They are raised at construction."""
    with pytest.raises(error, match=next(iter(arguments))):
        FileLogger(**arguments)
