"""The end of a training that SummaryCollector records."""

import signal
import textwrap
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from support.line_network import Line, line_batches
from support.trainings import run_training
from support.written_events import read_all_events

from toposcope.proto.summary_pb2 import RecordingEnd
from toposcope.recorder.callbacks import EarlyStopping, SummaryCollector
from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.model import Model
from toposcope.recorder.training.watch import watch

FINISHED, FAILED = RecordingEnd.STATE_FINISHED, RecordingEnd.STATE_FAILED
INTERRUPTED = RecordingEnd.STATE_INTERRUPTED


class Raising(Callback):
    """Raises an error at the third step."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Raise the error."""
        if run_context.original_args()["cur_step_num"] == 3:
            raise self.error


class OnRequestExit(Callback):
    """Stops the training after the step in which a signal arrived, as MindSpore's callback does."""

    exit = False

    def on_train_begin(self, run_context: RunContext) -> None:
        """Install the handler."""
        self.before = signal.signal(signal.SIGUSR1, self._handle)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Stop if requested."""
        if self.exit:
            run_context.request_stop()

    def on_train_end(self, run_context: RunContext) -> None:
        """Remove the handler."""
        signal.signal(signal.SIGUSR1, self.before)

    def _handle(self, *_: object) -> None:
        self.exit = True


class Signalling(Callback):
    """Sends a signal to this process at the second step."""

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Send the signal."""
        if run_context.original_args()["cur_step_num"] == 2:
            signal.raise_signal(signal.SIGUSR1)


def end_in(run: Path) -> RecordingEnd:
    """Return the end of the only recording in a directory, its last record."""
    (path,) = run.glob("*_MS")
    *events, last = read_all_events(path)
    assert not any(event.HasField("end") for event in events)
    assert last.HasField("end")
    return last.end


def train(run: Path, *callbacks: Callback, **settings: Any) -> None:
    """Train for ten steps."""
    Model(Line(), **settings).train(2, line_batches(5), [SummaryCollector(run), *callbacks])


def watch_one_step(directory: Path, error: BaseException) -> None:
    """Watch a loop that an error ends."""
    with watch([SummaryCollector(directory)]) as run:
        run.step(1.0)
        raise error


@pytest.mark.parametrize(
    ("error", "state"), [(ValueError("bad"), FAILED), (KeyboardInterrupt(), INTERRUPTED), (SystemExit(3), INTERRUPTED)]
)
def test_training_that_raises(tmp_path: Path, error: BaseException, state: RecordingEnd.State) -> None:
    """The exception that ends a Model's training, or a watched loop, is in the end of the recording."""
    with pytest.raises(type(error)):
        train(tmp_path / "model", Raising(error))
    with pytest.raises(type(error)):
        watch_one_step(tmp_path / "loop", error)

    for directory in ("model", "loop"):
        end = end_in(tmp_path / directory)
        assert (end.state, end.error_type) == (state, type(error).__name__)
        assert "test_training_ends" in end.traceback


def test_training_that_ends(tmp_path: Path) -> None:
    """A training that reaches its end, or that EarlyStopping stops, is finished."""
    train(tmp_path / "model")
    with watch([SummaryCollector(tmp_path / "loop")]) as run:
        run.step(1.0)
    train(tmp_path / "stopped", EarlyStopping("loss", patience=0, min_delta=1e9))

    assert [end_in(tmp_path / name).state for name in ("model", "loop", "stopped")] == [FINISHED] * 3


def test_training_that_a_signal_stops(tmp_path: Path) -> None:
    """A training that OnRequestExit stops because of a signal is interrupted; without the signal it is finished."""
    train(tmp_path / "stopped", Signalling(), OnRequestExit())
    train(tmp_path / "complete", OnRequestExit())

    assert end_in(tmp_path / "stopped") == RecordingEnd(state=INTERRUPTED, error_text="OnRequestExit")
    assert end_in(tmp_path / "complete").state == FINISHED


@pytest.mark.parametrize(
    ("last_line", "code", "state", "error"),
    [
        ("pass", 0, FINISHED, ""),
        ("sys.exit(0)", 0, FINISHED, ""),
        ("sys.exit(3)", 3, INTERRUPTED, "SystemExit"),
        ("raise ValueError('bad')", 1, FAILED, "ValueError"),
        ("sys.last_value = ValueError('reported by a notebook'); del run; gc.collect()", 0, FAILED, "ValueError"),
    ],
)
def test_watched_run_that_is_never_closed(
    tmp_path: Path, last_line: str, code: int, state: RecordingEnd.State, error: str
) -> None:
    """What ended the process, or what a notebook reported before the run was dropped, ended the training."""
    script = f"""
        from toposcope.recorder.callbacks import SummaryCollector
        run = SummaryCollector(sys.argv[1]).watch(learning_rate=0.1, parameters=dict)
        run.__enter__()
        run.step(1.0)
        {last_line}
    """
    run_training(tmp_path, textwrap.dedent(script), tmp_path / "run", expected=code)

    end = end_in(tmp_path / "run")
    assert (end.state, end.error_type) == (state, error)


def test_watched_run_that_is_closed_in_finally(tmp_path: Path) -> None:
    """The exception that is being handled ended the training, unless it was handled before the training began."""

    def train_on_stack(directory: Path, error: Exception | None) -> None:
        stack = ExitStack()
        try:
            run = stack.enter_context(watch([SummaryCollector(directory)]))
            run.step(1.0)
            if error is not None:
                raise error
        finally:
            stack.close()

    with pytest.raises(ValueError, match="bad"):
        train_on_stack(tmp_path / "failed", ValueError("bad"))
    try:
        raise ImportError
    except ImportError:
        train_on_stack(tmp_path / "finished", None)

    assert end_in(tmp_path / "failed").error_text == "bad"
    assert end_in(tmp_path / "finished").state == FINISHED


def test_each_training_of_a_collector_has_its_end(tmp_path: Path) -> None:
    """A collector that is used again after a failed training records the end of the next one."""
    collector = SummaryCollector(tmp_path)
    model = Model(Line())
    with pytest.raises(ValueError, match="bad"):
        model.train(1, line_batches(5), [collector, Raising(ValueError("bad"))])
    model.train(1, line_batches(5), collector)

    ends = [read_all_events(path)[-1].end.state for path in sorted(tmp_path.glob("*_MS"))]
    assert ends == [FAILED, FINISHED]
