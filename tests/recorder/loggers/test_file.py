"""FileLogger in a watched loop."""

from pathlib import Path
from typing import Any

import pytest

from toposcope.recorder.loggers import FileLogger
from toposcope.recorder.training.event_callback import EventCallback
from toposcope.recorder.training.logger import Logger
from toposcope.recorder.training.state import State
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
    """Another process can read them every second batch."""
    path = tmp_path / "log.txt"
    with watch([], loggers=FileLogger(str(path), flush_interval=2, log_traces=False)) as run:
        counts = []
        for _ in range(4):
            run.step(0.5)
            counts.append(len(path.read_text().splitlines()))
        run.logger.log_traces({"trace": 1})

    assert counts == [0, 2, 2, 4]
    assert "trace" not in path.read_text()


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
        ({"log_traces": "yes"}, TypeError),
        ({"flush_interval": 0}, ValueError),
        ({"overwrite": 1}, TypeError),
    ],
)
def test_errors_name_the_invalid_argument(arguments: dict[str, Any], error: type[Exception]) -> None:
    """They are raised at construction."""
    with pytest.raises(error, match=next(iter(arguments))):
        FileLogger(**arguments)
